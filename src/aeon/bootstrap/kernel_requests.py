"""Runs requests by the kernel of an app: the tools of a run, its log and what it used."""

import secrets
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from aeon.adapters.operations.own_operations import KernelAnswer
from aeon.base.errors import ToolDefinitionError
from aeon.base.loggers import logged_as
from aeon.kernel.state import OrchestrationState
from aeon.llm.usage import NO_PRICES, CallUsage, Prices, Usage, total_usage
from aeon.observability.log import JsonlLog, LogHistory
from aeon.observability.run_logger import logged_run
from aeon.platform.catalog.operations import TokenUsage
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from aeon.bootstrap.app import App


class AppAbilities:
    """The skills and the kernel of an app, for operations that Aeon executes itself."""

    def __init__(self, app: "App") -> None:
        """The caller closes `app`."""
        self._app = app

    @property
    def user(self) -> str:
        """The user to whom the folder belongs."""
        return self._app.user

    def script_tool(self, skill: str, script: str) -> Tool:
        """Return a script of a skill as a tool. Raises InputError, MissingExtraError."""
        return self._app.skills.script_tool(skill, script)

    def ask_kernel(self, request: str, is_cancelled: Callable[[], bool]) -> KernelAnswer:
        """Plan and run a request; its log is beside those of `aeon run`. Raises RequestError, LLMError, LogError."""
        app = self._app
        path = new_log_path(app.log_folder)
        tools = request_registry(app, request)
        with open_request_log(path) as log, logged_run("kernel", path.stem, app.known_secrets):
            kernel = app.orchestrator(ttl=app.settings.run.ttl, log=log, observer=None, tools=tools)
            result = kernel.execute(request, cancellation=is_cancelled)
        return KernelAnswer(result, _tokens(cast(OrchestrationState, result["final_state"])))


def new_log_path(folder: Path) -> Path:
    """Return the path for a new log in a folder; the names sort by start time."""
    return folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}.jsonl"


@contextmanager
def open_request_log(path: Path, after: LogHistory | None = None) -> Generator[JsonlLog]:
    """Open the log at `path`, and close it at the end; an empty one is removed. Raises LogError.

    Records of the standard logging that are made inside carry the name of the file, without its suffix, as `run_id`.
    """
    log = JsonlLog(path, after=after)
    try:
        with logged_as(path.stem):
            yield log
    finally:
        log.close()
        if not log.entries:
            path.unlink(missing_ok=True)


def request_registry(
    app: "App", request: str, named: Iterable[str | None] = (), tools: Iterable[Tool] = ()
) -> ToolRegistry:
    """Return a registry for one run alone: other runs are concurrent.

    It has the registered tools, `tools`, and the skills that are named or match the request. Raises ToolDefinitionError
    for one of `tools`.
    """
    registry = app.registry.snapshot()
    for tool in tools:
        registry.register(tool)
    for tool in app.skill_tools(request, named):
        with suppress(ToolDefinitionError):  # `aeon skill check` reports scripts that cannot be registered
            registry.register(tool)
    return registry


def request_usage(state: OrchestrationState, prices: Prices = NO_PRICES) -> Usage:
    """Return the model calls of a whole run, repairs and what was done before it was resumed included."""
    replies = [*state.llm_outputs, *(action.model_output or {} for action in state.supervisor_actions)]
    return total_usage((CallUsage.of_reply(reply) for reply in replies if "text" in reply), prices)


def _tokens(state: OrchestrationState) -> TokenUsage | None:
    usage = request_usage(state)
    model = usage.models[-1].model if usage.models else None
    if not usage.calls:
        return None
    return TokenUsage(usage.prompt_tokens, usage.completion_tokens, model, usage.calls)
