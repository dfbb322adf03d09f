"""`aeon tool cache`: what pure tools came to, which runs use again."""

from aeon.cli.codes import ExitCode
from aeon.cli.platform.runs import runtime_session
from aeon.cli.say import print_data

_MAX_TOOLS = 10_000


def clear_cache(name: str | None, user: str) -> int:
    """Forget what is kept of the user's own tool, or of all. Raises NotFoundError, ForbiddenError."""
    with runtime_session(user) as runner:
        tools = runner.platform.catalog.tools
        found = (
            tools.list_own(user, limit=_MAX_TOOLS) if name is None else [tools.get_own(user, tools.find(user, name).id)]
        )
        removed = sum(runner.cache.clear(each.id) for each in found)
    print_data(f"removed {removed} kept result(s)")
    return ExitCode.DONE
