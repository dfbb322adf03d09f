"""Names of properties that a query mentions in `{name: value}`.

The engine keeps a query's plan with the numbers of these names in it, also when the query fails and the names that it
brought are taken back. Asked again, it would write under these numbers, which may be other names' by then. So names are
made known before a query that mentions them is asked for the first time (decision 29).
"""

import re
from functools import lru_cache

_NAME = re.compile(r"[{,]\s*(?:`([^`]+)`|(\w+))\s*:")


@lru_cache(maxsize=4096)
def mentioned(query: str) -> frozenset[str]:
    """All of them, and perhaps some that stand in a text: knowing too many does no harm."""
    return frozenset(quoted or plain for quoted, plain in _NAME.findall(query))
