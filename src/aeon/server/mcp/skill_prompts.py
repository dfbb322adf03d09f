"""Offers instruction-only skills as MCP prompts: the client's own model follows them (skills 14)."""

from typing import TYPE_CHECKING

from aeon.application.skills import instructions_of
from aeon.base.json import encodable_text
from aeon.bootstrap.app import App

if TYPE_CHECKING:
    from mcp.types import GetPromptRequestParams, GetPromptResult, ListPromptsResult, PromptArgument

_ARGUMENT = "arguments"


class SkillPrompts:
    """Lists and gives the prompts of one client."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def list_prompts(self, _context: object, _params: object) -> "ListPromptsResult":
        """Return all prompts, on one page."""
        from mcp.types import ListPromptsResult, Prompt

        return ListPromptsResult(
            prompts=[
                Prompt(
                    name=encodable_text(skill.name),
                    description=encodable_text(skill.description),
                    arguments=[_argument(skill.usage.argument_hint or "The request.")],
                )
                for skill in self._app.skills.instructions()
            ]
        )

    async def get_prompt(self, _context: object, params: "GetPromptRequestParams") -> "GetPromptResult":
        """Return a skill's instructions as a message. Raises MCPError for an unknown name, SkillError."""
        from mcp import MCPError
        from mcp.types import INVALID_PARAMS, GetPromptResult, PromptMessage, TextContent

        skill = next((each for each in self._app.skills.instructions() if each.name == params.name), None)
        if skill is None:
            raise MCPError(code=INVALID_PARAMS, message=f"There is no prompt {params.name!r}.")
        arguments = (params.arguments or {}).get(_ARGUMENT, "")
        text = instructions_of(skill, arguments).text
        content = TextContent(text=encodable_text(f"{text}\n\nRequest: {arguments}" if arguments else text))
        return GetPromptResult(
            description=encodable_text(skill.description), messages=[PromptMessage(role="user", content=content)]
        )


def _argument(description: str) -> "PromptArgument":
    from mcp.types import PromptArgument

    return PromptArgument(name=_ARGUMENT, description=encodable_text(description))
