"""`RegisteredToolService`: the tools that need no record: built-in ones, installed ones, and the scripts of skills."""

from collections.abc import Sequence

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.next_steps import NextStep
from aeon.base.suggestions import closest_name
from aeon.bootstrap.app import App
from aeon.platform.errors import NotFoundError
from aeon.tools.registry import RegisteredTool

_MAX_PROBLEMS = 20
"""The most problems of arguments that a message lists."""


class RegisteredToolService:
    """The registered tools of an app, with those for its folder's files and for pages."""

    def __init__(self, app: App) -> None:
        """The caller closes `app`."""
        self._app = app
        app.allow_files(app.folder)
        app.allow_pages("")

    def list_all(self) -> list[JsonObject]:
        """Every tool as prompts show it, with its source: built-in or skill."""
        built_in = self._app.registry.list_all()
        self._app.register_skills("", self._app.skills.tool_names())
        exported = self._app.registry.export_tools_for_llm()
        return [{**each, "source": "built-in" if each["name"] in built_in else "skill"} for each in exported]

    def get(self, name: str, others: Sequence[str] = ()) -> JsonObject:
        """A tool as prompts show it. Raises NotFoundError, with the nearest name, also of `others`."""
        return self._find(name, others).exported

    def call(self, name: str, arguments: JsonObject, others: Sequence[str] = ()) -> Json:
        """Call a tool; it may fetch pages of the hosts that the arguments name.

        Raises NotFoundError as `get` does, InputError for arguments that do not fit, ToolError if it fails.
        """
        from aeon.tools.invocation import ToolInvoker  # slow to load
        from aeon.validation.schema import argument_problems

        self._app.allow_pages(canonical_json(arguments))
        registered = self._find(name, others)
        if problems := argument_problems(arguments, registered.input):
            listed = "\n".join(f"  {problem}" for problem in problems[:_MAX_PROBLEMS])
            raise InputError(
                f"The arguments do not fit {name!r}:\n{listed}",
                next_step=NextStep("tools.show", tool=name),
                problems=[str(problem) for problem in problems],
            )
        invoker = ToolInvoker()
        try:
            return invoker.invoke(registered, arguments)
        finally:
            invoker.close()

    def _find(self, name: str, others: Sequence[str]) -> RegisteredTool:
        """Return a registered tool, or a skill's script by its tool name. Raises NotFoundError."""
        registry = self._app.registry
        self._app.register_skills("", [name])
        registered = registry.lookup(name)
        if registered is None:
            near = closest_name(name, [*registry.list_all(), *self._app.skills.tool_names(), *others])
            suggestion = f" Did you mean {near!r}?" if near else ""
            raise NotFoundError(f"There is no tool {name!r}.{suggestion}", next_step=NextStep("tools.list"))
        return registered
