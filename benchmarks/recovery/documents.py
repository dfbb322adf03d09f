"""Seeded documents a model might be asked for: plans and tool calls, with the strings that break parsers."""

import random
from dataclasses import dataclass

from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import CompiledSchema

TOOLS = (
    "calculator", "search", "weather", "write_file", "read_file", "send_mail",
    "query_table", "translate", "fetch_page", "run_code", "convert_units", "calendar",
)  # fmt: skip

WORDS = (
    "annual", "budget", "café", "report", "river", "München", "table", "compare", "sum", "find", "the", "for", "of",
    "price", "list", "东京", "naïve", "draft", "flight", "hotel", "weekly", "энергия", "total", "notes", "and", "with",
)  # fmt: skip

TRICKY = (
    'say "hello" to her', "it's Anna's book", "line one\nline two", "C:\\temp\\new\\file.txt",
    "https://a.org/x?y=1&z=[2]",
    "if (a < b) { return a[0]; }", "regex \\d+\\.\\d{2}", "true", "None", "12", "{name}", "a, b, and c", "key: value",
    "tab\there", "// not a comment", "# heading", "/* neither */", "```python\nprint('x')\n```", "100 % sure",
    "🙂 fine",
    "“curly” quotes", "<b>bold</b>", 'SELECT "id" FROM t WHERE x = \'y\'', "[1, 2, 3]", "", "ends with colon:",
    "50,000",
    "<think>not reasoning</think>", "a \u2013 b", "x = {'k': [1, 2]}", "…", "trailing, ", "\\begin{a}",
    '{"inner": "json"}',
)  # fmt: skip


@dataclass(frozen=True)
class Document:
    """One document with the schema it fits."""

    value: JsonObject
    check: CompiledSchema


def _object(properties: JsonObject, required: list[str] | None = None) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }


_TEXT: JsonObject = {"type": "string"}
_STEP = _object(
    {
        "step_id": _TEXT,
        "description": _TEXT,
        "tool": {"type": "string", "enum": list(TOOLS)},
        "arguments": {"type": "object"},
    }
)
PLAN = CompiledSchema(_object({"goal": _TEXT, "steps": {"type": "array", "items": _STEP, "minItems": 1}}))


def _call_schema(tool: str, arguments: JsonObject) -> CompiledSchema:
    return CompiledSchema(_object({"tool": {"type": "string", "enum": [tool]}, "arguments": arguments}))


CALLS = {
    "calculator": _call_schema(
        "calculator", _object({"expression": _TEXT, "precision": {"type": "integer"}}, ["expression"])
    ),
    "search": _call_schema(
        "search",
        _object(
            {
                "query": _TEXT,
                "filters": {"type": "array", "items": _object({"field": _TEXT, "values": {"type": "array"}})},
                "limit": {"type": "integer"},
                "exact": {"type": "boolean"},
                "language": {"type": ["string", "null"]},
            },
            ["query"],
        ),
    ),
    "write_file": _call_schema("write_file", _object({"path": _TEXT, "content": _TEXT, "mode": {"enum": ["w", "a"]}})),
    "run_code": _call_schema(
        "run_code", _object({"code": _TEXT, "timeout": {"type": "number"}, "env": {"type": "object"}}, ["code"])
    ),
}


def prose(rng: random.Random, least: int = 2, most: int = 8) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(least, most)))


def string(rng: random.Random) -> str:
    """Plain words, a tricky piece, or a tricky piece among words."""
    kind = rng.random()
    if kind < 0.5:
        return prose(rng)
    piece = rng.choice(TRICKY)
    return piece if kind < 0.65 else f"{prose(rng, 1, 4)} {piece} {prose(rng, 0, 3)}".rstrip()


def _scalar(rng: random.Random) -> Json:
    return rng.choice((
        string(rng), rng.randint(-9, 99_999), round(rng.uniform(-50, 50), 3), True, False, None, string(rng),
    ))  # fmt: skip


def _loose_arguments(rng: random.Random, depth: int = 0) -> JsonObject:
    keys = rng.sample(("query", "path", "count", "options", "note", "tags", "unit", "when"), rng.randint(1, 3))
    return {key: _nested(rng, depth) for key in keys}


def _nested(rng: random.Random, depth: int) -> Json:
    kind = rng.random()
    if depth < 2 and kind < 0.12:
        return _loose_arguments(rng, depth + 1)
    if kind < 0.25:
        return [_scalar(rng) for _ in range(rng.randint(0, 3))]
    return _scalar(rng)


def plan(rng: random.Random) -> Document:
    steps = [
        {
            "step_id": f"s{index}",
            "description": string(rng),
            "tool": rng.choice(TOOLS),
            "arguments": _loose_arguments(rng),
        }
        for index in range(1, rng.randint(1, 5) + 1)
    ]
    return Document({"goal": string(rng), "steps": steps}, PLAN)


def _arguments(rng: random.Random, tool: str) -> JsonObject:
    if tool == "calculator":
        full: JsonObject = {"expression": f"({rng.randint(1, 99)} + {rng.randint(1, 9)}) * 2", "precision": 3}
    elif tool == "search":
        filters = [
            {"field": rng.choice(WORDS), "values": [_scalar(rng) for _ in range(rng.randint(0, 3))]}
            for _ in range(rng.randint(0, 2))
        ]
        full = {"query": string(rng), "filters": filters, "limit": 10, "exact": rng.random() < 0.5, "language": None}
    elif tool == "write_file":
        return {"path": rng.choice(("/tmp/a b.txt", "C:\\x\\y.md", "notes.md")), "content": string(rng), "mode": "w"}  # noqa: S108  # a string, never opened
    else:
        full = {"code": string(rng), "timeout": 2.5, "env": {"HOME": string(rng)}}
    first = next(iter(full))
    return {key: item for key, item in full.items() if key == first or rng.random() < 0.6}


def call(rng: random.Random) -> Document:
    tool = rng.choice(tuple(CALLS))
    return Document({"tool": tool, "arguments": _arguments(rng, tool)}, CALLS[tool])


def document(rng: random.Random) -> Document:
    return plan(rng) if rng.random() < 0.5 else call(rng)


def with_string(rng: random.Random, made: Document, text: str) -> Document:
    """The same document with `text` in one of its free strings."""
    value = made.value
    if "goal" in value:
        target, key = rng.choice([(value, "goal"), *((step, "description") for step in value["steps"])])
        target[key] = text
    else:
        target = value["arguments"]
        target[next(key for key in ("query", "content", "code", "expression") if key in target)] = text
    return made
