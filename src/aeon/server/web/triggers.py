"""The triggers of a Process on its page: the schedules, webhooks and alerts of the user."""

from typing import Annotated, Final, Literal, NamedTuple

from fastapi import APIRouter, Form
from fastapi.responses import Response

from aeon.application.workspace import Workspace
from aeon.base.json import canonical_json
from aeon.platform.alerts.model import Alert
from aeon.platform.processes.model import Process
from aeon.platform.webhooks.model import Webhook
from aeon.server.auth.caller import SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.pages import go_to

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/processes")

_MOST: Final = 1000
"""The most of each kind that are looked at."""

_ALERT_STATES: Final = {"ok": "alert_ok", "pending": "alert_pending", "firing": "alert_firing"}

Kind = Literal["schedule", "webhook", "alert"]


class ShownTrigger(NamedTuple):
    """One line of the list: `when` in words of the kind, `state` a key of the page's texts, `problem` why it fails."""

    kind: Kind
    id: str
    name: str
    when: str
    is_enabled: bool
    state: str = ""
    problem: str = ""


def list_triggers(own: Workspace, process: Process) -> list[ShownTrigger]:
    """The user's schedules, webhooks and alerts of a Process."""
    return [*_schedules(own, process.id), *_webhooks(own, process), *_alerts(own, process)]


@router.post("/{process}/triggers/{kind}/{trigger}")
async def enable(
    process: str, kind: Kind, trigger: str, caller: SignedIn, enabled: Annotated[bool, Form()]
) -> Response:
    """Enable or disable what starts a Process."""
    own = caller.workspace
    service = {"schedule": own.schedules, "webhook": own.webhooks, "alert": own.alerts}[kind]
    await caller.state.call(lambda: service.enable(trigger, is_enabled=enabled))
    return go_to(f"/processes/{process}#triggers")


@router.post("/{process}/triggers/{kind}/{trigger}/trust")
async def trust(process: str, kind: Literal["webhook", "alert"], trigger: str, caller: SignedIn) -> Response:
    """Let what starts another user's Process start the version that is shown now."""
    own = caller.workspace
    service = {"webhook": own.webhooks, "alert": own.alerts}[kind]
    await caller.state.call(lambda: service.trust(trigger))
    return go_to(f"/processes/{process}#triggers")


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


def _schedules(own: Workspace, process: str) -> list[ShownTrigger]:
    shown: list[ShownTrigger] = []
    for each in own.schedules.list(limit=_MOST).items:
        if each.process == process:
            following = own.schedules.next_start(each)
            when = f"{each.cron} {each.time_zone}" if each.cron else str(each.at)
            then = "" if following is None else f" → {following.isoformat(timespec='seconds')}"
            state = "" if following else "ended" if each.enabled else "disabled"
            shown.append(ShownTrigger("schedule", each.id, each.name, when + then, each.enabled, state))
    return shown


def _webhooks(own: Workspace, process: Process) -> list[ShownTrigger]:
    return [
        ShownTrigger(
            "webhook",
            each.id,
            each.name,
            f"POST {each.path}, {each.scheme}",
            each.enabled,
            _state(each, process, ""),
            each.refusal or "",
        )
        for each in own.webhooks.list(limit=_MOST).items
        if each.process == process.id
    ]


def _alerts(own: Workspace, process: Process) -> list[ShownTrigger]:
    return [
        ShownTrigger(
            "alert",
            each.id,
            each.name,
            f"{each.metric} {each.comparison} {each.threshold:g}",
            each.enabled,
            _state(each, process, _ALERT_STATES[each.state]),
            each.problem or "",
        )
        for each in own.alerts.list(limit=_MOST).items
        if each.process == process.id
    ]


def _state(trigger: Webhook | Alert, process: Process, state: str) -> str:
    """The key of the text for its state: `state`, unless it starts nothing."""
    if not trigger.enabled:
        return "disabled"
    return state if process.is_trusted(trigger.trusted_digest) else "trigger_not_trusted"
