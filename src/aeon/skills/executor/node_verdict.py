"""Turns an invocation's result into an output or a classified failure (skills 1-4). Pure."""

import re
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, cast

from aeon.base.json import Json, JsonObject, json_problems, parse_strict
from aeon.base.masking import Mask
from aeon.base.next_steps import NextStep
from aeon.skills.executor.missing_grants import find_missing_grant
from aeon.skills.executor.state_patches import MergeDepthError, apply_patches, state_patches
from aeon.skills.failures import FailureClass
from aeon.skills.invocation import Invocation, InvocationResult, ScriptExitReason
from aeon.skills.models import SkillScript
from aeon.skills.plan.check import ADDED_OUTPUT, compile_declared_schema
from aeon.skills.plan_json import ToolErrorJson

_LAST_LINES = 3
_MESSAGE = 500
"""Maximum characters of a script's own text in an error."""

_PROBLEMS = 20
"""Maximum number of problems of one value in an error."""

_LIMIT_MESSAGES = {
    "File too large": "bytes written, [skills] written_mb",
    "MemoryError": "memory, [skills] memory_mb",
    "Cannot allocate memory": "memory, [skills] memory_mb",
    "heap out of memory": "memory, [skills] memory_mb",
    "Too many open files": "open files, [skills] open_files",
}
"""Messages that programs print when the kernel enforces a limit, with the limit (skills 18)."""

_REPEATED = re.compile(r"^(?:NameError|SyntaxError|IndentationError|ImportError|ModuleNotFoundError): ", re.MULTILINE)
_USAGE = re.compile(r"^usage: ", re.MULTILINE | re.IGNORECASE)
_USAGE_CODE = 2
"""How programs end, as those with argparse, that were given wrong arguments: they say their usage."""

_NODE_PACKAGE = re.compile(r"Cannot find (?:module|package) '((?:@[^'/]+/)?[^'./@][^'/]*)(?:/[^']*)?'")
"""What Node.js says about a package that is missing; a path is the skill's own file."""
_EXCEPTION = re.compile(r"[\w.]+(?:Error|Exception|Exit|Interrupt|Warning)(?:: .*)?")
"""The last line of a Python traceback: it says all that matters."""

_EXIT_FAILURES = {
    ScriptExitReason.NOT_STARTED: (FailureClass.CANNOT_START, "The script could not be started"),
    ScriptExitReason.OUTPUT_EXCEEDED: (FailureClass.OUTPUT_LIMIT, "The script wrote too much and was ended"),
    ScriptExitReason.RESOURCES_EXCEEDED: (FailureClass.RESOURCE_LIMIT, "The script exceeded a limit and was ended"),
    ScriptExitReason.CANCELLED: (FailureClass.CANCELLED, "The script was ended because the run was cancelled"),
}


class NodeFailure(NamedTuple):
    """Why a node, or one attempt at it, failed."""

    kind: FailureClass
    message: str
    exit_code: int | None = None
    next_step: str | NextStep = ""

    def as_error(self) -> ToolErrorJson:
        """Returns the failure under the published names."""
        return ToolErrorJson(
            type=self.kind.value, message=self.message, exit_code=self.exit_code, next_step=self.next_step
        )


def judge_result(result: InvocationResult, script: SkillScript, invocation: Invocation) -> JsonObject | NodeFailure:
    """Returns the output of a successful invocation, else its failure."""
    failure = (
        _exit_reason_failure(result, invocation.timeout)
        or _exit_code_failure(result, script, invocation)
        or _protocol_failure(result, script)
    )
    if failure is not None:
        return failure
    try:
        patched = (
            apply_patches({}, state_patches(result.events))
            if script.protocol == "ndjson"
            else _plain_output(result.stdout)
        )
    except UnicodeDecodeError as error:
        message = f"The script's output is not UTF-8 text, first at byte {error.start}"
        return NodeFailure(FailureClass.PROTOCOL_VIOLATION, f"{message}.", result.exit_code)
    except MergeDepthError as error:
        return NodeFailure(FailureClass.PROTOCOL_VIOLATION, f"A state patch: {error}", result.exit_code)
    return _validated_output({**_assets_and_summary(result.events), **patched}, patched, script)


def join_problems(problems: Sequence[object]) -> str:
    """Returns the problems as the end of a message."""
    more = f"; and {len(problems) - _PROBLEMS} more" if len(problems) > _PROBLEMS else ""
    return "; ".join(str(problem) for problem in problems[:_PROBLEMS]) + more


def _exit_reason_failure(result: InvocationResult, timeout: float) -> NodeFailure | None:
    if result.exit_reason is ScriptExitReason.EXITED:
        return None
    if result.exit_reason is ScriptExitReason.TIMED_OUT:
        message = f"The script was ended after {timeout:g} s{_last_words(result.stderr)}"
        return NodeFailure(FailureClass.TIMEOUT, message, result.exit_code)
    kind, message = _EXIT_FAILURES[result.exit_reason]
    detail = f": {result.problem}" if result.problem else "."
    return NodeFailure(kind, message + detail, result.exit_code)


def _exit_code_failure(result: InvocationResult, script: SkillScript, invocation: Invocation) -> NodeFailure | None:
    if result.exit_code == 0:
        return None
    code, skill = result.exit_code, script.tool_path.partition("/")[0]
    own_text = _with_short_path(_own_text(result), script, invocation)
    if package := _NODE_PACKAGE.search(own_text):
        message = (
            f"The script needs the Node.js package {package[1]!r}, which Aeon does not install. Run `npm install` in "
            f"the folder of the skill {skill}, and then trust it again."
        )
        return NodeFailure(FailureClass.DEFECT, message, code)
    message = f"The script was ended by {_signal(-code)}" if code is not None and code < 0 else f"Exit code {code}"
    missing = find_missing_grant(own_text[-_MESSAGE:], skill, result, invocation)
    message += f" ({missing.reason})" if missing else _limit(result)
    violation = f"; it had also broken the protocol: {result.violation}" if result.violation else ""
    error_messages = _error_messages(result.events)
    return NodeFailure(
        FailureClass.NOT_GRANTED if missing else _kind_of_exit(result),
        f"{message}{violation}{f': {error_messages}' if error_messages else _last_words(own_text)}",
        code,
        missing.next_step if missing else "",
    )


def _with_short_path(text: str, script: SkillScript, invocation: Invocation) -> str:
    """Returns the text with the script's name in place of its long path, that of a verified copy."""
    paths = [word for word in invocation.command if word.endswith(f"/{script.tool_path}")]
    return text.replace(paths[0], script.tool_path) if paths else text


def _kind_of_exit(result: InvocationResult) -> FailureClass:
    """Returns why a script ended with an error: what each attempt would repeat is not tried again."""
    last = _own_text(result)[-_MESSAGE:]
    if result.exit_code == _USAGE_CODE and _USAGE.search(_own_text(result)):
        return FailureClass.INVALID_INPUT
    return FailureClass.DEFECT if _REPEATED.search(last) else FailureClass.EXIT_CODE


def _own_text(result: InvocationResult) -> str:
    """Returns the script's own text about its failure: many published scripts print it to stdout."""
    return result.stderr if result.stderr.strip() else result.stdout.decode(errors="replace")


def _limit(result: InvocationResult) -> str:
    """Returns the exceeded limit or the missing package, from the exit code or the output, as a part of a sentence."""
    last = _own_text(result)[-_MESSAGE:]
    if result.exit_code == -signal.SIGXFSZ:
        return f" (a limit: {_LIMIT_MESSAGES['File too large']})"
    if "No module named" in last:
        return (
            " (the packages that a skill lists in requirements.txt are installed with --allow-install, others with "
            "--with PACKAGE)"
        )
    return next((f" (a limit: {limit})" for phrase, limit in _LIMIT_MESSAGES.items() if phrase in last), "")


def _protocol_failure(result: InvocationResult, script: SkillScript) -> NodeFailure | None:
    if result.violation is not None:
        message = f"The script broke the protocol: {result.violation}{_last_words(result.stderr)}"
        return NodeFailure(FailureClass.PROTOCOL_VIOLATION, message, result.exit_code)
    if script.protocol == "plain":
        return None
    done = next((event for event in result.events if event.get("type") == "done"), None)
    if done is None:
        message = f"The script ended without a done event{_last_words(result.stderr)}"
        return NodeFailure(FailureClass.PROTOCOL_VIOLATION, message, result.exit_code)
    if done.get("ok") is True:
        return None
    message = _error_messages(result.events) or str(
        done.get("summary") or "The script reported a failure without a reason."
    )
    return NodeFailure(FailureClass.CONTROLLED, message[:_MESSAGE], result.exit_code)


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
    """Returns the output if it fits its schema.

    Assets and summary are checked only if the schema names them.
    """
    check = compile_declared_schema(script.output_schema)
    if check is None:
        return output
    if isinstance(check, str):
        return NodeFailure(
            FailureClass.CONFIGURATION, f"The script's output schema is not a valid JSON Schema: {check}"
        )
    named: JsonObject = check.schema.get("properties") or {}
    shown = {key: value for key, value in output.items() if key in patched or (key in ADDED_OUTPUT and key in named)}
    if check.is_valid(shown):
        return output
    problems = join_problems(check.problems(shown))
    return NodeFailure(FailureClass.INVALID_OUTPUT, f"The output does not fit the script's output schema: {problems}")


def _error_messages(events: Sequence[JsonObject]) -> str:
    """Returns the text of the script's error events."""
    messages = [
        f"{event.get('errorCode')}: {event.get('errorMessage')}" for event in events if event.get("type") == "error"
    ]
    return "; ".join(messages)[:_MESSAGE]


def _last_words(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    if lines and _EXCEPTION.fullmatch(lines[-1]):
        lines = lines[-1:]
    return f": {' / '.join(lines[-_LAST_LINES:])[-_MESSAGE:]}" if lines else "."


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_ENVELOPE = frozenset({"version", "type", "ok", "level"})
"""Fields whose values are the protocol's own terms (skills 2); a secret equal to one of them is not masked there."""


def mask_result(mask: Mask, result: InvocationResult) -> InvocationResult:
    """Returns `outcome` with secrets masked, except in `stdout`, which is still unparsed bytes.

    The events of the result are a decoded list.
    """
    if mask.is_empty:
        return result._replace(events=[*result.events])
    return result._replace(
        events=[_masked_event(mask, event) for event in result.events],
        stderr=mask.tail(result.stderr),
        violation=_optional(mask, result.violation),
        problem=_optional(mask, result.problem),
    )


def _masked_event(mask: Mask, event: JsonObject) -> JsonObject:
    """Returns the event with masked values, except for field names and the protocol's own terms."""
    return {name: value if name in _ENVELOPE else mask.value(value) for name, value in event.items()}


def _optional(mask: Mask, text: str | None) -> str | None:
    return None if text is None else mask.text(text)


def with_absolute_paths(result: InvocationResult, cwd: Path) -> InvocationResult:
    """Returns `outcome` with absolute asset paths; `cwd` is the script's working folder."""
    if not any(event.get("type") == "asset" for event in result.events):
        return result
    return result._replace(events=[_absolute(event, cwd) for event in result.events])


def _absolute(event: JsonObject, cwd: Path) -> JsonObject:
    return {**event, "path": str(cwd / event["path"])} if event.get("type") == "asset" else event
