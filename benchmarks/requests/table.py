"""The figures of a run, as Markdown tables. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

Row = Mapping[str, Any]
"""One judged answer, as a line of the answers' file."""

HEAD = (
    "| model | system | split | {} | n | right | wrong, marked | wrong, unmarked | right, yet marked "
    "| s, p50 | s, p90 | first output s, p50 | plan s, p50 |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|"
)
RIGHT_AIM, UNMARKED_AIM, PLAN_AIM = 0.75, 0.05, 10.0
"""The aims with the standard model: at least this share right, at most this share wrong and unmarked, and a plan in
so many seconds (p50, warm)."""
AIMS_MODEL, AIMS_SYSTEM = "standard", "aeon"


def tables(rows: Sequence[Row]) -> str:
    """The table of all kinds together, by kind and by language, and the aims."""
    parts = [_table(rows, each) for each in ("of", "kind", "language")]
    return "\n\n".join([*parts, *aims(rows)])


def aims(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each split: every aim with its figure; nothing without answers that the aims are about."""
    for (model, system, split), group in _groups(rows, "model", "system", "split"):
        if (model, system) == (AIMS_MODEL, AIMS_SYSTEM):
            right, unmarked = (_share_of(group, verdict) for verdict in ("right", "wrong, unmarked"))
            plan = percentile([row["plan"] for row in group if row["plan"] is not None], 50)
            found = (
                f"right {right:.0%} (at least {RIGHT_AIM:.0%}: {_met(right >= RIGHT_AIM)})",
                f"wrong and unmarked {unmarked:.0%} (at most {UNMARKED_AIM:.0%}: {_met(unmarked <= UNMARKED_AIM)})",
                f"plan in {_seconds(plan)} s (at most {PLAN_AIM:.0f}: {_met(plan is not None and plan <= PLAN_AIM)})",
            )
            yield f"Aims, {model}, {split}: {'; '.join(found)}"


def percentile(values: Sequence[float], percent: int) -> float | None:
    """The value below which so many percent of the values lie; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    return median(ordered) if percent == 50 else ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def _table(rows: Sequence[Row], by: str) -> str:
    marked = [{**row, "of": "all"} for row in rows]
    lines = [_line(keys, group) for keys, group in _groups(marked, "model", "system", "split", by)]
    return "\n".join([HEAD.format(by), *lines])


def _groups(rows: Sequence[Row], *names: str) -> Iterator[tuple[tuple[str, ...], list[Row]]]:
    """The rows by these fields, in the order in which each combination first appears."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(str(row[name]) for name in names), []).append(row)
    yield from found.items()


def _line(keys: Sequence[str], group: Sequence[Row]) -> str:
    counts = [_count(group, verdict) for verdict in ("right", "wrong, marked", "wrong, unmarked")]
    yet_marked = sum(row["verdict"] == "right" and bool(row["marks"]) for row in group)
    seconds = [row["seconds"] for row in group]
    times = [percentile(seconds, 50), percentile(seconds, 90)]
    times += [
        percentile([row[name] for row in group if row[name] is not None], 50) for name in ("first_output", "plan")
    ]
    cells = [*keys, str(len(group)), *counts, str(yet_marked), *map(_seconds, times)]
    return f"| {' | '.join(cells)} |"


def _count(group: Sequence[Row], verdict: str) -> str:
    return f"{sum(row['verdict'] == verdict for row in group)} ({_share_of(group, verdict):.0%})"


def _share_of(group: Sequence[Row], verdict: str) -> float:
    return sum(row["verdict"] == verdict for row in group) / len(group)


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _met(is_met: bool) -> str:
    return "met" if is_met else "not met"
