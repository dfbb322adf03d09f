"""The pages of skills: what each does, its files, trust, grants, settings, and a run of a script (skills 10 and 15)."""

from collections.abc import Mapping
from typing import Annotated, Final, NamedTuple

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from aeon.application.input_fields import InputField, fields_of_schema, read_fields
from aeon.application.skill_settings import SkillSettingsService
from aeon.application.skills import Cancellation, SkillService, read_prompt
from aeon.base.errors import AeonError, InputError, SkillError
from aeon.base.json import Json, JsonObject, readable_json
from aeon.server.auth.caller import Caller, FolderOperator
from aeon.server.edge.problems import HttpError
from aeon.server.edge.routes import QuickRoute
from aeon.server.edge.stopping import cancelled_at_stop
from aeon.server.web.errors import ShownError, shown_error
from aeon.server.web.forms import ShownField, Typed, normalized, shown_fields
from aeon.server.web.pages import go_to, page

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/skills")

_INVALID: Final = 422
_CONFLICT: Final = 409
_NOT_FOUND: Final = 404

_ARGUMENTS: Final = InputField("arguments", "text", is_required=False)
"""The field for a script that declares no input: one argument a line."""


class ShownScript(NamedTuple):
    """A script, and the form that runs it."""

    script: JsonObject
    fields: list[ShownField]
    has_arguments: bool


class ConfigField(NamedTuple):
    """A field of the form for a skill's settings; a secret one is always empty, and `is_set` if it has a value."""

    field: ShownField
    is_secret: bool
    is_set: bool
    default: Json


class _Sent(NamedTuple):
    """What a form of the page sent, to be shown again: a run of a script, or settings."""

    script: str = ""
    typed: Mapping[str, str] = {}
    faults: Mapping[str, str] = {}
    problem: ShownError | None = None
    result: JsonObject | None = None


@router.get("")
async def list_skills(caller: FolderOperator, request: Request) -> Response:
    """All skills of the project, and the notes about folders that are none."""
    skills = caller.state.owned.skills

    def read() -> dict[str, object]:
        known = {str(note) for skill in skills.catalog.skills for note in skill.notes}
        notes = [str(note) for note in skills.catalog.notes if str(note) not in known]
        return {"skills": [skills.describe(each) for each in skills.catalog.skills], "notes": notes}

    return await page(caller, request, "skills.html", await caller.state.call(read))


@router.post("/reload")
async def reload(caller: FolderOperator) -> Response:
    """Read the folders of skills again."""
    await caller.state.call(caller.state.owned.skills.reload)
    return go_to("/skills")


@router.get("/{skill}")
async def show(skill: str, caller: FolderOperator, request: Request) -> Response:
    """A skill: what it does, its files and what changed in them, trust, grants, settings, and its scripts."""
    return await _show(caller, request, skill, _Sent())


@router.get("/{skill}/file")
async def show_file(
    skill: str, caller: FolderOperator, request: Request, path: Annotated[str, Query(max_length=4000)]
) -> Response:
    """The text of one of a skill's files."""
    skills = caller.state.owned.skills

    def read() -> dict[str, object]:
        _require_skill(skills, skill)
        try:
            return {"skill": skill, "path": path, "text": skills.read_file(skills.find(skill), path)}
        except InputError as error:
            raise HttpError(_NOT_FOUND, error.message) from None

    return await page(caller, request, "skill-file.html", await caller.state.call(read))


@router.post("/{skill}/trust")
async def trust(skill: str, caller: FolderOperator, digest: Annotated[str, Form(max_length=64)]) -> Response:
    """Trust a skill with the files that the page showed, and grant it what it declares (skills 15)."""
    skills = caller.state.owned.skills

    def work() -> None:
        _require_skill(skills, skill)
        try:
            skills.trust(skills.find(skill), expected_digest=digest)
        except SkillError as error:
            raise HttpError(_CONFLICT, error.message, next_step="Look at its files again, then trust it.") from None

    await caller.state.call(work)
    return go_to(f"/skills/{skill}")


@router.post("/{skill}/distrust")
async def distrust(skill: str, caller: FolderOperator) -> Response:
    """Trust a skill no longer."""
    skills = caller.state.owned.skills

    def work() -> None:
        _require_skill(skills, skill)
        skills.distrust(skill)

    await caller.state.call(work)
    return go_to(f"/skills/{skill}")


@router.post("/{skill}/settings")
async def configure(skill: str, caller: FolderOperator, request: Request, typed: Typed) -> Response:
    """Change a skill's settings: all that was typed, or nothing; an empty field of a secret leaves it as it is."""
    owned = caller.state.owned

    def work() -> dict[str, str]:
        _require_skill(owned.skills, skill)
        settings = owned.skill_settings(owned.skills.find(skill))
        faults = _configure(settings, typed)
        if not faults:
            owned.skills.reload()
        return faults

    faults = await caller.state.call(work)
    if faults:
        return await _show(caller, request, skill, _Sent(typed=typed, faults=faults), _INVALID)
    return go_to(f"/skills/{skill}#settings")


@router.post("/{skill}/scripts/{script}/run")
async def run(skill: str, script: str, caller: FolderOperator, request: Request, typed: Typed) -> Response:
    """Run a script with what was typed, isolated as always; the page shows its trace, which nothing keeps."""
    skills = caller.state.owned.skills
    async with cancelled_at_stop(caller.state) as cancellation:
        sent = await caller.state.call(lambda: _run(skills, (skill, script), typed, cancellation))
    status = _INVALID if sent.faults else 200 if sent.problem is None else sent.problem.status
    return await _show(caller, request, skill, sent, status)


def _run(skills: SkillService, names: tuple[str, str], typed: Mapping[str, str], cancellation: Cancellation) -> _Sent:
    """What the page shows of a run. Raises HttpError for an unknown skill or script."""
    name, path = names
    _require_skill(skills, name)
    try:
        script = skills.find_script(f"{name}/{path}")
    except InputError as error:
        raise HttpError(_NOT_FOUND, error.message) from None
    given, faults = read_fields(_fields_of(script.input_schema, script.protocol), typed)
    if faults:
        return _Sent(path, typed, faults)
    arguments = str(given.pop(_ARGUMENTS.name)).splitlines() if script.protocol == "plain" and given else []
    try:
        result = skills.run_script(script, given, arguments, cancellation)
    except AeonError as error:
        return _Sent(path, typed, problem=_shown(error))
    return _Sent(path, typed, result=result.model_dump(mode="json", by_alias=True))


def _shown(error: AeonError) -> ShownError:
    shown = shown_error(error)
    return shown._replace(status=_CONFLICT) if isinstance(error, SkillError) else shown


def _configure(settings: SkillSettingsService, typed: Mapping[str, str]) -> dict[str, str]:
    """The faults of settings by their keys; none if they were saved. What was not changed is not written."""
    shown = settings.show()
    before = {key: "" if settings.is_secret(key) else _words_of(shown.values.get(key)) for key in shown.keys}
    changed = {key: text for key, text in typed.items() if key in before and text != before[key]}
    try:
        if changed:
            settings.change(changed)
    except AeonError as error:
        found: list[JsonObject] = error.details.get("problems") or []
        faults = {_key_of(each["path"]): str(each["message"]) for each in found}
        return faults or {"": error.message}
    return {}


def _key_of(path: str) -> str:
    """The setting that a path such as `$.words` is about."""
    return path.removeprefix("$").removeprefix(".").partition(".")[0].partition("[")[0]


async def _show(caller: Caller, request: Request, name: str, sent: _Sent, status: int = 200) -> Response:
    owned = caller.state.owned
    skills = owned.skills

    def read() -> dict[str, object]:
        _require_skill(skills, name)
        skill = skills.find(name)
        described = skills.describe(skill)
        scripts: list[JsonObject] = described["scripts"]
        return {
            "skill": described,
            "files": skills.list_files(skill),
            "prompt": read_prompt(skill),
            "scripts": [_script(each, sent) for each in scripts],
            "config": _config_fields(owned.skill_settings(skill), sent) if skill.config_schema is not None else [],
            "config_fault": "" if sent.script else sent.faults.get("", ""),
            "sent": sent,
            "problem": sent.problem,
        }

    return await page(caller, request, "skill.html", await caller.state.call(read), status)


def _script(script: JsonObject, sent: _Sent) -> ShownScript:
    was_sent = sent.script == script["name"]
    fields = _fields_of(script["inputSchema"], script["protocol"])
    shown = shown_fields(fields, sent.typed if was_sent else {}, sent.faults if was_sent else {})
    return ShownScript(script, shown, fields == [_ARGUMENTS])


def _fields_of(schema: JsonObject | None, protocol: str) -> list[InputField]:
    """The fields for what a script gets: those of its schema, its arguments, or all inputs as JSON."""
    return [_ARGUMENTS] if protocol == "plain" else fields_of_schema(schema or {})


def _config_fields(settings: SkillSettingsService, sent: _Sent) -> list[ConfigField]:
    shown = settings.show()
    typed = {key: _words_of(value) for key, value in shown.values.items()}
    faults = {_key_of(each.path): each.message for each in shown.problems}
    if sent.faults and not sent.script:
        typed, faults = {**typed, **sent.typed}, dict(sent.faults)
    found: list[ConfigField] = []
    for each in shown_fields(settings.list_fields(), typed, faults):
        key, is_secret = each.field.name, settings.is_secret(each.field.name)
        safe = each._replace(typed="") if is_secret else each
        found.append(ConfigField(safe, is_secret, shown.values.get(key) not in (None, ""), shown.defaults.get(key)))
    return found


def _words_of(value: Json) -> str:
    """A value as one types it."""
    return "" if value is None else normalized(value) if isinstance(value, str) else readable_json(value)


def _require_skill(skills: SkillService, name: str) -> None:
    """Raises HttpError if the skill does not exist."""
    if name not in skills.catalog.by_name:
        raise HttpError(_NOT_FOUND, f"There is no skill {name[:100]!r}.", next_step="See the page of skills.")
