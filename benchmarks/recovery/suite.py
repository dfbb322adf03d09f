"""The cases of the benchmark, and what a recovery made of each."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

import json_repair
from documents import Document, document
from faults import SYNTAX, tokens
from refusals import MEANING, TRUNCATED, UNDECIDABLE

from aeon.base.json import Json
from aeon.base.json_schema import CompiledSchema
from aeon.validation.recovery import RecoveredValue, recover

ABSENT = object()
"""What a tool says that refuses."""


@dataclass(frozen=True)
class Case:
    """`is_certain`: the text holds the truth. Where it does not, the one right answer is to refuse."""

    group: str
    fault: str
    text: str
    truth: Json
    check: CompiledSchema
    is_certain: bool
    finish_reason: str | None


CUT_GROUPS = {
    "length": "truncated, flagged",
    None: "truncated, no finish_reason",
    "stop": "truncated, server lies with stop",
}

Reader = Callable[[Case], Json]


def cases(per_class: int, seed: int) -> Iterator[Case]:
    """The same cases for the same numbers; each class has its own generator, so adding one moves no other."""
    for fault in SYNTAX:
        yield from _cases("syntax", fault, per_class, seed, finish_reason="stop", is_certain=True)
    for wrong in TRUNCATED:
        for reason, group in CUT_GROUPS.items():
            yield from _cases(group, wrong, per_class, seed, finish_reason=reason, is_certain=False)
    for wrong in MEANING:
        yield from _cases("schema", wrong, per_class, seed, finish_reason="stop", is_certain=False)
    for wrong in UNDECIDABLE:
        yield from _cases("undecidable", wrong, per_class, seed, finish_reason="stop", is_certain=False)
    yield from _cases("valid", valid, 3 * per_class, seed, finish_reason="stop", is_certain=True)


def valid(rng: random.Random, made: Document) -> str:
    return "".join(piece for _, piece in tokens(made.value, rng))


def _cases(
    group: str,
    fault: Callable[[random.Random, Document], str],
    count: int,
    seed: int,
    *,
    finish_reason: str | None,
    is_certain: bool,
) -> Iterator[Case]:
    rng = random.Random(f"{seed}/{fault.__name__}")
    for _ in range(count):
        made = document(rng)
        truth = copy.deepcopy(made.value)
        text = fault(rng, made)
        if is_certain:
            truth = made.value
            assert made.check.is_valid(truth), fault.__name__
        yield Case(group, fault.__name__, text, truth, made.check, is_certain, finish_reason)


def aeon(case: Case) -> Json:
    """The ladder, told what the server told."""
    flags = {"is_truncated": case.finish_reason == "length", "has_stopped": case.finish_reason == "stop"}
    return _value(recover(case.text, case.check, **flags))


def aeon_untold(case: Case) -> Json:
    """The ladder where the server gives no finish_reason at all."""
    return _value(recover(case.text, case.check))


def _value(outcome: object) -> Json:
    return outcome.value if isinstance(outcome, RecoveredValue) else ABSENT


def json_repair_alone(case: Case) -> Json:
    """json-repair with the same schema gate behind it."""
    value = json_repair.loads(case.text)
    return value if case.check.is_valid(value) else ABSENT


@dataclass
class Tally:
    """The counts of one class."""

    count: int = 0
    exact: int = 0
    silent: int = 0
    refused: int = 0
    took: list[float] | None = None

    def add(self, verdict: str, seconds: float) -> None:
        self.count += 1
        setattr(self, verdict, getattr(self, verdict) + 1)
        self.took = [*(self.took or []), seconds]


def judge(case: Case, reader: Reader) -> tuple[str, float]:
    """The verdict ("exact", "silent" or "refused") and the seconds it took."""
    start = perf_counter()
    value = reader(case)
    took = perf_counter() - start
    if value is ABSENT:
        return "refused", took
    return ("exact" if _same(value, case.truth) else "silent"), took


def _same(value: Json, truth: Json) -> bool:
    return json.dumps(value, sort_keys=True) == json.dumps(truth, sort_keys=True)
