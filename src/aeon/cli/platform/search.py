"""`aeon catalog search`: finds things by words of their names and descriptions."""

from aeon.base.errors import InputError
from aeon.base.json import Json
from aeon.cli.codes import ExitCode
from aeon.cli.platform.opening import platform_session
from aeon.cli.say import print_data, print_message
from aeon.cli.text import COLUMNS, indented_json, one_line, printable
from aeon.platform.search.index import INDEXED_LABELS, SearchHit, TextIndex


def search_entities(text: str, kind: str | None, user: str, *, as_json: bool) -> int:
    """Print the things that have the words, the best first. Raises InputError for an unknown kind."""
    if kind is not None and kind not in INDEXED_LABELS:
        raise InputError(
            f"There is no search for the kind {kind!r}.", next_step=f"Name one of {', '.join(INDEXED_LABELS)}."
        )
    with platform_session(user) as platform:
        found = TextIndex(platform.store).search(user, text, kind and [kind])
    if as_json:
        print_data(indented_json([_hit_data(hit) for hit in found]))
    else:
        for hit in found:
            print_data(one_line(_hit_line(hit, user), COLUMNS))
    if not found:
        print_message("nothing found")
    return ExitCode.DONE


def _hit_data(hit: SearchHit) -> Json:
    return {
        "kind": hit.kind,
        "id": hit.id,
        "name": hit.name,
        "ownerId": hit.owner_id,
        "description": hit.description,
        "score": hit.score,
    }


def _hit_line(hit: SearchHit, user: str) -> str:
    whose = "" if hit.owner_id == user else f" (of {hit.owner_id}, {hit.id})"
    return printable(f"{hit.kind} {hit.name}{whose} {hit.description}")
