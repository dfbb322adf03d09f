"""The page of settings: each value with its origin, and a form that changes it in the project's file."""

import json
from collections.abc import Mapping
from itertools import groupby
from typing import Annotated, Final, NamedTuple

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from aeon.application.input_fields import read_fields
from aeon.application.settings import EditableSetting, SettingsService
from aeon.base.errors import AeonError, InputError
from aeon.base.json import Json
from aeon.server.auth.caller import Caller, FolderOperator
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.errors import shown_error
from aeon.server.web.forms import ShownField, Typed, shown_fields
from aeon.server.web.pages import go_to, page

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/settings")

_INVALID: Final = 422


class ShownSetting(NamedTuple):
    """A setting on the page. `was_sent` says that its form was sent and refused; its field then has the fault."""

    setting: EditableSetting
    field: ShownField
    is_by_variable: bool
    was_sent: bool

    @property
    def is_default(self) -> bool:
        """Whether no source sets it."""
        return self.setting.origin == "default"

    @property
    def is_in_use(self) -> bool:
        """Whether the server already has this value."""
        return self.setting.value == self.setting.in_use


@router.get("")
async def show(caller: FolderOperator, request: Request) -> Response:
    """Every setting, its value and where it comes from."""
    return await _show(caller, request, {}, {})


@router.post("")
async def change(
    caller: FolderOperator, request: Request, setting: Annotated[str, Form(max_length=100)], typed: Typed
) -> Response:
    """Change a setting in the project's file; an empty field takes it out of the file."""
    settings = caller.state.owned.settings
    fault = await caller.state.call(lambda: _change(settings, setting, typed))
    if fault:
        return await _show(caller, request, {setting: typed.get(setting, "")}, {setting: fault}, _INVALID)
    return go_to(f"/settings#{setting}")


def _change(settings: SettingsService, key: str, typed: Mapping[str, str]) -> str:
    """What is wrong with what was typed; empty if it was saved. Raises InputError for an unknown setting."""
    field = next((each.field for each in settings.list_editable() if each.key == key), None)
    if field is None:
        raise InputError(f"There is no setting {key!r}.", next_step="See the page of settings.")
    values, faults = read_fields([field], typed)
    if faults:
        return faults[key]
    try:
        if key in values:
            settings.set_values(values, settings.project_file)
        else:
            settings.remove(key, settings.project_file)
    except AeonError as error:
        return _fault_of(error)
    return ""


def _fault_of(error: AeonError) -> str:
    listed: list[Json] = error.details.get("problems") or [error.message]
    return " ".join(str(each) for each in listed)


async def _show(
    caller: Caller, request: Request, typed: Mapping[str, str], faults: Mapping[str, str], status: int = 200
) -> Response:
    settings = caller.state.owned.settings

    def read() -> dict[str, object]:
        try:
            found = settings.list_editable()
        except AeonError as error:  # such as a file that somebody edited wrongly
            return {"sections": [], "problem": shown_error(error), "file": settings.project_file}
        shown = [_shown(each, typed, faults) for each in found]
        sections = [(name, [*rows]) for name, rows in groupby(shown, lambda each: each.setting.key.partition(".")[0])]
        return {"sections": sections, "problem": None, "file": settings.project_file}

    return await page(caller, request, "settings.html", await caller.state.call(read), status)


def _shown(setting: EditableSetting, typed: Mapping[str, str], faults: Mapping[str, str]) -> ShownSetting:
    key, words = setting.key, typed.get(setting.key, _words_of(setting.value))
    field = shown_fields([setting.field._replace(description="")], {key: words}, faults)[0]
    return ShownSetting(setting, field, setting.origin.startswith("AEON_"), key in typed)


def _words_of(value: Json) -> str:
    """A value as one types it."""
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
