"""How answers in conversations are asked for, for what has to know their budget."""

from typing import cast

from aeon.application.default_catalog import REPLY_TOOL, ensure_default_tool
from aeon.bootstrap.platform import Platform
from aeon.platform.catalog.model import Tool
from aeon.platform.catalog.operations import ConversationReply
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.memory.working_memory import ReplyForm


def default_reply_form(platform: Platform, context: int) -> ReplyForm:
    """Return the form of answers by the Process that answers unless another is chosen. Raises StoreError."""
    ensure_default_tool(platform, REPLY_TOOL)
    tool = platform.catalog.tools.find_own(DEFAULTS_OWNER, REPLY_TOOL)
    operation = cast(ConversationReply, cast(Tool, tool).operation)
    return ReplyForm.of(operation, context, platform.catalog.ledger.now())
