"""Measures the recovery ladder beside json-repair, class by class: `python benchmarks/recovery/run.py`."""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from statistics import median

from suite import Tally, aeon, aeon_untold, cases, json_repair_alone, judge

Tallies = dict[str, dict[tuple[str, str], Tally]]
READERS = {"aeon": aeon, "untold": aeon_untold, "json-repair": json_repair_alone}
RESULTS = Path(__file__).with_name("RESULTS.md")


def measure(per_class: int, seed: int) -> Tallies:
    """Every reader on every case; tallies per reader and (group, fault)."""
    found: Tallies = {name: defaultdict(Tally) for name in READERS}
    for case in cases(per_class, seed):
        for name, reader in READERS.items():
            found[name][case.group, case.fault].add(*judge(case, reader))
    return found


def total(tallies: dict[tuple[str, str], Tally], group: str) -> Tally:
    """One tally of all classes whose group starts with `group`."""
    whole = Tally()
    for (name, _), tally in tallies.items():
        if name.startswith(group):
            whole.count += tally.count
            whole.exact += tally.exact
            whole.silent += tally.silent
            whole.refused += tally.refused
            whole.took = [*(whole.took or []), *(tally.took or [])]
    return whole


def table(found: Tallies) -> Iterable[str]:
    yield (
        "| group | class | n | exact | silent | refused | model calls | us | "
        "json-repair: exact | silent | refused | us |"
    )
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for key in found["aeon"]:
        yield _row(*key, found["aeon"][key], found["json-repair"][key])
    for group in dict.fromkeys(group for group, _ in found["aeon"]):
        yield _row(group, "**all**", total(found["aeon"], group), total(found["json-repair"], group))


def _row(group: str, fault: str, ours: Tally, theirs: Tally) -> str:
    cells = (group, fault, ours.count, ours.exact, ours.silent, ours.refused, ours.refused, _micros(ours),
             theirs.exact, theirs.silent, theirs.refused, _micros(theirs))  # fmt: skip
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _micros(tally: Tally) -> int:
    return round(median(tally.took or [0.0]) * 1e6)


def aims(found: Tallies) -> Iterable[tuple[str, str, bool]]:
    """What the project aims at, what was measured, and whether that is enough."""
    ours, untold = found["aeon"], found["untold"]
    syntax, valid = total(ours, "syntax"), total(ours, "valid")
    flagged, unflagged = total(ours, "truncated, flagged"), total(ours, "truncated, no finish_reason")
    unsure = [total(ours, group) for group in ("schema", "undecidable")]
    yield "syntax faults: at least 99 % exact without a model", _percent(syntax), syntax.exact >= 0.99 * syntax.count
    share = syntax.silent / syntax.count
    yield "syntax faults: at most 0.3 % silent corruption", f"{syntax.silent} ({share:.2%})", share <= 0.003
    yield "truncated with the length flag: 0 silent", f"{flagged.silent} of {flagged.count}", flagged.silent == 0
    yield "truncated without finish_reason: 0 silent", f"{unflagged.silent} of {unflagged.count}", unflagged.silent == 0
    silent = sum(tally.silent for tally in unsure)
    count = sum(tally.count for tally in unsure)
    yield "schema-level and undecidable: never accepted", f"{silent} of {count}", silent == 0
    yield "valid input: untouched, 0 model calls", _percent(valid), valid.exact == valid.count
    blind = total(untold, "syntax")
    yield (
        "(no aim) syntax faults when the server gives no finish_reason",
        f"{_percent(blind)}, {blind.silent} silent",
        True,
    )


def _percent(tally: Tally) -> str:
    return f"{tally.exact} of {tally.count} ({tally.exact / tally.count:.2%})"


def report(found: Tallies, per_class: int, seed: int) -> Iterable[str]:
    yield f"## Seed {seed}, {per_class} cases a class"
    yield ""
    yield "| aim | measured | verdict |"
    yield "|---|---|---|"
    for aim, measured, is_met in aims(found):
        yield f"| {aim} | {measured} | {'' if aim.startswith('(') else 'pass' if is_met else 'FAIL'} |"
    yield ""
    yield from table(found)
    yield ""


def header(command: str) -> Iterable[str]:
    yield "# Recovery benchmark: results"
    yield ""
    yield f"Made by `python {command}`, Python {sys.version.split()[0]}, json-repair {version('json-repair')}."
    yield "What the columns mean, and what was tuned on what: README.md. `us`: median microseconds a case."
    yield "Every refusal costs a model call, so the two columns agree. A warm-up run is not counted."
    yield ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=120, help="cases per fault class")
    parser.add_argument("--seed", type=int, action="append", help="seed; may be given again (default: 1, 2 and 7)")
    options = parser.parse_args()
    measure(1, 0)
    lines = list(header(" ".join(("benchmarks/recovery/run.py", *sys.argv[1:]))))
    is_met = True
    for seed in options.seed or (1, 2, 7):
        found = measure(options.cases, seed)
        lines += report(found, options.cases, seed)
        is_met &= all(met for _, _, met in aims(found))
    RESULTS.write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
