"""Facets as lines of a form: `status: active, away`, a facet a line."""

from collections.abc import Sequence

from aeon.base.json import JsonObject
from aeon.platform.errors import RuleError


def written_facets(facets: JsonObject) -> str:
    """Facets as the form shows them."""
    return "\n".join(f"{name}: {_joined(values)}" for name, values in facets.items())


def changed_facets(typed: str, shown: str) -> JsonObject:
    """What was changed of facets, by name, from what the form showed; a facet without values is removed.

    Lines that stand as they were shown are not a change. Raises RuleError for a line without a colon.
    """
    before, after = _lines(shown), _lines(typed)
    removed: JsonObject = {name: [] for name in before if name not in after}
    changed = {name: line for name, line in after.items() if before.get(name) != line}
    return {**removed, **{name: [*_values(line)] for name, line in changed.items()}}


def _joined(values: Sequence[str]) -> str:
    return ", ".join(" ".join(value.split()) for value in values)


def _lines(text: str) -> dict[str, str]:
    """The values of each facet, as they are written, by name."""
    return dict(_split(line) for line in text.splitlines() if line.strip())


def _split(line: str) -> tuple[str, str]:
    name, mark, values = line.partition(":")
    if not mark:
        raise RuleError(
            f"{line.strip()!r} is not a facet.",
            rule="facets",
            field="$.facets",
            next_step="Write each on a line of its own, as status: active.",
        )
    return name.strip(), values.strip()


def _values(line: str) -> list[str]:
    return [value.strip() for value in line.split(",") if value.strip()]
