"""Make docs/reference.md from the code: the public face, the ports, the commands, the settings.

Run it as `python docs/make_reference.py [--check]`.
"""

import importlib
import inspect
import os
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from enum import Enum
from io import StringIO
from pathlib import Path
from typing import Any

from typer.main import get_command

from aeon.cli.app import app_for

_OBJECT = re.compile(r"<(?:built-in method|built-in function|function) (?:[\w.<>]+\.)?<?(\w+)>?[^<>]*>")
"""How Python shows a function as a default: with an address that is another one every time."""

_UNPACKED = re.compile(r"\*<class '([\w.]+)'>")
"""How Python before 3.13 shows the keyword arguments of a TypedDict."""

_MODULE = re.compile(r"(?<![\w.'])(?:[a-z_]\w*\.)+(?=[A-Za-z_])")
"""The module before a name, as in `collections.abc.Callable`."""

_PARTS = "aeon.application."
"""The room of the parts of a project, which have methods in common."""

_WIDTH = 100
_LONGEST_DEFAULT = 60

TARGET = Path(__file__).with_name("reference.md")

ROOMS = {
    "The public face": [("aeon", None)],
    "The parts of a project": [
        ("aeon.application.requests", ["RequestResult"]),
        ("aeon.llm.usage", ["Usage"]),
        ("aeon.application.pages", ["Page"]),
        ("aeon.application.conversations", ["ConversationService"]),
        ("aeon.application.answers", ["AnswerFollower"]),
        ("aeon.application.knowledge", ["KnowledgeService"]),
        ("aeon.application.processes", ["ProcessService"]),
        ("aeon.application.runs", ["RunService"]),
        ("aeon.application.run_follower", ["RunFollower"]),
        ("aeon.application.schedules", ["ScheduleService"]),
        ("aeon.application.webhooks", ["WebhookService"]),
        ("aeon.application.alerts", ["AlertService"]),
        ("aeon.application.tools", ["ToolService"]),
        ("aeon.application.secrets", ["SecretService"]),
        ("aeon.application.metrics", ["MetricsService"]),
        ("aeon.bootstrap.skills", ["Skills"]),
    ],
    "Model adapters": [
        ("aeon.llm.interface", ["LLMAdapter", "RequestAdapter", "LLMRequest", "LLMResponse"]),
        ("aeon.llm.adapters.remote_api", ["RemoteAPIAdapter"]),
        ("aeon.llm.adapters.vllm", ["VLLMAdapter"]),
        ("aeon.llm.adapters.llama_cpp", ["LlamaCppAdapter"]),
    ],
    "Running": [
        ("aeon.kernel.executor", ["StepExecutor", "StepExecutionResult"]),
        ("aeon.kernel.state", ["OrchestrationState"]),
        ("aeon.base.cancellation", ["on_cancel"]),
        ("aeon.supervisor.models", ["SupervisorAction"]),
        ("aeon.observability.records", ["ToolCall", "LogEntry"]),
        ("aeon.observability.log", ["LogHistory", "read_log"]),
        ("aeon.kernel.state", ["restore_state"]),
        ("aeon.kernel.replay", ["replay"]),
    ],
    "Skills": [
        ("aeon.skills.models", ["Skill", "SkillScript", "SkillCatalog", "ErrorState"]),
        ("aeon.skills.discovery.search", ["SkillRoot", "default_roots", "discover"]),
        ("aeon.skills.discovery.library", ["SkillLibrary"]),
        ("aeon.skills.plan_json", ["PlanJson", "ToolInvocation", "ExecutionResult", "ToolResult"]),
        ("aeon.skills.plan.check", ["check_plan"]),
        ("aeon.skills.failures", ["FailureClass", "Blame"]),
        ("aeon.skills.executor.plan_executor", ["PlanExecutor"]),
        ("aeon.skills.executor.state_patches", ["replay_state"]),
        (
            "aeon.skills.invocation",
            ["Invocation", "ScriptAccess", "InvocationResult", "Cancellation", "OutputBudget"],
        ),
        ("aeon.skills.sandbox", ["SandboxRunner"]),
        ("aeon.skills.planner.model_planner", ["ModelPlanner"]),
        ("aeon.skills.replan", ["Replanner"]),
        ("aeon.skills.tool", ["SkillTool"]),
    ],
    "The platform": [
        (
            "aeon.platform.store",
            ["Store", "UnitOfWork", "DialectQuery", "StoreError", "StoreUnavailableError", "GuardError"],
        ),
        ("aeon.platform.vault", ["Vault", "SecretKey", "SecretValue"]),
        ("aeon.platform.ledger", ["MutationRequest", "Ledger"]),
        ("aeon.platform.catalog.service", ["Catalog"]),
        (
            "aeon.platform.catalog.model",
            ["NewService", "NewSecret", "NewTool", "NewServiceTemplate", "NewToolTemplate"],
        ),
        (
            "aeon.platform.catalog.operations",
            ["GraphQuery", "RestRequest", "LlmCall", "McpCall", "OperationError"],
        ),
        (
            "aeon.platform.catalog.tool_calls",
            ["StoredToolCaller", "OperationExecutor", "OperationRequest", "OperationResult", "ToolCallResult"],
        ),
        ("aeon.platform.catalog.apply", ["Applier", "ApplyStep"]),
        ("aeon.platform.catalog.health", ["HealthChecks", "HealthProbe"]),
        ("aeon.platform.search.index", ["TextIndex", "SearchHit"]),
        ("aeon.platform.exports.transfer", ["export", "load", "copy"]),
        ("aeon.platform.projection", ["Projector", "GraphTarget", "ProjectionStatus"]),
        ("aeon.adapters.store.sqlite.factory", ["open_sqlite"]),
        ("aeon.adapters.store.postgresql", ["open_postgresql", "migrate", "roll_back"]),
    ],
    "For your tests": [
        ("aeon.testing.llm", ["ScriptedAdapter"]),
        ("aeon.testing.llm_conformance", ["AdapterConformance"]),
        ("aeon.testing.memory_conformance", ["MemoryConformance"]),
        ("aeon.testing.clock", ["FakeClock"]),
        ("aeon.testing.scripts", ["ScriptedRunner", "ShuffledLoop"]),
        ("aeon.testing.store", ["StoreConformance"]),
        ("aeon.testing.projection", ["TargetConformance", "InMemoryGraph"]),
        ("aeon.testing.records", ["new_record"]),
        ("aeon.testing.postgres_server", ["PostgresTestServer"]),
        ("aeon.testing.vault", ["InMemoryVault", "VaultConformance"]),
        ("aeon.testing.neo4j_server", ["Neo4jTestServer"]),
    ],
}


_BESIDE = (
    "Pages beside this one: [settings](settings.md), [exit codes](exit-codes.md), [errors](errors.md), "
    "[events](events.md), [glossary](glossary.md)."
)


def main() -> None:
    head = ["# Reference", "", "Made from the code by `python docs/make_reference.py`.", "", _BESIDE]
    made = "\n".join([*head, *_code(), *_commands()]) + "\n"
    if "--check" not in sys.argv:
        TARGET.write_text(made)
    elif TARGET.read_text() != made:
        sys.exit("docs/reference.md is stale; run: python docs/make_reference.py")


def _code() -> list[str]:
    lines: list[str] = []
    for title, modules in ROOMS.items():
        lines += ["", f"## {title}"]
        for name, members in modules:
            module = importlib.import_module(name)
            for member in members or [one for one in module.__all__ if not one.startswith("__")]:
                lines += _entry(member, getattr(module, member), name)
    return lines


def _entry(name: str, value: object, module: str) -> list[str]:
    lines = ["", f"### {name}", "", f"`from {module} import {name}`", ""]
    if inspect.isclass(value) or inspect.isfunction(value):
        lines += _block(f"{name}{_signature(value, name)}")
    lines.append(inspect.getdoc(value) or "")
    if inspect.isclass(value):
        for method, body in _members(value).items():
            if isinstance(body, property) and body.__doc__:
                lines += ["", f"`{method}`: {inspect.getdoc(body)}"]
            elif inspect.isfunction(body) and body.__doc__:
                lines += ["", *_block(f"{method}{_signature(body, method)}"), inspect.getdoc(body) or ""]
    return lines


def _members(value: type) -> dict[str, object]:
    """The public members of a class, and those that a part of a project has of a class beside it."""
    shared = [each for each in value.__mro__[1:] if each.__module__.startswith(_PARTS)]
    found = {name: body for each in [*reversed(shared), value] for name, body in vars(each).items()}
    return {name: body for name, body in found.items() if not name.startswith("_")}


def _block(code: str) -> list[str]:
    return ["```text", code, "```", ""]


def _signature(value: object, name: str) -> str:
    """The signature as a person would write it: names without their modules, a parameter a line where it is long."""
    if inspect.isclass(value) and issubclass(value, Enum):
        return "(value)"  # Python's versions tell its other parameters differently
    try:
        signature = inspect.signature(value)  # type: ignore[arg-type]
    except ValueError:
        return ""
    parameters = _parameters(signature)
    result = "" if signature.return_annotation is inspect.Signature.empty else _plain(str(signature).rpartition(")")[2])
    line = f"({', '.join(parameters)}){result}"
    if len(name) + len(line) <= _WIDTH:
        return line
    return "(\n" + "".join(f"    {parameter},\n" for parameter in parameters) + f"){result}"


def _parameters(signature: inspect.Signature) -> list[str]:
    """The parameters as text, without `self`, and with the `*` before those that are given by name only."""
    found: list[str] = []
    needs_star = True
    for name, parameter in signature.parameters.items():
        if name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and needs_star:
            found.append("*")
        needs_star = needs_star and parameter.kind not in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        found.append(_plain(str(_shortened(parameter))).replace("= Ellipsis", "= ..."))
    return found


def _shortened(parameter: inspect.Parameter) -> inspect.Parameter:
    """The parameter without a long text as its default, such as a prompt."""
    is_long = isinstance(parameter.default, str | bytes) and len(parameter.default) > _LONGEST_DEFAULT
    return parameter.replace(default=...) if is_long else parameter


def _plain(text: str) -> str:
    return _MODULE.sub("", _OBJECT.sub(r"\1", _UNPACKED.sub(r"Unpack[\1]", text)))


def _commands() -> list[str]:
    lines = ["", "## Commands"]
    command: Any = get_command(app_for([]))
    os.environ["COLUMNS"] = "80"
    for words in _names(command):
        with redirect_stdout(StringIO()) as printed:
            command.main([*words, "--help"], prog_name="aeon", standalone_mode=False)
        lines += ["", f"### aeon {' '.join(words)}", "", "```text", printed.getvalue().strip(), "```"]
    return lines


def _names(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of each command below this one, in the order of the help."""
    if not hasattr(command, "commands"):
        yield words
        return
    if command.invoke_without_command and words:
        yield words
    for name, inner in command.commands.items():
        yield from _names(inner, (*words, name))


if __name__ == "__main__":
    main()
