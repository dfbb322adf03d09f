"""The clients of operations, each loaded at the first call of its kind."""

from collections.abc import Callable, Iterator, Mapping
from threading import Lock
from typing import TYPE_CHECKING

from aeon.base.clock import SystemClock
from aeon.base.json import JsonObject
from aeon.platform.catalog.tool_calls import OperationExecutor

if TYPE_CHECKING:
    from aeon.bootstrap.platform import Platform


class OperationExecutors(Mapping[str, OperationExecutor]):
    """The executors of a platform by the type of operation, so that a command loads the clients that it uses only."""

    def __init__(self, platform: "Platform") -> None:
        self._platform = platform
        self._made: dict[str, OperationExecutor] = {}
        self._making = Lock()

    def __getitem__(self, operation: str) -> OperationExecutor:
        with self._making:  # made once for concurrent calls
            if operation not in self._made:
                self._made[operation] = _MAKERS[operation](self._platform)
            return self._made[operation]

    def __iter__(self) -> Iterator[str]:
        return iter(_MAKERS)

    def __len__(self) -> int:
        return len(_MAKERS)


class LazyTokenServer:
    """A `TokenServer` whose HTTP client is loaded when the first token is refreshed."""

    def refresh(self, value: JsonObject, *, allow_private: bool) -> JsonObject:
        from aeon.adapters.operations.oauth import HttpTokenServer

        return HttpTokenServer().refresh(value, allow_private=allow_private)


def _rest(_platform: "Platform") -> OperationExecutor:
    from aeon.adapters.operations.rest import RestExecutor

    return RestExecutor()


def _graph(platform: "Platform") -> OperationExecutor:
    from aeon.adapters.operations.graph import GraphExecutor

    return GraphExecutor(platform.store)


def _llm(platform: "Platform") -> OperationExecutor:
    from aeon.adapters.operations.llm import LlmExecutor

    return LlmExecutor(platform.model_for, platform.call_pieces)


def _reply(platform: "Platform") -> OperationExecutor:
    from aeon.adapters.operations.reply import ReplyExecutor

    return ReplyExecutor(
        platform.memory, platform.pieces, platform.model_for, platform.context, SystemClock(), platform.offer_tools
    )


def _mcp(platform: "Platform") -> OperationExecutor:
    return platform.mcp


def _skill_script(platform: "Platform") -> OperationExecutor:
    from aeon.adapters.operations.own_operations import SkillScriptExecutor

    return SkillScriptExecutor(platform.own_abilities)


def _agent(platform: "Platform") -> OperationExecutor:
    from aeon.adapters.operations.own_operations import AgentExecutor

    return AgentExecutor(platform.own_abilities)


_MAKERS: Mapping[str, Callable[["Platform"], OperationExecutor]] = {
    "rest_request": _rest,
    "graph_query": _graph,
    "llm_call": _llm,
    "conversation_reply": _reply,
    "mcp_call": _mcp,
    "skill_script": _skill_script,
    "agent_request": _agent,
}
