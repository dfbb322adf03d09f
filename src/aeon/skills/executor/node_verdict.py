"""What an invocation's outcome comes to: an output, or a failure named for what it is (skills 1-4). Pure."""

import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, cast

from aeon.base.json import Json, JsonObject, json_problems, parse_strict
from aeon.base.masking import Mask
from aeon.skills.executor.state_patches import MergeDepthError, apply_patches, state_patches
from aeon.skills.failures import FailureClass
from aeon.skills.invocation import InvocationResult, ScriptExitReason
from aeon.skills.models import SkillScript
from aeon.skills.plan.check import ADDED_OUTPUT, compile_declared_schema
from aeon.skills.plan_json import ToolErrorJson

_LAST_LINES = 3
_MESSAGE = 500
"""Characters of a script's own words in an error."""

_PROBLEMS = 20
"""Problems of one value that an error lists."""

_LIMIT_MESSAGES = {
    "File too large": "how much it may write, [skills] written_mb",
    "MemoryError": "its memory, [skills] memory_mb",
    "Cannot allocate memory": "its memory, [skills] memory_mb",
    "heap out of memory": "its memory, [skills] memory_mb",
    "Too many open files": "its open files, [skills] open_files",
}
"""What programs say when the kernel holds them to a limit (skills 18)."""

_EXIT_FAILURES = {
    ScriptExitReason.NOT_STARTED: (FailureClass.CANNOT_START, "The script could not be started"),
    ScriptExitReason.OUTPUT_EXCEEDED: (FailureClass.OUTPUT_LIMIT, "The script wrote too much and was ended"),
    ScriptExitReason.RESOURCES_EXCEEDED: (FailureClass.RESOURCE_LIMIT, "The script was over a limit and was ended"),
    ScriptExitReason.CANCELLED: (FailureClass.CANCELLED, "The script was ended because the run was cancelled"),
}


class NodeFailure(NamedTuple):
    """Why a node, or one attempt at it, came to nothing."""

    kind: FailureClass
    message: str
    exit_code: int | None = None

    def as_error(self) -> ToolErrorJson:
        """The failure under the published names."""
        return ToolErrorJson(type=self.kind.value, message=self.message, exit_code=self.exit_code)


def judge_result(outcome: InvocationResult, script: SkillScript, timeout: float) -> JsonObject | NodeFailure:
    """The output of an invocation that ended well, else its failure. `timeout` is what it was given, in seconds."""
    failure = (
        _exit_reason_failure(outcome, timeout) or _exit_code_failure(outcome) or _protocol_failure(outcome, script)
    )
    if failure is not None:
        return failure
    try:
        patched = (
            apply_patches({}, state_patches(outcome.events))
            if script.protocol == "ndjson"
            else _plain_output(outcome.stdout)
        )
    except UnicodeDecodeError as error:
        said = f"The script wrote what is no UTF-8 text, first at byte {error.start} of its output"
        return NodeFailure(FailureClass.PROTOCOL_VIOLATION, f"{said}.", outcome.exit_code)
    except MergeDepthError as error:
        return NodeFailure(FailureClass.PROTOCOL_VIOLATION, f"A state patch: {error}", outcome.exit_code)
    return _validated_output({**_assets_and_summary(outcome.events), **patched}, patched, script)


def join_problems(problems: Sequence[object]) -> str:
    """Problems as the end of a message."""
    more = f"; and {len(problems) - _PROBLEMS} more" if len(problems) > _PROBLEMS else ""
    return "; ".join(str(problem) for problem in problems[:_PROBLEMS]) + more


def _exit_reason_failure(outcome: InvocationResult, timeout: float) -> NodeFailure | None:
    if outcome.exit_reason is ScriptExitReason.EXITED:
        return None
    if outcome.exit_reason is ScriptExitReason.TIMED_OUT:
        said = f"The script was ended after {timeout:g} s{_last_words(outcome.stderr)}"
        return NodeFailure(FailureClass.TIMEOUT, said, outcome.exit_code)
    kind, said = _EXIT_FAILURES[outcome.exit_reason]
    why = f": {outcome.problem}" if outcome.problem else "."
    return NodeFailure(kind, said + why, outcome.exit_code)


def _exit_code_failure(outcome: InvocationResult) -> NodeFailure | None:
    if outcome.exit_code == 0:
        return None
    code = outcome.exit_code
    said = f"The script was ended by {_signal(-code)}" if code is not None and code < 0 else f"Exit code {code}"
    said += _limit(outcome)
    broke = f"; it had also broken the protocol: {outcome.violation}" if outcome.violation else ""
    words = _error_messages(outcome.events)
    return NodeFailure(
        FailureClass.EXIT_CODE, f"{said}{broke}{f': {words}' if words else _last_words(outcome.stderr)}", code
    )


def _limit(outcome: InvocationResult) -> str:
    """The limit that its exit code or its last words tell of, as a part of a sentence."""
    last = outcome.stderr[-_MESSAGE:]
    if outcome.exit_code == -signal.SIGXFSZ:
        return f" (a limit: {_LIMIT_MESSAGES['File too large']})"
    return next((f" (a limit: {which})" for words, which in _LIMIT_MESSAGES.items() if words in last), "")


def _protocol_failure(outcome: InvocationResult, script: SkillScript) -> NodeFailure | None:
    if outcome.violation is not None:
        said = f"The script broke the protocol: {outcome.violation}{_last_words(outcome.stderr)}"
        return NodeFailure(FailureClass.PROTOCOL_VIOLATION, said, outcome.exit_code)
    if script.protocol == "plain":
        return None
    done = next((event for event in outcome.events if event.get("type") == "done"), None)
    if done is None:
        said = f"The script ended without a done event{_last_words(outcome.stderr)}"
        return NodeFailure(FailureClass.PROTOCOL_VIOLATION, said, outcome.exit_code)
    if done.get("ok") is True:
        return None
    said = _error_messages(outcome.events) or str(done.get("summary") or "The script said that it failed, and not why.")
    return NodeFailure(FailureClass.CONTROLLED, said[:_MESSAGE], outcome.exit_code)


def _plain_output(stdout: bytes) -> JsonObject:
    text = stdout.decode()
    value: Json = None
    with suppress(ValueError):
        value = parse_strict(text)
    is_object = isinstance(value, dict) and not json_problems(cast(JsonObject, value))
    return cast(JsonObject, value) if is_object else {"text": text}


def _assets_and_summary(events: Sequence[JsonObject]) -> JsonObject:
    assets = {
        event["assetId"]: {"path": event["path"], "kind": event["kind"], "mediaType": event["mediaType"]}
        for event in events
        if event.get("type") == "asset"
    }
    summary = next((event.get("summary") for event in events if event.get("type") == "done"), None)
    return {**({"assets": assets} if assets else {}), **({"summary": summary} if summary is not None else {})}


def _validated_output(output: JsonObject, patched: JsonObject, script: SkillScript) -> JsonObject | NodeFailure:
    """The output when it fits its schema; assets and summary count only where the schema names them."""
    check = compile_declared_schema(script.output_schema)
    if check is None:
        return output
    if isinstance(check, str):
        return NodeFailure(FailureClass.CONFIGURATION, f"The script's output schema is no valid JSON Schema: {check}")
    named: JsonObject = check.schema.get("properties") or {}
    shown = {key: value for key, value in output.items() if key in patched or (key in ADDED_OUTPUT and key in named)}
    if check.is_valid(shown):
        return output
    said = join_problems(check.problems(shown))
    return NodeFailure(FailureClass.INVALID_OUTPUT, f"The output does not fit the script's output schema: {said}")


def _error_messages(events: Sequence[JsonObject]) -> str:
    """What the script's own error events say."""
    said = [
        f"{event.get('errorCode')}: {event.get('errorMessage')}" for event in events if event.get("type") == "error"
    ]
    return "; ".join(said)[:_MESSAGE]


def _last_words(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return f": {' / '.join(lines[-_LAST_LINES:])[-_MESSAGE:]}" if lines else "."


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_ENVELOPE = frozenset({"version", "type", "ok", "level"})
"""Fields whose values are the protocol's own words (skills 2): a secret that is one of them is no secret there."""


def mask_result(mask: Mask, outcome: InvocationResult) -> InvocationResult:
    """`outcome` without the secrets, but for `stdout`, which is bytes that nobody has read yet.

    Its events are decoded once and for all.
    """
    if mask.is_empty:
        return outcome._replace(events=[*outcome.events])
    return outcome._replace(
        events=[_masked_event(mask, event) for event in outcome.events],
        stderr=mask.tail(outcome.stderr),
        violation=_optional(mask, outcome.violation),
        problem=_optional(mask, outcome.problem),
    )


def _masked_event(mask: Mask, event: JsonObject) -> JsonObject:
    """The names of an event's fields stay, and so do the protocol's words in them."""
    return {name: value if name in _ENVELOPE else mask.value(value) for name, value in event.items()}


def _optional(mask: Mask, text: str | None) -> str | None:
    return None if text is None else mask.text(text)


def with_absolute_paths(outcome: InvocationResult, cwd: Path) -> InvocationResult:
    """`outcome`, the paths of its assets absolute; `cwd` is where its script ran."""
    if not any(event.get("type") == "asset" for event in outcome.events):
        return outcome
    return outcome._replace(events=[_absolute(event, cwd) for event in outcome.events])


def _absolute(event: JsonObject, cwd: Path) -> JsonObject:
    return {**event, "path": str(cwd / event["path"])} if event.get("type") == "asset" else event
