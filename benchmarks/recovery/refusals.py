"""Texts whose only right answer is to ask: truncated, contradicting the schema, elided, or of two minds."""

import json
import random
from collections.abc import Callable

from documents import Document, document, plan, prose
from faults import BEFORE, spelt, tokens

Wrong = Callable[[random.Random, Document], str]


def cut(rng: random.Random, made: Document) -> str:
    """Cut off anywhere inside the document; one in three stands in a fence or after prose."""
    text = spelt(tokens(made.value, rng))
    lead = rng.choice(("", "", "", "```json\n", rng.choice(BEFORE)))
    return lead + text[: rng.randint(1, len(text) - 1)]


def cut_between_values(rng: random.Random, made: Document) -> str:
    """Cut right behind a complete value, where a forgotten bracket looks the same."""
    out = tokens(made.value, rng)
    ends = [index for index, (kind, _) in enumerate(out[:-1], 1) if kind in {"close", "string", "word", "number"}]
    return spelt(out[: rng.choice(ends)])


def cut_with_fault(rng: random.Random, made: Document) -> str:
    """Cut off, and malformed before the cut: single quotes, bare keys or a trailing comma."""
    text = repr(made.value) if rng.random() < 0.5 else cut(rng, made).replace('",', '",,', 1)
    return text[: rng.randint(1, len(text) - 1)]


def wrong_type(rng: random.Random, made: Document) -> str:
    value = made.value
    if "steps" in value:
        rng.choice(value["steps"])["description"] = rng.choice((7, None, ["x"], {"text": "x"}))
    else:
        value["arguments"][next(iter(value["arguments"]))] = rng.choice((7, None, ["x"], {"x": 1}))
    return json.dumps(value)


def missing_required(rng: random.Random, made: Document) -> str:
    value = made.value
    if "steps" in value and rng.random() < 0.7:
        step = rng.choice(value["steps"])
        del step[rng.choice(("step_id", "description", "tool"))]
    else:
        del value[rng.choice(("goal", "steps") if "steps" in value else ("tool", "arguments"))]
    return json.dumps(value)


def unknown_tool(rng: random.Random, made: Document) -> str:
    target = rng.choice(made.value["steps"]) if "steps" in made.value else made.value
    target["tool"] = rng.choice(("google", "calculater", "python", "none", ""))
    return json.dumps(made.value)


def extra_key(rng: random.Random, made: Document) -> str:
    target = rng.choice(made.value["steps"]) if "steps" in made.value else made.value
    target[rng.choice(("reason", "confidence", "id"))] = prose(rng)
    return json.dumps(made.value)


def enum_case(rng: random.Random, made: Document) -> str:
    target = rng.choice(made.value["steps"]) if "steps" in made.value else made.value
    target["tool"] = rng.choice(
        (target["tool"].upper(), target["tool"].title(), target["tool"].replace("_", "-") + " ")
    )
    return json.dumps(made.value)


def wrapped(rng: random.Random, made: Document) -> str:
    return json.dumps(rng.choice(({"result": made.value}, [made.value], {"plan": made.value, "note": "x"})))


def ellipsis(rng: random.Random, _made: Document) -> str:
    """Left out on purpose: what stands for the dots is not in the text."""
    value = plan(rng).value
    text = json.dumps(value, indent=2)
    return rng.choice((text[:-4].rstrip() + ",\n    ...\n  ]\n}", text.replace('"steps": [', '"steps": [ ..., ', 1)))


def two_minds(rng: random.Random, made: Document) -> str:
    """Two different documents that both fit."""
    other = made
    while other.value == made.value or not made.check.is_valid(other.value):
        other = document(rng)
    return f"Either {json.dumps(made.value)}\n{rng.choice(('or', 'Example:', 'Better:'))} {json.dumps(other.value)}"


def endless_thought(rng: random.Random, made: Document) -> str:
    return f"<think>\nPerhaps {json.dumps(made.value)} would do, but {prose(rng)}"


TRUNCATED: tuple[Wrong, ...] = (cut, cut_between_values, cut_with_fault)
MEANING: tuple[Wrong, ...] = (wrong_type, missing_required, unknown_tool, extra_key, enum_case, wrapped)
UNDECIDABLE: tuple[Wrong, ...] = (ellipsis, two_minds, endless_thought)
