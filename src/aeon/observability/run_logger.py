"""`RunLogger`: writes the events of a run to Python's standard logging.

No request, answer, argument or result is logged. Texts of errors are logged without the known secrets and without the
values that the run's calls were given.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import cast

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject
from aeon.base.loggers import logged_as, room_logger, safe_text
from aeon.base.secret_encodings import MIN_SECRET_LENGTH
from aeon.observability.events import (
    Event,
    Observer,
    PlanReady,
    PlanStepEnded,
    PlanStepStarted,
    RepairAttempted,
    RunEnded,
    ToolInvoked,
    WarningIssued,
    guard_observer,
    wants_text,
)
from aeon.observability.skill_events import NodeEnded, NodeRetried, ReplanRequested, SkillsChosen

_TOOLS = room_logger("tools")


class RunLogger:
    """An observer that logs a run's events to `aeon.<room>`, and its tool calls to `aeon.tools`.

    Levels: DEBUG for steps, nodes and tool calls, INFO for plans and ends of runs, WARNING for repairs, retries,
    fallbacks and further plans, ERROR for failures. Events are passed on to `then` unchanged. One run at a time.
    """

    def __init__(
        self,
        room: str,
        *,
        then: Observer | None = None,
        secrets: Callable[[], set[str]] = set[str],
        clock: Clock | None = None,
    ) -> None:
        """`secrets` returns what must never be logged; it is called only if a text is logged."""
        self._log = room_logger(room)
        self._then = guard_observer(then)
        self._secrets = secrets
        self._clock = clock or SystemClock()
        self._began = self._clock.monotonic()
        self._given: set[str] = set()
        self._tool: str | None = None
        self._tool_began = 0.0

    @property
    def wants_text(self) -> bool:
        """Whether the observer behind this one reads the model's text; the log does not."""
        return wants_text(self._then)

    def __call__(self, event: Event) -> None:
        """Logs the event, then passes it on."""
        self._write(event)
        if self._then is not None:
            self._then(event)

    def _write(self, event: Event) -> None:  # noqa: C901  # one case for each kind of event
        match event:
            case PlanReady():
                self._plan_ready(event)
            case PlanStepStarted():
                self._tool = None
            case ToolInvoked():
                self._tool, self._tool_began = event.tool, self._clock.monotonic()
                self._given |= set(_long_texts(event.arguments))
            case PlanStepEnded():
                self._step_ended(event)
            case RepairAttempted():
                self._repair(event)
            case WarningIssued():
                self._log.warning("%s", self._safe(event.message), extra={"step": event.step_id})
            case SkillsChosen():
                self._log.debug("chose the skills %s of %d", ", ".join(event.names) or "(none)", event.considered)
            case NodeRetried():
                self._log.warning(
                    "node %s failed in attempt %d (%s) and is tried again in %d ms",
                    *(event.tool_id, event.attempt, event.error.get("type"), event.wait_ms),
                    extra={"step": event.tool_id},
                )
            case NodeEnded():
                self._node_ended(event)
            case ReplanRequested():
                self._log.warning("plan %d failed, another is made: %s", event.attempt, self._safe(event.reason))
            case RunEnded():
                self.ended(event.status, event.error)
            case _:
                pass

    def ended(self, status: str, error: JsonObject | None = None) -> None:
        """Logs how the run ended: INFO if it completed, ERROR if it failed, WARNING if it can be resumed."""
        seconds = self._clock.monotonic() - self._began
        write = {"completed": self._log.info, "failed": self._log.error}.get(status, self._log.warning)
        how = status.replace("_", " ") + (f" ({self._described(error)})" if error else "")
        write("run %s after %.3f s", how, seconds, extra={"status": status, "duration": seconds})

    def _plan_ready(self, event: PlanReady) -> None:
        steps = cast("list[JsonObject]", event.plan.get("steps", event.plan.get("tools", [])))
        self._given |= {text for step in steps for text in _long_texts(step.get("arguments", step.get("input")))}
        origin = "supplied" if event.is_supplied else "made"
        self._log.info("plan %s: %d steps", origin, len(steps), extra={"steps": len(steps)})

    def _step_ended(self, event: PlanStepEnded) -> None:
        step = str(event.step["step_id"])
        if self._tool is not None:
            seconds = self._clock.monotonic() - self._tool_began
            about = {"step": step, "tool": self._tool, "duration": seconds}
            how = "failed" if event.error is not None else "answered"
            _TOOLS.debug("tool %s %s after %.3f s", self._tool, how, seconds, extra=about)
        if event.mode == "fallback":
            self._log.warning("step %s: no tool was found, the model answers in its place", step, extra={"step": step})
        if event.error is not None:
            self._log.error("step %s failed: %s", step, self._safe(event.error), extra={"step": step})
        else:
            self._log.debug("step %s is complete", step, extra={"step": step})

    def _repair(self, event: RepairAttempted) -> None:
        kind, attempt = event.action["action_type"], event.action["attempt_number"]
        how = "failed" if "error" in event.action else "succeeded"
        self._log.warning("%s %s in attempt %d", kind, how, attempt, extra={"step": event.step_id})

    def _node_ended(self, event: NodeEnded) -> None:
        about = {"step": event.tool_id, "duration": event.result.get("executionTimeMs", 0) / 1000}
        if error := event.result.get("error"):
            text = self._described(cast(JsonObject, error))
            self._log.error("node %s failed: %s", event.tool_id, text, extra=about)
        else:
            self._log.debug("node %s %s after %.3f s", event.tool_id, event.state, about["duration"], extra=about)

    def _described(self, error: JsonObject) -> str:
        return f"{error.get('type')}: {self._safe(str(error.get('message', '')))}"

    def _safe(self, text: str) -> str:
        return safe_text(text, {*self._secrets(), *self._given})


@contextmanager
def logged_run(room: str, run_id: str, secrets: Callable[[], set[str]] = set[str]) -> Generator[None]:
    """The scope of one run: its records carry `run_id`; its start, and an error that leaves it, are logged."""
    log = room_logger(room)
    with logged_as(run_id):
        log.info("run started")
        try:
            yield
        except AeonError as error:
            text = safe_text(error.message, secrets())
            log.error("run failed (%s: %s)", type(error).__name__, text)  # noqa: TRY400  # a traceback would quote the error unmasked
            raise


def _long_texts(value: Json) -> Iterator[str]:
    """The texts in a value that are long enough to be found inside other text."""
    if isinstance(value, str) and len(value) >= MIN_SECRET_LENGTH:
        yield value
    elif isinstance(value, dict):
        for item in cast(JsonObject, value).values():
            yield from _long_texts(item)
    elif isinstance(value, list):
        for item in cast("list[Json]", value):
            yield from _long_texts(item)
