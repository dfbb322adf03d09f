"""`aeon tools`: the registered tools, and calling one by hand."""

import sys
from contextlib import redirect_stdout

from aeon.base.errors import InputError
from aeon.base.spelling import nearest
from aeon.bootstrap.app import App
from aeon.cli.codes import Code
from aeon.cli.intake import read_object
from aeon.cli.say import put
from aeon.cli.session import opened, settings_here
from aeon.cli.text import COLUMNS, clean, one_line, pretty, wrapped
from aeon.tools.invocation import ToolCaller
from aeon.tools.registry import Registered
from aeon.validation.schema import argument_problems


def list_tools(*, as_json: bool) -> int:
    """Every tool: as lines of name and description, or as data."""
    with opened(settings_here()) as app:
        exported = app.registry.export_tools_for_llm()
    if as_json:
        put(pretty(exported))
        return Code.DONE
    width = max((len(clean(tool["name"])) for tool in exported), default=0)
    for tool in exported:
        put(f"{clean(tool['name']):<{width}}  {one_line(tool['description'], max(20, COLUMNS - width - 2))}")
    return Code.DONE


def show_tool(name: str, *, as_json: bool) -> int:
    """One tool with everything a prompt shows of it. Raises InputError for an unknown name."""
    with opened(settings_here()) as app:
        exported = _registered(app, name).exported
    if as_json:
        put(pretty(exported))
        return Code.DONE
    put("\n".join(wrapped(f"{exported['name']}: {exported['description']}", COLUMNS)))
    for field in ("input_schema", "output_schema", "example"):
        if field in exported:
            put(f"\n{field}:\n{pretty(exported[field])}")
    return Code.DONE


def call_tool(name: str, argument: str, *, as_json: bool) -> int:
    """Call a tool. Raises InputError for arguments that do not fit, ToolError when the tool fails."""
    arguments = read_object(argument)
    with opened(settings_here()) as app:
        registered = _registered(app, name)
        problems = argument_problems(arguments, registered.input)
        if problems:
            listed = "\n".join(f"  {problem}" for problem in problems[:20])
            raise InputError(
                f"The arguments do not fit {name!r}:\n{listed}",
                next_step=f"See `aeon tools show {name}`.",
                problems=[str(problem) for problem in problems],
            )
        caller = ToolCaller()
        try:
            with redirect_stdout(sys.stderr):
                result = caller.call(registered, arguments)
        finally:
            caller.close()
    put(pretty({"tool": name, "arguments": arguments, "result": result} if as_json else result))
    return Code.DONE


def _registered(app: App, name: str) -> Registered:
    """A tool that is registered, or a skill's script by its name as a tool. Raises InputError for neither."""
    registry = app.registry
    app.offer_skills("", [name])
    found = registry.lookup(name)
    if found is None:
        near = nearest(name, [*registry.list_all(), *app.skills.tool_names()])
        meant = f" Did you mean {near!r}?" if near else ""
        raise InputError(
            f"There is no tool {name!r}.{meant}", next_step=f"Registered are {', '.join(registry.list_all())}."
        )
    return found
