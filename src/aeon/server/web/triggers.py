"""The triggers of the user: schedules, webhooks and alerts, on a page of their own and on the page of a Process."""

from typing import Annotated, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from aeon.application.alerts import AlertService
from aeon.application.schedules import ScheduleService
from aeon.application.webhooks import WebhookService
from aeon.application.workspace import Workspace
from aeon.base.json import canonical_json
from aeon.platform.alerts.model import Alert
from aeon.platform.processes.model import Process
from aeon.platform.schedules.model import ProcessSchedule
from aeon.platform.webhooks.model import Webhook
from aeon.server.auth.caller import SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.forms import Key, Version, key_of
from aeon.server.web.pages import go_to, language_of, page
from aeon.server.web.texts import text

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/triggers")

_MOST: Final = 1000
"""The most of each kind that are looked at."""

_ALERT_STATES: Final = {"ok": "alert_ok", "pending": "alert_pending", "firing": "alert_firing"}

Kind = Literal["schedule", "webhook", "alert"]

Of: TypeAlias = Annotated[str, Form(max_length=200)]
"""The Process on whose page the form is; empty on the page of all triggers."""


class ShownTrigger(NamedTuple):
    """One line of the list: `when` in words of the kind, `state` a key of the page's texts, `problem` why it fails.

    `process` is the id of what it starts, and `process_name` its name, which is empty if that is not shared any more.
    `last` is when it last started something, as far as that is kept, and `run` the run of that.
    """

    kind: Kind
    id: str
    name: str
    when: str
    process: str
    process_name: str
    is_enabled: bool
    state: str = ""
    problem: str = ""
    last: str = ""
    run: str = ""


def list_triggers(own: Workspace, process: Process | None = None) -> list[ShownTrigger]:
    """The user's schedules, webhooks and alerts: those of one Process, or all."""
    wanted = None if process is None else process.id
    return [*_schedules(own, wanted), *_webhooks(own, wanted), *_alerts(own, wanted)]


@router.get("")
async def list_all(caller: SignedIn, request: Request) -> Response:
    """Everything that starts a Process for the user."""
    found = await caller.state.call(lambda: list_triggers(caller.workspace))
    return await page(caller, request, "triggers.html", {"triggers": found})


@router.post("/{kind}/{trigger}")
async def enable(
    kind: Kind, trigger: str, caller: SignedIn, enabled: Annotated[bool, Form()], process: Of = ""
) -> Response:
    """Enable or disable what starts a Process."""
    service = _service(caller.workspace, kind)
    await caller.state.call(lambda: service.enable(trigger, is_enabled=enabled))
    return _back(process)


@router.post("/{kind}/{trigger}/trust")
async def trust(kind: Literal["webhook", "alert"], trigger: str, caller: SignedIn, process: Of = "") -> Response:
    """Let what starts another user's Process start the version that is shown now."""
    own = caller.workspace
    service = {"webhook": own.webhooks, "alert": own.alerts}[kind]
    await caller.state.call(lambda: service.trust(trigger))
    return _back(process)


@router.get("/{kind}/{trigger}/delete")
async def ask_to_delete(kind: Kind, trigger: str, caller: SignedIn, request: Request) -> Response:
    """Ask whether a trigger is to be deleted."""
    service, language = _service(caller.workspace, kind), language_of(request)
    found = await caller.state.call(lambda: service.get(trigger))
    values: dict[str, object] = {
        "heading": text(language, "delete_this", name=found.name),
        "lines": [],
        "action": f"/triggers/{kind}/{found.id}/delete",
        "button": text(language, "delete"),
        "back": "/triggers",
        "version": found.version,
    }
    return await page(caller, request, "confirm.html", values)


@router.post("/{kind}/{trigger}/delete")
async def delete(kind: Kind, trigger: str, caller: SignedIn, version: Version, key: Key) -> Response:
    """Delete a trigger; the runs that it started stay."""
    service = _service(caller.workspace, kind)
    await caller.state.call(lambda: service.remove(trigger, key=key_of(key), expected_version=version))
    return go_to("/triggers")


def triggers_text(process: str) -> str:
    """The text with which adding one begins; `process` is the name or the id of the Process."""
    name = canonical_json(process)
    return f"""kind: Schedule
name: every morning
process: {name}
cron: "0 8 * * mon-fri"
timeZone: Europe/Berlin
inputs: {{}}
# ---
# kind: Webhook
# name: orders
# process: {name}
# secret: the name of an api_key of yours
# ---
# kind: Alert
# name: it fails
# process: {name}
# metric: process.failures
# comparison: ">="
# threshold: 3
"""


def _service(own: Workspace, kind: Kind) -> ScheduleService | WebhookService | AlertService:
    return {"schedule": own.schedules, "webhook": own.webhooks, "alert": own.alerts}[kind]


def _back(process: str) -> Response:
    return go_to(f"/processes/{quote(process, safe='')}#triggers" if process else "/triggers")


def _schedules(own: Workspace, process: str | None) -> list[ShownTrigger]:
    found = own.schedules.list(owner="own", limit=_MOST).items
    return [_schedule(own, each) for each in found if process in (None, each.process)]


def _schedule(own: Workspace, schedule: ProcessSchedule) -> ShownTrigger:
    following, name = own.schedules.next_start(schedule), own.schedules.process_name(schedule)
    when = f"{schedule.cron} {schedule.time_zone}" if schedule.cron else str(schedule.at)
    then = "" if following is None else f" → {following.isoformat(timespec='seconds')}"
    state = "" if following else "ended" if schedule.enabled else "disabled"
    return ShownTrigger(
        "schedule",
        schedule.id,
        schedule.name,
        when + then,
        schedule.process,
        name or "",
        schedule.enabled,
        state if name else "trigger_without_process",
        schedule.problem or "",
        schedule.started_at or "",
        schedule.run or "",
    )


def _webhooks(own: Workspace, process: str | None) -> list[ShownTrigger]:
    found = own.webhooks.list(owner="own", limit=_MOST).items
    return [_webhook(own, each) for each in found if process in (None, each.process)]


def _webhook(own: Workspace, webhook: Webhook) -> ShownTrigger:
    process, run = own.webhooks.process_of(webhook), own.webhooks.newest_run(webhook)
    return ShownTrigger(
        "webhook",
        webhook.id,
        webhook.name,
        f"POST {webhook.path}, {webhook.scheme}",
        webhook.process,
        "" if process is None else process.name,
        webhook.enabled,
        _state(webhook, process, ""),
        webhook.refusal or "",
        "" if run is None else run.accepted_at,
        "" if run is None else run.id,
    )


def _alerts(own: Workspace, process: str | None) -> list[ShownTrigger]:
    found = own.alerts.list(owner="own", limit=_MOST).items
    return [_alert(each, own.alerts.process_of(each)) for each in found if process in (None, each.process)]


def _alert(alert: Alert, process: Process | None) -> ShownTrigger:
    return ShownTrigger(
        "alert",
        alert.id,
        alert.name,
        f"{alert.metric} {alert.comparison} {alert.threshold:g}",
        alert.process,
        "" if process is None else process.name,
        alert.enabled,
        _state(alert, process, _ALERT_STATES[alert.state]),
        alert.problem or "",
        alert.started_at or "",
        alert.run or "",
    )


def _state(trigger: Webhook | Alert, process: Process | None, state: str) -> str:
    """The key of the text for its state: `state`, unless it starts nothing."""
    if not trigger.enabled:
        return "disabled"
    if process is None:
        return "trigger_without_process"
    return state if process.is_trusted(trigger.trusted_digest) else "trigger_not_trusted"
