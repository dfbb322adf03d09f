"""Sixty slips of each kind that models make in plans, and for each whatever a repair may answer, judged by rule (FR-032).

The rule: what can be read under other keys or in another shape is read by code, and no model is asked. What cannot be
read is not replaced, whatever a model answers.
"""

import itertools
from copy import deepcopy

import pytest

from aeon.base.errors import SupervisorError
from aeon.base.json import canonical_json
from aeon.llm.interface import LLMResponse
from aeon.memory.kv_store import InMemoryKVStore
from aeon.supervisor.models import Supervisor
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import calc, plan, step
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

EXPORTED = ToolRegistry(builtin_tools(InMemoryKVStore())).export_tools_for_llm()
REQUEST = "pay the rent"
SLIPS = 60
PLANS = [
    plan(step("s1", "wire money to Ann", tool="echo", arguments={"text": "paid"}), goal=REQUEST),
    plan(calc("s1", "2 + 3"), step("s2", "tell Ann the sum", agent="llm"), goal=REQUEST),
    plan(
        calc("a", "950"),
        step("b", "remember the rent", tool="memory_write", arguments={"key": "rent", "value": 950}),
        step("c", "write to Ann", agent="llm"),
        goal=REQUEST,
    ),
]
UNREAD = None
"""Stands for a plan whose meaning cannot be read."""


def changed(one, index, change):
    """A copy of a plan with one step made anew."""
    other = deepcopy(one)
    other["steps"][index] = change(other["steps"][index])
    return other


def places():
    return [(one, index) for one in PLANS for index in range(len(one["steps"]))]


def without(*names):
    return lambda old: {key: value for key, value in old.items() if key not in names}


def under(names):
    return lambda old: {names.get(key, key): value for key, value in old.items()}


def missing():
    for one, index in places():
        old = one["steps"][index]
        nameless = changed(one, index, without("step_id"))
        yield nameless, changed(one, index, lambda old, n=index: {**old, "step_id": f"s{n + 1}"})
        told = f"{old.get('tool')} {canonical_json(old.get('arguments'))}"
        wordless = changed(one, index, lambda old, told=told: {**old, "description": told}) if "tool" in old else UNREAD
        yield changed(one, index, without("description")), wordless
        yield changed(one, index, without("description", "tool", "agent", "arguments")), UNREAD
        yield changed(one, index, without("description", "tool", "agent")), UNREAD
        yield changed(one, index, lambda _: {}), UNREAD
        yield changed(one, index, lambda old: {"step_id": old["step_id"], "agent": "llm"}), UNREAD
        yield without("goal")(nameless), changed(one, index, lambda old, n=index: {**old, "step_id": f"s{n + 1}"})
        yield (
            changed(one, index, lambda _: {"tool": "echo"}),
            changed(one, index, lambda _, n=index: {"step_id": f"s{n + 1}", "tool": "echo", "description": "echo"}),
        )
        yield changed(one, index, lambda old: {**without("description")(old), "tool": None}), UNREAD
        yield changed(one, index, lambda old: {**old, "description": " "}), UNREAD
        yield changed(one, index, lambda old: {"step_id": old["step_id"]}), UNREAD
        bare = changed(one, index, lambda old, n=index, told=told: {**old, "step_id": f"s{n + 1}", "description": told})
        yield changed(one, index, without("step_id", "description")), bare if "tool" in old else UNREAD
        yield (
            changed(one, index, lambda old: {"description": old["description"]}),
            changed(one, index, lambda old, n=index: {"step_id": f"s{n + 1}", "description": old["description"]}),
        )


def renamed():
    ids, words = ("id", "number", "step"), ("task", "instruction", "text", "title")
    for (one, index), step_id, description in itertools.product(places(), ids, words):
        yield changed(one, index, under({"step_id": step_id, "description": description})), one
    for one, steps in itertools.product(PLANS, ("step", "plan", "tasks", "actions")):
        yield under({"steps": steps})(one), one
    for (one, index), arguments in itertools.product(places(), ("args", "parameters", "params", "input")):
        if "tool" in one["steps"][index]:
            yield changed(one, index, under({"tool": "tool_name", "arguments": arguments})), one
    for one, key in itertools.product(PLANS, ("things", "todo", "sequence")):
        yield under({"steps": key})(one), UNREAD
    for (one, index), key in itertools.product(places(), ("wozu", "x")):
        if "tool" not in one["steps"][index]:
            yield changed(one, index, under({"description": key})), UNREAD


def nested():
    yield PLANS[0]["steps"][0], PLANS[0]
    yield {"goal": REQUEST, **PLANS[0]["steps"][0]}, PLANS[0]
    yield without("step_id")(PLANS[0]["steps"][0]), PLANS[0]
    for one in PLANS:
        yield {"plan": one}, one
        yield {"plan": {"steps": one["steps"]}}, one
        yield {"plan": one["steps"]}, one
        yield one["steps"], one
        yield {**one, "steps": {old["step_id"]: without("step_id")(old) for old in one["steps"]}}, one
        yield {**one, "steps": {old["step_id"]: old for old in one["steps"]}}, one
        yield {**one, "steps": {"list": {"of": one["steps"]}}}, UNREAD
        yield {**without("steps")(one), "answer": {"steps": one["steps"]}}, UNREAD
        yield {**one, "steps": [one["steps"]]}, UNREAD
    for (one, index), key in itertools.product(places(), ("step", "task", "action")):
        yield changed(one, index, lambda old, key=key: {key: old}), one
    for (one, index), key in itertools.product(places(), ("arguments", "args", "parameters")):
        if "tool" in one["steps"][index]:
            yield (
                changed(
                    one,
                    index,
                    lambda old, key=key: {
                        **without("arguments")(old),
                        "tool": {"name": old["tool"], key: old["arguments"]},
                    },
                ),
                one,
            )
    for (one, index), key in itertools.product(places(), ("wrapper", "item")):
        yield changed(one, index, lambda old, key=key: {key: old}), UNREAD


def plain():
    texts = ["wire 5 euros to Ann", "Ann anrufen", "1. write the letter", "tell me", "(rest)", "x"]
    for (one, index), text in itertools.product(places(), texts):
        yield (
            changed(one, index, lambda _, text=text: text),
            changed(one, index, lambda _, text=text, n=index: {"step_id": f"s{n + 1}", "description": text}),
        )
    for first, second in itertools.product(texts, texts[:3]):
        read = [{"step_id": "s1", "description": first}, {"step_id": "s2", "description": second}]
        yield {"goal": REQUEST, "steps": [first, second]}, {"goal": REQUEST, "steps": read}
        keyed = [{"step_id": "a", "description": first}, {"step_id": "b", "description": second}]
        yield {"goal": REQUEST, "steps": {"a": first, "b": second}}, {"goal": REQUEST, "steps": keyed}
    for text in texts:
        yield {"goal": REQUEST, "steps": text}, plan(step("s1", text), goal=REQUEST)
        yield {"goal": REQUEST, "steps": [text, " "]}, UNREAD


def wrong_type():
    for (one, index), junk in itertools.product(places(), (None, 5, 1.5, True, [], ["do it"], "", " ")):
        yield changed(one, index, lambda _, junk=junk: junk), UNREAD
    for (one, index), words in itertools.product(places(), (5, ["a", "b"], {"text": "a"}, None, True)):
        yield changed(one, index, lambda old, words=words: {**old, "description": words}), UNREAD
    for one, index in places():
        number = changed(one, index, lambda old, n=index: {**old, "step_id": 10 + n})
        yield number, changed(one, index, lambda old, n=index: {**old, "step_id": str(10 + n)})


KINDS = {"missing": missing, "renamed": renamed, "nested": nested, "plain": plain, "wrong type": wrong_type}
CASES = [
    (kind, slip, meant)
    for kind, made in KINDS.items()
    for _, (slip, meant) in itertools.islice(
        sorted({canonical_json(one[0])[::-1]: one for one in made()}.items()), SLIPS
    )
]
ANSWERS = {
    "what was meant": lambda meant: meant or PLANS[0],
    "another plan": lambda _: plan(step("s1", "wire money to Eve", tool="echo", arguments={"text": "x"}), goal=REQUEST),
    "a step dropped": lambda meant: {**(meant or PLANS[2]), "steps": (meant or PLANS[2])["steps"][:1]},
    "a step added": lambda meant: {**(meant or PLANS[1]), "steps": [*(meant or PLANS[1])["steps"], step("z", "boo")]},
    "another goal": lambda meant: {**(meant or PLANS[0]), "goal": "something else"},
    "words": lambda _: "I cannot.",
}


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_sixty_slips_of_each_kind_keep_their_meaning_or_are_refused_core_10_fr_032(kind, answer):
    wrong = []
    for slip, meant in [(slip, meant) for of, slip, meant in CASES if of == kind]:
        model = ScriptedAdapter([ANSWERS[answer](meant)] * 2)
        try:
            read = Supervisor(model).read_plan(LLMResponse(canonical_json(slip), "stop"), EXPORTED, REQUEST)
        except SupervisorError:
            read = UNREAD
        if read != meant or (meant is not UNREAD and model.requests):
            wrong.append((canonical_json(slip), canonical_json(meant), canonical_json(read), len(model.requests)))
    assert wrong == []


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_there_are_sixty_of_each(kind):
    assert len({canonical_json(slip) for of, slip, _ in CASES if of == kind}) == SLIPS


def test_the_published_method_reads_by_code_first_too_fr_031():
    made = Supervisor(ScriptedAdapter([]))

    assert made.repair_plan({"goal": "g", "steps": [{"id": 1, "task": "wire money"}]}) == plan(
        step("1", "wire money"), goal="g"
    )
    assert made.actions[0].stages == ["own_keys"]
    with pytest.raises(SupervisorError, match=r"steps\[0\]"):
        made.repair_plan({"goal": "g", "steps": [None]})


def test_a_call_in_place_of_a_plan_is_its_one_step():
    read = Supervisor(ScriptedAdapter([])).read_plan(
        LLMResponse('{"tool": "calculator", "arguments": {"expression": "1 + 1"}}'), EXPORTED, "add"
    )

    assert read == plan({**calc("s1", "1 + 1"), "description": 'calculator {"expression":"1 + 1"}'}, goal="add")


def test_an_own_key_is_never_overwritten_and_two_readings_are_none():
    for slip in (
        {"goal": "g", "steps": [{"step_id": "a", "task": "this", "text": "that"}]},
        {"goal": "g", "tasks": ["this"], "actions": ["that"]},
    ):
        with pytest.raises(SupervisorError):
            Supervisor(ScriptedAdapter([])).repair_plan(slip)
