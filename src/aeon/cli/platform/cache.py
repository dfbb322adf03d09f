"""`aeon tool cache`: what pure tools came to, which runs use again."""

from aeon.cli.codes import Code
from aeon.cli.platform.runs import running
from aeon.cli.say import put

_MOST = 10_000


def clear_cache(name: str | None, user: str) -> int:
    """Forget what is kept of the user's own tool, or of all. Raises NotFoundError, ForbiddenError."""
    with running(user) as runner:
        tools = runner.platform.catalog.tools
        found = tools.page_of_own(user, limit=_MOST) if name is None else [tools.own(user, tools.find(user, name).id)]
        removed = sum(runner.cache.clear(each.id) for each in found)
    put(f"removed {removed} kept result(s)")
    return Code.DONE
