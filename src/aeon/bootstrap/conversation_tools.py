"""Chooses the tools that may help with a message of a conversation."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from aeon.adapters.operations.assisted_reply import OfferedTools, ToolQuestion
from aeon.adapters.web.fetch import FetchTool
from aeon.base.errors import ToolDefinitionError
from aeon.memory.kv_store import InMemoryKVStore
from aeon.plan.parser import build_plan
from aeon.tools.attachments import Attachments
from aeon.tools.interface import Tool
from aeon.tools.memory_requests import related_keys
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools, memory_tools
from aeon.tools.stubs.memory import MemoryReadTool, MemoryRecallTool, MemorySearchTool
from aeon.tools.stubs.stored_values import user_keys
from aeon.tools.table_queries import query_plan, table_tools
from aeon.tools.table_requests import asks_of_table
from aeon.tools.table_texts import read_tables

if TYPE_CHECKING:
    from aeon.bootstrap.app import App

_MAX_STORED = 8
"""Stored tools that a planner sees for one message."""

_RELATED = 2
"""Hits from which a stored tool is related to a message."""

_WORD = re.compile(r"[^\W_]{4,}")


class ConversationTools:
    """Offers the built-in tools, skills and stored tools that suit a message.

    What belongs to the folder (its memory, its files, its skills) is offered only to the folder's owner. Hosts that the
    message names may be asked for pages; what stands before it may have been imported, so it grants nothing.
    """

    def __init__(self, app: "App", owner: str | None) -> None:
        """`owner` is the user to whom the folder belongs; with None, it is offered to nobody."""
        self._app = app
        self._owner = owner

    def __call__(self, question: ToolQuestion) -> OfferedTools | None:
        """Return the tools for a message; None if none suits it. With a text, those that query it as a table."""
        if question.texts:
            return self._of_tables(question)
        is_own = question.user == self._owner
        memory = self._app.memory if is_own else InMemoryKVStore()
        registry = self._own_tools(question) if is_own else _pure_tools()
        added = [*(self._app.skill_tools(question.message) if is_own else ()), *self._stored(question)]
        for tool in added:
            with suppress(ToolDefinitionError):  # `aeon skill check` and `aeon tool check` report these
                registry.register(tool)
        plan = registry.offer(question.message).plan
        is_alone = plan is not None and all("tool" not in step for step in plan["steps"])
        return None if is_alone else OfferedTools(registry, memory, self._app.settings.run.ttl)

    def _of_tables(self, question: ToolQuestion) -> OfferedTools | None:
        """Return the tools for a message about tables, with the plan; None if it is about another text or wants one."""
        tables = read_tables(question.texts) if asks_of_table(question.message) else {}
        if not tables:
            return None
        digests = Attachments(question.texts).digests
        plan = build_plan(query_plan(question.message, digests))
        registry = ToolRegistry(table_tools(tables, digests))
        return OfferedTools(registry, InMemoryKVStore(), self._app.settings.run.ttl, plan)

    def _own_tools(self, question: ToolQuestion) -> ToolRegistry:
        registry = self._app.registry.snapshot()
        registry.unregister(FetchTool.name)
        registry.register(FetchTool(question.message, self._app.settings.tools.allow_hosts))
        registry.unregister(MemoryRecallTool.name)  # else the folder's values alone would answer what was said in talks
        if not related_keys(question.message, user_keys(self._app.memory)):
            registry.unregister(MemoryReadTool.name)
            registry.unregister(MemorySearchTool.name)
        return registry

    def _stored(self, question: ToolQuestion) -> "Iterator[Tool]":
        """Yield the user's stored tools whose name or description the message speaks of, the nearest first."""
        words = _words(question.message)
        candidates = self._app.platform().tools_for_kernel(question.user, with_shipped=False)
        ranked = sorted(((_hits(tool, words), tool) for tool in candidates), key=lambda each: -each[0])
        yield from (tool for hits, tool in ranked[:_MAX_STORED] if hits >= _RELATED)


def _pure_tools() -> ToolRegistry:
    memory = InMemoryKVStore()
    kept = {tool.name for tool in memory_tools(memory)}
    return ToolRegistry([each for each in builtin_tools(memory) if each.name not in kept], plans_always=False)


def _hits(tool: Tool, words: set[str]) -> int:
    """Words of a message that a tool has; one of its name counts twice."""
    return 2 * len(words & _words(tool.name)) + len(words & _words(tool.description))


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}
