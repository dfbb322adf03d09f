"""`aeon catalog search`: finds things by words of their names and descriptions."""

from aeon.base.errors import InputError
from aeon.base.json import Json
from aeon.cli.codes import Code
from aeon.cli.platform.opening import opened
from aeon.cli.say import put, say
from aeon.cli.text import COLUMNS, clean, one_line, pretty
from aeon.platform.search.index import LABELS, Hit, TextIndex


def search_things(text: str, kind: str | None, user: str, *, as_json: bool) -> int:
    """Print the things that have the words, the best first. Raises InputError for an unknown kind."""
    if kind is not None and kind not in LABELS:
        raise InputError(f"There is no search for the kind {kind!r}.", next_step=f"Name one of {', '.join(LABELS)}.")
    with opened(user) as platform:
        found = TextIndex(platform.store).find(user, text, kind and [kind])
    if as_json:
        put(pretty([_as_data(hit) for hit in found]))
    else:
        for hit in found:
            put(one_line(_as_line(hit, user), COLUMNS))
    if not found:
        say("nothing found")
    return Code.DONE


def _as_data(hit: Hit) -> Json:
    return {
        "kind": hit.kind,
        "id": hit.id,
        "name": hit.name,
        "ownerId": hit.owner_id,
        "description": hit.description,
        "score": hit.score,
    }


def _as_line(hit: Hit, user: str) -> str:
    whose = "" if hit.owner_id == user else f" (of {hit.owner_id}, {hit.id})"
    return clean(f"{hit.kind} {hit.name}{whose} {hit.description}")
