"""Plans without a model: only requests of which every word is used in the plan.

Nothing is guessed.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple, cast

from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import compile_schema
from aeon.base.next_steps import NextStep
from aeon.skills.models import Skill, SkillCatalog, SkillScript
from aeon.skills.plan_json import PlanJson, ToolInvocation
from aeon.skills.planner.answer_schemas import fresh_ids
from aeon.skills.planner.interface import PlanningError, PlanningTask

_REQUEST_FIELDS = frozenset({"request", "prompt", "text", "query", "question", "message"})
"""Properties that take the quoted text of the request."""

_WORD = re.compile(r"""["\u201c\u201d\u201e\u00ab]([^"\u201c\u201d\u201e\u00ab\u00bb]+)["\u201c\u201d\u00bb]|(\S+)""")
_PUNCTUATION = ".,;:!?()'\"\u2026"
_NAME_PART = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_LONGEST = 10_000
"""Characters of a request that are analyzed."""
_LONGEST_NUMBER = 300
_SHOWN = 6
_SHOWN_LENGTH = 30

_FILLER_WORDS = frozenset(["a", "an", "and", "for", "me", "my", "of", "please", "some", "the", "then", "us", "with"])
"""Words that never change the meaning of a request, unlike `not`, `if`, `how` or `all`."""

_POLITE = re.compile(r"^\s*(?:please\s+)?(?:can|could|will|would)\s+you\s+", re.IGNORECASE)

_NEXT_STEP = NextStep("skills.plan_yourself")


class RequestWord(NamedTuple):
    """A word of a request; a quoted text counts as one word."""

    position: int
    text: str
    is_quoted: bool = False


class FilledInput(NamedTuple):
    """An input, and the positions of the words used for it."""

    input: JsonObject
    words: frozenset[int]


class _ScriptMatch(NamedTuple):
    """A script that the request names, its input, and the positions of all words that it uses."""

    script: SkillScript
    input: JsonObject
    words: frozenset[int]


class PatternPlanner:
    """Makes one node for each script that the request names and gives the input for.

    Nodes are in the order of the words. A script is named by all words of its name, or by one word of its skill's name
    if it is the skill's only script. A property takes the value that its schema selects: one of its enum, a match of
    its pattern, the only number. A free text named `prompt`, `text` or similar takes the only quoted text. Other
    properties take their defaults. Every word except fillers must be used by exactly one script, else planning fails.
    A script without a declared input is never planned, and the work of a reusable node is not repeated.
    """

    def plan(self, task: PlanningTask) -> PlanJson:
        """Returns the plan. Raises PlanningError that names the words that no script uses."""
        words = split_words(task.request)
        wanted = _matching_scripts(task.catalog, words)
        unplaced = _unplaced(words, wanted)
        if unplaced or not wanted:
            raise _not_understood_error(unplaced or words)
        done = [(node.tool_path, node.input) for node in task.reusable_nodes]
        calls = [call for call in wanted if (call.script.tool_path, call.input) not in done]
        ids = fresh_ids([node.tool_id for node in task.reusable_nodes])
        nodes = [
            ToolInvocation(
                tool_id=tool_id, tool_path=call.script.tool_path, input=call.input, dependencies=ids[:at][-1:]
            )
            for at, (tool_id, call) in enumerate(zip(ids, calls, strict=False))
        ]
        if len(nodes) < len(calls) or not nodes:
            raise PlanningError(
                "Without a model, nothing more can be planned for this request.",
                next_step=_NEXT_STEP,
            )
        return task.plan(nodes)


def split_words(request: str) -> list[RequestWord]:
    """Returns the words of a request without fillers; each quoted text is one word."""
    request_text = _POLITE.sub("", request[:_LONGEST])
    parts = [
        (quoted, True) if quoted else (plain.strip(_PUNCTUATION), False)
        for quoted, plain in _WORD.findall(request_text)
    ]
    words = [RequestWord(at, text, is_quoted) for at, (text, is_quoted) in enumerate(parts)]
    rest = [RequestWord(len(words), request[_LONGEST:])] if len(request) > _LONGEST else []
    return [word for word in words if word.text and not _is_filler(word)] + rest


def fill_input(schema: JsonObject, words: Sequence[RequestWord]) -> FilledInput | None:
    """Returns an input that fits `schema`, taken from the words.

    Returns None if something required is missing. Each word is the value of one property only: if two properties match
    a word, the result is None.
    """
    properties = cast(Mapping[str, Json], schema.get("properties", {}))
    required = set(cast(list[str], schema.get("required", [])))
    input_data: JsonObject = {}
    used_words: list[int] = []
    for name, inner in properties.items():
        node = cast(JsonObject, inner) if isinstance(inner, dict) else {}
        if name not in required and _is_free_text(node):
            continue
        match = _match_property(name, node, words)
        if match is not None:
            input_data[name] = match.value
            used_words += match.words
        elif node.get("default") is not None:
            input_data[name] = node["default"]
    if len(set(used_words)) < len(used_words) or not required <= input_data.keys():
        return None
    is_valid = compile_schema(schema or {"type": "object"}).is_valid(input_data)
    return FilledInput(input_data, frozenset(used_words)) if is_valid else None


def _is_filler(word: RequestWord) -> bool:
    return not word.is_quoted and word.text.casefold() in _FILLER_WORDS


def _matching_scripts(catalog: SkillCatalog, words: Sequence[RequestWord]) -> list[_ScriptMatch]:
    """Returns the scripts that the words name and fill, by the first word that each uses."""
    matches = [
        call
        for skill in catalog.plannable()
        for script in skill.scripts
        if script.protocol == "ndjson" and (call := _match_script(skill, script, words)) is not None
    ]
    return sorted(matches, key=lambda call: min(call.words))


def _match_script(skill: Skill, script: SkillScript, words: Sequence[RequestWord]) -> _ScriptMatch | None:
    own = [_words_naming(part, words) for part in _NAME_PART.findall(script.name)]
    skills = [_words_naming(part, words) for part in _NAME_PART.findall(skill.name)]
    is_named = all(own) or (len(skill.scripts) == 1 and any(skills))
    filled = fill_input(script.input_schema or {}, words) if is_named else None
    return None if filled is None else _ScriptMatch(script, filled.input, filled.words.union(*own, *skills))


def _words_naming(part: str, words: Sequence[RequestWord]) -> set[int]:
    """Returns the only word equal to a part of a name, in any case, with or without an s.

    The result is empty without such a word, or with more than one.
    """
    name = part.casefold().removesuffix("s")
    named = [word.position for word in words if not word.is_quoted and word.text.casefold().removesuffix("s") == name]
    return {*named} if len(named) == 1 else set()


def _unplaced(words: Sequence[RequestWord], calls: Sequence[_ScriptMatch]) -> list[RequestWord]:
    """Returns the words that are not used by exactly one call."""
    places = list(chain.from_iterable(call.words for call in calls))
    return [word for word in words if places.count(word.position) != 1]


def _not_understood_error(words: Sequence[RequestWord]) -> PlanningError:
    shown = ", ".join(repr(_shortened(word.text)) for word in words[:_SHOWN])
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    what = f"not understood: {shown}{more}" if words else "it has no words"
    message = "Without a model, a request runs only if every word of it is used in the plan"
    return PlanningError(f"{message}; {what}.", next_step=_NEXT_STEP)


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}..."


class _ValueMatch(NamedTuple):
    """A value, and the positions of its words."""

    value: Json
    words: Sequence[int]


def _match_property(name: str, schema: JsonObject, words: Sequence[RequestWord]) -> _ValueMatch | None:
    """Returns the request's value for a property if there is exactly one."""
    if "enum" in schema:
        named = [match for value in cast(list[Json], schema["enum"]) if (match := _match_enum_value(value, words))]
        return named[0] if len(named) == 1 else None
    kind = schema.get("type")
    if kind in ("integer", "number"):
        numbers = [word for word in words if _NUMBER.fullmatch(word.text)]
        value = _number(numbers[0].text, kind) if len(numbers) == 1 else None
        return None if value is None else _ValueMatch(value, [numbers[0].position])
    if kind != "string":
        return None
    if "pattern" in schema:
        return _match_pattern(cast(str, schema["pattern"]), words)
    quoted = [word for word in words if word.is_quoted] if name in _REQUEST_FIELDS else []
    return _ValueMatch(quoted[0].text, [quoted[0].position]) if len(quoted) == 1 else None


def _match_enum_value(value: Json, words: Sequence[RequestWord]) -> _ValueMatch | None:
    """Returns an enum's value if its words are adjacent in the request."""
    parts = value.casefold().split() if isinstance(value, str) else []
    for at in range(len(words) - len(parts) + 1):
        if parts and [word.text.casefold() for word in words[at : at + len(parts)]] == parts:
            return _ValueMatch(value, [word.position for word in words[at : at + len(parts)]])
    return None


def _number(text: str, kind: str) -> Json:
    if len(text) > _LONGEST_NUMBER:
        return None
    if kind == "number":
        return float(text)
    return int(text) if "." not in text else None


def _match_pattern(pattern: str, words: Sequence[RequestWord]) -> _ValueMatch | None:
    """Returns the only word of the request that matches the whole pattern."""
    check = compile_schema({"type": "string", "pattern": pattern})
    matches = {word.text: word.position for word in reversed(words) if check.is_valid(word.text)}
    return next((_ValueMatch(text, [at]) for text, at in matches.items()), None) if len(matches) == 1 else None


def _is_free_text(node: JsonObject) -> bool:
    return node.get("type") == "string" and not {"pattern", "enum", "default"} & node.keys()
