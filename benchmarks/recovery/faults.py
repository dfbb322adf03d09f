"""The faults, one function each: a document in, a malformed text out. All randomness comes from the given generator."""

import copy
import json
import random
import re
from collections.abc import Callable

from documents import Document, document, prose, with_string

from aeon.base.json import Json

Tokens = list[tuple[str, str]]
Fault = Callable[[random.Random, Document], str]


def tokens(value: Json, rng: random.Random) -> Tokens:
    """The strict spelling of `value` as (kind, text): open close comma colon key string word number space."""
    indent = rng.choice((None, None, 2, 4))
    compact = indent is None and rng.random() < 0.3
    out = json.dumps(value, ensure_ascii=rng.random() < 0.2, indent=indent, separators=(",", ":") if compact else None)
    return _tokenized(out)


_TOKEN = re.compile(r'(?P<string>"(?:[^"\\]|\\.)*")|(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,)|(?P<colon>:)'
                    r"|(?P<space>\s+)|(?P<word>true|false|null)|(?P<number>[-\d.eE+]+)")  # fmt: skip


def _tokenized(text: str) -> Tokens:
    out = [(str(found.lastgroup), found[0]) for found in _TOKEN.finditer(text)]
    return [
        ("key" if kind == "string" and _next(out, index) == "colon" else kind, piece)
        for index, (kind, piece) in enumerate(out)
    ]


def _next(out: Tokens, index: int) -> str:
    return next((kind for kind, _ in out[index + 1 :] if kind != "space"), "")


def spelt(out: Tokens) -> str:
    return "".join(piece for _, piece in out)


def _text(rng: random.Random, made: Document) -> str:
    return spelt(tokens(made.value, rng))


def _each(rng: random.Random, made: Document, change: Callable[[str, str], str]) -> str:
    return "".join(change(kind, piece) for kind, piece in tokens(made.value, rng))


def _some(rng: random.Random, found: list[int], most: int = 3) -> set[int]:
    return set(rng.sample(found, min(len(found), rng.randint(1, most))))


BEFORE = (
    "Here is the plan:\n\n", "Sure! ", 'The JSON for "trip":\n', "I will use the tool [1], as asked:\n", "Answer: ",
    "Okay, so the user wants {thing}. ", "Certainly — see below.\n\n", "Note: it's simple.\n",
)  # fmt: skip
AFTER = (
    "\n\nLet me know if you need changes.", '\nThis uses the "search" tool.', " Done.", "\n\n[1] see the docs",
    "\nI chose this, because it's short.", "\n---\nConfidence: high (90 %)", "\nReplace {name} as needed.",
)  # fmt: skip


def fence_json(rng: random.Random, made: Document) -> str:
    return f"```{rng.choice(('json', 'JSON', 'json5', 'javascript'))}\n{_text(rng, made)}\n```"


def fence_bare(rng: random.Random, made: Document) -> str:
    return f"```\n{_text(rng, made)}\n```{rng.choice(('', chr(10)))}"


def fence_in_prose(rng: random.Random, made: Document) -> str:
    return f"{rng.choice(BEFORE)}\n{fence_json(rng, made)}{rng.choice(AFTER)}"


def fence_never_closed(rng: random.Random, made: Document) -> str:
    return f"```json\n{_text(rng, made)}\n"


def prose_before(rng: random.Random, made: Document) -> str:
    return rng.choice(BEFORE) + _text(rng, made)


def prose_after(rng: random.Random, made: Document) -> str:
    return _text(rng, made) + rng.choice(AFTER)


def prose_both(rng: random.Random, made: Document) -> str:
    return rng.choice(BEFORE) + _text(rng, made) + rng.choice(AFTER)


def placeholder_in_prose(rng: random.Random, made: Document) -> str:
    lead = rng.choice(
        ("I replaced {placeholder} and {other_one}:\n", "Given {user}'s request [see {x}], ", "{goal} -> ")
    )
    return lead + _text(rng, made) + rng.choice(("", "\nwhere {placeholder} stands for the name."))


def trailing_comma(rng: random.Random, made: Document) -> str:
    out = tokens(made.value, rng)
    ends = [index for index, (kind, _) in enumerate(out) if kind == "close" and out[index - 1][0] != "open"]
    hit = _some(rng, ends)
    return "".join(("," if index in hit else "") + piece for index, (_, piece) in enumerate(out))


def missing_comma(rng: random.Random, made: Document) -> str:
    out = tokens(made.value, rng)
    hit = _some(rng, [index for index, (kind, _) in enumerate(out) if kind == "comma"], 2)
    return "".join(
        _instead_of_comma(rng, out, index) if index in hit else piece for index, (_, piece) in enumerate(out)
    )


def _instead_of_comma(rng: random.Random, out: Tokens, index: int) -> str:
    """A space or nothing; always a space between two bare tokens, which would be one valid token without it."""
    is_between_bare = out[index - 1][0] in {"word", "number"} and out[index + 1][0] in {"word", "number"}
    return " " if is_between_bare or rng.random() < 0.5 else ""


def single_quotes(rng: random.Random, made: Document) -> str:
    def change(kind: str, piece: str) -> str:
        if kind not in {"key", "string"}:
            return piece
        return "'" + piece[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"

    return _each(rng, made, change)


def smart_quotes(rng: random.Random, made: Document) -> str:
    escape = rng.choice(("\\“", '"', '\\"'))

    def change(kind: str, piece: str) -> str:
        return f"“{piece[1:-1].replace(chr(92) + chr(34), escape)}”" if kind in {"key", "string"} else piece

    return _each(rng, without(made, "“", "”"), change)


def without(made: Document, *marks: str) -> Document:
    """The document less the marks that a fault would make unreadable for a person too."""
    text = json.dumps(made.value, ensure_ascii=False)
    for mark in marks:
        text = text.replace(mark, "")
    made.value.update(json.loads(text))
    return made


def unquoted_keys(rng: random.Random, made: Document) -> str:
    return _each(rng, made, lambda kind, piece: piece[1:-1] if kind == "key" else piece)


def python_dict(_rng: random.Random, made: Document) -> str:
    return repr(made.value)


def python_words(rng: random.Random, made: Document) -> str:
    _with_words(rng, made)
    words = {"true": "True", "false": "False", "null": "None"}
    return _each(rng, made, lambda kind, piece: words[piece] if kind == "word" else piece)


def undefined(rng: random.Random, made: Document) -> str:
    _with_words(rng, made)
    return _each(rng, made, lambda kind, piece: "undefined" if piece == "null" and kind == "word" else piece)


def _with_words(rng: random.Random, made: Document) -> None:
    """Make sure that a literal stands somewhere: in a plan's loose arguments, or a call's environment."""
    if "steps" in made.value:
        made.value["steps"][0]["arguments"] |= {"flag": rng.random() < 0.5, "nothing": None}
    elif made.value["tool"] == "search":
        made.value["arguments"] |= {"exact": True, "language": None}
    elif made.value["tool"] == "run_code":
        made.value["arguments"]["env"] = {"A": None, "B": False}


def line_comments(rng: random.Random, made: Document) -> str:
    mark = rng.choice(("//", "//", "#"))
    made_tokens = _tokenized(json.dumps(made.value, indent=2, ensure_ascii=False))
    notes = ("the first one", "it's optional", 'see "docs"', "step {1}, then [2]", "TODO")
    return "".join(
        f" {mark} {rng.choice(notes)}{piece}" if "\n" in piece and rng.random() < 0.3 else piece
        for _, piece in made_tokens
    )


def block_comments(rng: random.Random, made: Document) -> str:
    def change(kind: str, piece: str) -> str:
        note = rng.choice((" why ", ' it\'s "this" ', "{a}", "\n * two\n * lines\n "))
        return f"{piece}/*{note}*/" if kind in {"comma", "open"} and rng.random() < 0.4 else piece

    return _each(rng, made, change)


def raw_newlines(rng: random.Random, made: Document) -> str:
    with_string(rng, made, f"{prose(rng)}\n\n{prose(rng)}\n\t- {prose(rng)}")

    def change(kind: str, piece: str) -> str:
        with_tabs = re.sub(r"(?<!\\)\\t", "\t", piece)
        return re.sub(r"(?<!\\)\\n", "\n", with_tabs) if kind == "string" else piece

    return _each(rng, made, change)


INNER = (
    'say "hello" loudly', 'the "best" and the "worst" case', 'a file named "notes.txt"', 'he said "stop", then left',
    '"quoted" at the start', 'at the end "quoted"', '<a href="https://a.org">x</a>', 'print("x")', 'size 5" pipe',
    'compare "a" : "b"', 'find "x", "y" and "z" in it',
)  # fmt: skip


def inner_quotes(rng: random.Random, made: Document) -> str:
    wanted = json.dumps(f"{prose(rng, 0, 3)} {rng.choice(INNER)} {prose(rng, 0, 2)}".strip(), ensure_ascii=False)
    with_string(rng, made, json.loads(wanted))
    return spelt([
        (kind, f'"{json.loads(piece)}"' if json.dumps(json.loads(piece), ensure_ascii=False) == wanted else piece)
        if kind == "string" else (kind, piece)
        for kind, piece in tokens(made.value, rng)
    ])  # fmt: skip


def _dropped_closers(rng: random.Random, made: Document, least: int) -> str:
    text = _text(rng, made).rstrip()
    run = re.search(r"[}\]\s]*$", text)
    marks = [found.start() for found in re.finditer(r"[}\]]", text) if run and found.start() >= run.start()]
    count = min(len(marks), max(least, rng.choice((1, 1, 1, 2, 2, 3))))
    return text[: marks[-count]].rstrip()


def missing_last_closers(rng: random.Random, made: Document) -> str:
    return _dropped_closers(rng, made, 1)


def fenced_missing_closers(rng: random.Random, made: Document) -> str:
    return f"```json\n{_dropped_closers(rng, made, 1)}\n```"


def missing_opening_brace(rng: random.Random, made: Document) -> str:
    return _text(rng, made)[1:].lstrip() if rng.random() < 0.5 else _text(rng, made)[1:]


def extra_closer(rng: random.Random, made: Document) -> str:
    return _text(rng, made) + rng.choice(("}", "]", "}}", "\n}", "}]"))


def think_with_draft(rng: random.Random, made: Document) -> str:
    draft = _text(rng, document(rng))
    if rng.random() < 0.4:
        draft = draft[: rng.randint(1, len(draft))]
    tag = rng.choice(("think", "think", "thinking", "reasoning"))
    opened = "" if rng.random() < 0.15 else f"<{tag}>"
    return f"{opened}\nMaybe {draft}?\nNo, {prose(rng)}.\n</{tag}>\n\n{_text(rng, made)}"


def double_encoded(rng: random.Random, made: Document) -> str:
    text = json.dumps(_text(rng, made), ensure_ascii=rng.random() < 0.5)
    return rng.choice((text, text, f"```json\n{text}\n```", text[1:-1], f"Result: {text}"))


def encoded_arguments(rng: random.Random, made: Document) -> str:
    shown = copy.deepcopy(made.value)
    target = rng.choice(shown["steps"]) if "steps" in shown else shown
    target["arguments"] = json.dumps(target["arguments"], indent=rng.choice((None, 2)))
    return json.dumps(shown)


def odd_spaces(rng: random.Random, made: Document) -> str:
    odd = rng.choice(("\u00a0", "\u200b", "\ufeff", "\u2003"))
    text = _each(
        rng, made, lambda kind, piece: piece + odd if kind in {"comma", "colon"} and rng.random() < 0.5 else piece
    )
    return rng.choice(("\ufeff", "", odd)) + text


def javascript(rng: random.Random, made: Document) -> str:
    def change(kind: str, piece: str) -> str:
        if kind == "key":
            return piece[1:-1]
        if kind == "string" and rng.random() < 0.6:
            return "'" + piece[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"
        return f",{piece}" if kind == "close" and rng.random() < 0.3 else piece

    text = _each(rng, made, change).replace("{,}", "{}").replace("[,]", "[]")
    return rng.choice(("", "const plan = ", "return ")) + text + rng.choice(("", ";"))


def said_twice(rng: random.Random, made: Document) -> str:
    return _text(rng, made) + rng.choice(("\n", "", "\n\nAgain:\n")) + _text(rng, made)


def fenced_trailing_comma(rng: random.Random, made: Document) -> str:
    return f"{rng.choice(BEFORE)}\n```json\n{trailing_comma(rng, made)}\n```{rng.choice(AFTER)}"


def tagged(rng: random.Random, made: Document) -> str:
    tag = rng.choice(("tool_call", "answer", "json", "output"))
    return f"<{tag}>\n{_text(rng, made)}\n</{tag}>"


SYNTAX: tuple[Fault, ...] = (
    fence_json, fence_bare, fence_in_prose, fence_never_closed, prose_before, prose_after, prose_both,
    placeholder_in_prose, tagged, trailing_comma, fenced_trailing_comma, missing_comma, single_quotes, smart_quotes,
    unquoted_keys, python_dict, python_words, undefined, javascript, line_comments, block_comments, raw_newlines,
    inner_quotes, missing_last_closers, fenced_missing_closers, missing_opening_brace, extra_closer, think_with_draft,
    double_encoded, encoded_arguments, odd_spaces, said_twice,
)  # fmt: skip
