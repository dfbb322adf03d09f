"""What is checked when a Process is saved: the whole at once, every problem with its path (platform 6, 7)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.base.json_schema import CompiledSchema
from aeon.platform.errors import RuleError
from aeon.platform.processes.checks.definition import check_definition, raise_problems
from aeon.platform.processes.checks.json_types import ALL_TYPES, allowed_types, schema_at, types_of_value
from aeon.platform.processes.checks.targets import Callee, ProcessTarget, ToolTarget
from aeon.platform.processes.model import ProcessDefinition

TEXT, WHOLE, ROWS = {"type": "string"}, {"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/row"}}
ROW = {"type": "object", "properties": {"name": TEXT, "n": {"type": "number"}}, "additionalProperties": False}

SEARCH = ToolTarget(
    "Search",
    "rest_api",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 2},
            "limit": {"type": "integer", "maximum": 100},
            "tags": {"type": "array", "items": TEXT},
            "filter": {"type": "object", "properties": {"min": {"type": ["number", "null"]}}},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    {
        "type": "object",
        "properties": {"rows": ROWS, "count": WHOLE, "note": {"anyOf": [TEXT, {"type": "null"}]}, "open": {}},
        "additionalProperties": False,
        "$defs": {"row": ROW},
    },
)
ANSWER = ToolTarget("Answer", "llm_provider", {"type": "object"}, {})
OFF = ToolTarget("Off", "rest_api", {}, {}, enabled=False)
LOCKED = ToolTarget("Locked", "rest_api", {}, {}, has_access=False)
TOOLS = {"search": SEARCH, "answer": ANSWER, "off": OFF, "locked": LOCKED}


class Known:
    """Targets that a user sees, from two tables."""

    def __init__(self, processes=None, tools=TOOLS):
        self.processes, self.tools, self.asked = processes or {}, tools, []

    def tool(self, identity):
        self.asked.append(identity)
        return self.tools.get(identity)

    def process(self, identity):
        self.asked.append(identity)
        return self.processes.get(identity)


def step(name, *needs, **fields):
    """A step `name` that gives the variable `name_`, calls `answer`, and depends on `needs`."""
    execution = {key: fields.pop(key) for key in ("mode", "condition", "timeout", "interactionMode") if key in fields}
    output = {"variable": f"{name}_", **{key: fields.pop(key) for key in ("required", "tokenBudget") if key in fields}}
    target = {} if fields.keys() & {"tool", "process", "wait"} else {"tool": "answer"}
    return {"id": name, "dependsOn": list(needs), "output": output, "execution": execution, **target, **fields}


def search(name, *needs, query="it", **fields):
    return step(name, *needs, tool="search", inputs={"query": query, **fields.pop("inputs", {})}, **fields)


def checked(*steps, targets=None, process_id=None, **fields):
    definition = ProcessDefinition.parsed(
        {"name": "Own", "initialContext": ["lang", "topic"], "steps": list(steps), **fields}
    )
    return check_definition(definition, targets or Known(), process_id=process_id)


def found(*steps, **fields):
    """The problems as pairs of path and rule."""
    return [(problem.path, problem.rule) for problem in checked(*steps, **fields)]


def only(*steps, **fields):
    """The message of the one problem."""
    (problem,) = checked(*steps, **fields)
    return problem.message


GOOD = [
    search("a", query="{topic}", inputs={"limit": 5, "tags": ["{lang}", "x"]}),
    search("b", "a", query="{step.a_.rows.0.name}", mode="parallel", inputs={"limit": "{step.a_.count}"}),
    search("c", "a", query="about {step.a_.note}", mode="parallel", condition='step.a_.count > 1 && lang == "en"'),
    step("d", "b", "c", inputs={"all": ["{step.a_}", "{step.b_.rows}", {"x": "{step.c_}"}], "text": "{no reference"}),
]


def test_a_good_definition_has_no_problems():
    """Platform 6, platform 7."""
    template = "{{lang}} {{step.d_.x}}{{#each step.a_.rows}}{{name}}{{../topic}}{{/each}}"
    assert checked(*GOOD, outputTemplate=template, tokenBudget=100) == []
    raise_problems([])


@pytest.mark.parametrize("wrong", [{"steps": []}, {"maxRecursionDepth": 11}, {"maxRecursionDepth": 0}])
def test_a_process_has_a_step_and_a_depth_within_its_limits(wrong):
    """Platform 7: these the definition says itself."""
    with pytest.raises(RuleError) as raised:
        ProcessDefinition.parsed({"name": "p", "steps": GOOD, **wrong})
    assert next(iter(wrong)) in raised.value.field


@pytest.mark.parametrize("seconds", [0, 2_592_001])
def test_a_timeout_is_between_a_second_and_30_days(seconds):
    """Platform 41."""
    with pytest.raises(RuleError, match=r"steps\[0\]\.execution\.timeout"):
        ProcessDefinition.parsed({"name": "p", "steps": [step("a", timeout=seconds)]})


def test_a_call_of_a_tool_has_300_seconds_and_a_person_30_days():
    """Platform 7, platform 41."""
    problems = checked(step("a", timeout=300), step("b", timeout=301))
    assert [problem.path for problem in problems] == ["$.steps[1].execution.timeout"]
    assert checked(step("a", timeout=2_592_000, interactionMode="manual")) == []


def test_all_problems_are_told_at_once_and_in_order():
    """Platform 6, platform 7: one refusal with everything in it."""
    problems = checked(
        step("a", "nobody", inputs={"x": "{zip}"}, condition="1 +"),
        step("a", "a", tool="off", inputs={"y": "{step.b_}"}),
        outputTemplate="{{gone}}",
        tokenBudget=1,
    )
    assert [problem.rule for problem in problems] == [
        "step_id_unique",
        "variable_unique",
        "dependency_exists",
        "condition_valid",
        "reference_exists",
        "target_enabled",
        "reference_exists",
        "template_valid",
    ]
    with pytest.raises(RuleError) as raised:
        raise_problems(problems)
    assert (raised.value.rule, raised.value.field) == ("step_id_unique", "$.steps[1].id")
    assert len(raised.value.details["problems"]) == 8
    assert all(problem.path in raised.value.message for problem in problems)
    assert raised.value.status == 422


def test_a_refusal_of_many_problems_stays_readable():
    """Platform 6: all of them are in its details."""
    problems = checked(*(step(f"s{n}", "nobody") for n in range(200)))
    with pytest.raises(RuleError, match="and 150 more") as raised:
        raise_problems(problems)
    assert len(raised.value.details["problems"]) == 200


def test_inputs_are_json():
    """Platform 6: what cannot be stored is said before anything else is made of it."""
    deep = "x"
    for _ in range(3000):
        deep = [deep]
    assert found(step("a", inputs={"x": float("nan")})) == [("$.steps[0].inputs", "inputs_are_json")]
    one = step("a")
    definition = ProcessDefinition.parsed({"name": "Own", "steps": [one]})
    broken = definition.steps[0].model_copy(update={"inputs": {"x": deep}})
    (problem,) = check_definition(definition.model_copy(update={"steps": [broken]}), Known())
    assert (problem.rule, "nested deeper" in problem.message) == ("inputs_are_json", True)


def test_names_are_unique():
    """Platform 6: a reference means one thing."""
    same = step("b", output={"variable": "a_"})
    assert found(step("a"), same) == [("$.steps[1].output.variable", "variable_unique")]
    assert found(step("a", output={"variable": "lang"})) == [("$.steps[0].output.variable", "variable_not_input")]
    assert found(step("a"), initialContext=["x", "x"]) == [("$.initialContext[1]", "input_unique")]
    assert found(step("a"), initialContext=["step"]) == [("$.initialContext[0]", "input_not_step")]


def test_a_step_calls_one_thing_that_its_owner_may_use():
    """Platform 2, platform 4: what is not there and what is not to be seen are told in the same words."""
    unknown = only(step("a", tool="unknown"))
    assert unknown == only(step("a", tool="hidden")).replace("hidden", "unknown")
    assert found(step("a", tool="unknown")) == [("$.steps[0].tool", "target_exists")]
    assert found(step("a", process="unknown")) == [("$.steps[0].process", "target_exists")]
    assert found(step("a", tool="off")) == [("$.steps[0].tool", "target_enabled")]
    assert found(step("a", tool="locked")) == [("$.steps[0].tool", "target_access")]
    assert found(step("a", tool=None)) == [("$.steps[0]", "one_target")]
    both = step("a", tool="answer", process="p")
    assert found(both, targets=Known({"p": ProcessTarget("P", (), "x")})) == [("$.steps[0]", "one_target")]


def test_every_target_is_looked_up_once():
    """Platform 4."""
    targets = Known({"p": ProcessTarget("P", (), "x")})
    assert found(step("a"), step("b"), step("c", process="p"), targets=targets) == []
    assert sorted(set(targets.asked)) == ["answer", "p"]
    assert targets.asked.count("answer") == 1


def test_dependencies_point_backwards_only():
    """Platform 7."""
    assert found(step("a", "nobody")) == [("$.steps[0].dependsOn[0]", "dependency_exists")]
    assert found(step("a", "a")) == [("$.steps[0].dependsOn[0]", "dependency_not_itself")]
    assert found(step("a", "b"), step("b")) == [("$.steps[0].dependsOn[0]", "dependency_backwards")]
    assert found(step("a"), step("b", "a", "a")) == [("$.steps[1].dependsOn[1]", "dependency_once")]


def test_a_cycle_is_named():
    """Platform 7: with the steps that wait for each other."""
    problems = checked(step("a", "c"), step("b", "a"), step("c", "b"))
    assert [problem.rule for problem in problems] == ["dependency_backwards", "dependencies_acyclic"]
    assert problems[1].message.endswith("a -> c -> b -> a")
    assert problems[1].path == "$.steps[0].dependsOn"


def test_parallel_steps_depend_on_each_other_in_no_way():
    """Platform 7: neither directly nor through a third; those of another group may."""
    a, b, c = step("a", mode="parallel"), step("b", "a", mode="parallel"), step("c", "b", mode="parallel")
    assert found(a, b, c) == [
        ("$.steps[1].dependsOn[0]", "parallel_independent"),
        ("$.steps[2].dependsOn[0]", "parallel_independent"),
    ]
    assert found(a, step("x"), b) == []
    assert found(a, step("x", "a"), step("b", "x", mode="parallel")) == []
    assert found(a, step("b", "a")) == []


def test_references_name_inputs_or_results_of_the_chain():
    """Platform 6: only the transitive DEPENDS_ON chain counts, not the order alone."""
    reads = {"inputs": {"x": ["{step.a_}"]}}
    place = "$.steps[1].inputs.x[0]"
    assert found(step("a"), step("b", **reads)) == [(place, "reference_in_chain")]
    assert "name 'a' in its dependsOn" in only(step("a"), step("b", **reads))
    assert found(step("a"), step("b", "a", **reads)) == []
    assert found(step("a"), step("m", "a"), step("b", "m", **reads)) == []
    assert found(step("a", mode="parallel"), step("b", mode="parallel", **reads)) == [(place, "reference_in_chain")]
    assert "its own result" in only(step("a", inputs={"x": "{step.a_}"}))
    assert "move it up" in only(step("a", inputs={"x": "{step.b_}"}), step("b"))
    assert found(step("a", inputs={"x": "{step.nobody}"})) == [("$.steps[0].inputs.x", "reference_exists")]
    assert "there are lang, topic" in only(step("a", inputs={"x": "to {nobody}"}))
    assert "there is no input 'step'" in only(step("a", inputs={"x": "{step}"}))


def test_conditions_read_the_same_names():
    """Platform 6: and compile."""
    place = "$.steps[1].execution.condition"
    assert found(step("a"), step("b", "a", condition="step.a_.x > 1 && lang == topic")) == []
    assert found(step("a"), step("b", condition="step.a_.x > 1 || step.a_.y")) == [(place, "reference_in_chain")]
    assert found(step("a"), step("b", condition="step.b_")) == [(place, "reference_in_chain")]
    message = only(step("a", condition="true && (nobody == 1)"))
    assert "line 1, column 10" in message
    assert "It may read lang, step.a_, topic" in message
    assert found(step("a", condition="'text'")) == [("$.steps[0].execution.condition", "condition_valid")]


def test_templates_read_inputs_and_all_variables():
    """Platform 6."""
    assert found(step("a"), outputTemplate="{{step.a_}} {{lang}}") == []
    wrong = "{{step.b_}} {{nobody}} {{#each step.a_}}{{../step.c_}}{{/each}}"
    assert found(step("a"), outputTemplate=wrong) == [("$.outputTemplate", "template_valid")] * 3
    assert found(step("a"), outputTemplate="{{#if lang}}") == [("$.outputTemplate", "template_valid")]


@pytest.mark.parametrize(
    ("inputs", "place"),
    [
        ({"limit": 5}, ""),
        ({"query": "x"}, ".query"),
        ({"query": "xy", "limit": "5"}, ".limit"),
        ({"query": "xy", "limit": 101}, ".limit"),
        ({"query": "xy", "tags": ["a", 3]}, ".tags[1]"),
        ({"query": "xy", "more": "{lang}"}, ""),
        ({"query": "{lang}", "tags": ["{topic}", 3]}, ".tags[1]"),
    ],
)
def test_inputs_satisfy_the_tool_s_schema(inputs, place):
    """Platform 6: what is needed is there, nothing unknown, literals fit; what a reference stands for is not guessed."""
    assert found(step("a", tool="search", inputs=inputs)) == [(f"$.steps[0].inputs{place}", "inputs_match_tool")]


@pytest.mark.parametrize(
    ("schema", "wrong"),
    [
        ({"properties": {"query": {}}}, [".qurey"]),
        ({"properties": {}}, [".query", ".qurey"]),
        ({"properties": {"query": {}}, "required": ["qurey"]}, []),
        ({"properties": {"query": {}}, "additionalProperties": True}, []),
        ({"properties": {"query": {}}, "patternProperties": {"^q": {}}}, []),
        ({"properties": {"query": {}}, "allOf": [{"properties": {"qurey": {}}}]}, []),
        ({"type": "object"}, []),
        ({}, []),
    ],
)
def test_a_step_gives_a_tool_nothing_that_it_does_not_declare(schema, wrong):
    """Measured P12: a schema that is silent allows any other input, and a slip in a name went unseen."""
    targets = Known(tools={"t": ToolTarget("T", "rest_api", schema, {})})
    inputs = {"query": "xy", "qurey": "xy"}
    expected = [(f"$.steps[0].inputs{place}", "inputs_match_tool") for place in wrong]
    assert found(step("a", tool="t", inputs=inputs), targets=targets) == expected


def test_inputs_of_a_process_are_its_initial_context():
    """Platform 6: all of it and nothing else."""
    targets = Known({"p": ProcessTarget("P", ("q", "r"), "x")})
    assert found(step("a", process="p", inputs={"q": 1, "r": None}), targets=targets) == []
    assert found(step("a", process="p", inputs={"q": "{lang}", "z": 1}), targets=targets) == [
        ("$.steps[0].inputs", "inputs_match_process"),
        ("$.steps[0].inputs.z", "inputs_match_process"),
    ]


@pytest.mark.parametrize(
    ("parameter", "path", "rule"),
    [
        ("limit", "count", None),
        ("limit", "open.what.ever", None),
        ("limit", "rows.0.n", None),
        ("tags", "rows", None),
        ("limit", "note", "types_fit"),
        ("limit", "rows", "types_fit"),
        ("limit", "rows.0.name", "types_fit"),
        ("limit", "rows.0", "types_fit"),
        ("query", "count", "types_fit"),
        ("query", "note", None),
        ("tags", "count", "types_fit"),
        ("filter", "rows.-1", None),
        ("filter", "count", "types_fit"),
        ("limit", "cout", "reference_leads_somewhere"),
        ("limit", "rows.0.nobody", "reference_leads_somewhere"),
        ("limit", "rows.name", "reference_leads_somewhere"),
        ("limit", "count.x", "reference_leads_somewhere"),
    ],
)
def test_types_are_followed_through_references(parameter, path, rule):
    """Platform 6: refused is only what can never fit; what no schema says is left to the run."""
    inputs = {"query": "xy", parameter: f"{{step.a_.{path}}}"}
    problems = found(search("a"), step("b", "a", tool="search", inputs=inputs))
    assert problems == ([(f"$.steps[1].inputs.{parameter}", rule)] if rule else [])


def test_types_are_followed_into_inner_parameters():
    """Platform 6."""
    inner = {"tags": ["x", "{step.a_.count}"], "filter": {"min": "{step.a_.rows.0.name}"}}
    assert found(search("a"), search("b", "a", inputs=inner)) == [
        ("$.steps[1].inputs.tags[1]", "types_fit"),
        ("$.steps[1].inputs.filter.min", "types_fit"),
    ]


def test_a_reference_inside_a_longer_text_is_text():
    """Platform 6."""
    assert found(search("a", inputs={"limit": "{lang} x"})) == [("$.steps[0].inputs.limit", "types_fit")]
    assert found(search("a"), search("b", "a", query="n: {step.a_.count}")) == []


SCHEMAS = st.recursive(
    st.booleans()
    | st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"]).map(
        lambda name: {"type": name}
    )
    | st.lists(st.sampled_from([None, True, 1, 1.5, "x"]), min_size=1, max_size=3).map(lambda values: {"enum": values})
    | st.sampled_from(
        [{"const": {"a": 1}}, {"$ref": "#/$defs/one"}, {"$ref": "#/$defs/two"}, {"type": ["array", "object"]}]
    ),
    lambda inner: st.lists(inner, min_size=1, max_size=3).flatmap(
        lambda several: st.sampled_from(
            [
                {"anyOf": several},
                {"oneOf": several},
                {"allOf": several},
                {"properties": dict(zip("abc", several, strict=False)), "additionalProperties": several[0]},
                {"prefixItems": several},
                {"type": "array", "items": several[0]},
                {
                    "properties": {"a": several[-1]},
                    "patternProperties": {"^b": several[0]},
                    "additionalProperties": False,
                },
            ]
        )
    ),
    max_leaves=6,
)
LEAVES = st.sampled_from([None, True, 1, 2.0, 1.5, "x"])
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@given(SCHEMAS, SCHEMAS, SCHEMAS, JSON)
def test_no_value_that_fits_a_schema_is_ever_said_not_to(schema, one, two, value):
    """Platform 6: at no depth; what the schemas leave open is left to the run."""
    root = {"allOf": [schema], "$defs": {"one": {"type": ["string", "object"], "properties": {"a": two}}, "two": one}}
    try:
        fits = CompiledSchema(root).is_valid(value)
    except ValueError:
        return
    for path, part in parts(value) if fits else ():
        assert types_of_value(part) <= allowed_types(schema_at(root, path, root), root)


def parts(value, path=()):
    """Every value inside of one, with its path."""
    yield path, value
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from parts(item, (*path, str(key)))


def test_schemas_that_fan_out_without_end_are_given_up():
    """Platform 6: what cannot be looked through in time may be anything."""
    fan = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 9} for n in range(60)} | {"d60": {"type": "null"}}
    root = {"$ref": "#/$defs/d0", "$defs": fan}
    assert allowed_types(root, root) == ALL_TYPES
    assert allowed_types(schema_at(root, ["a", "b"], root), root) == ALL_TYPES
    circle = {"$ref": "#"}
    assert allowed_types(circle, circle) == ALL_TYPES


def test_what_a_person_answers_has_any_type():
    """Platform 9: the answer is the step's output, whatever the tool would have given."""
    assert found(search("a", interactionMode="manual"), search("b", "a", inputs={"limit": "{step.a_.note}"})) == []


NULL = [("$.steps[1].inputs.query", "null_fits")]


@pytest.mark.parametrize("first", [{"required": False}, {"condition": "lang == 'en'"}])
@pytest.mark.parametrize(
    ("reads", "problems"),
    [
        ({"query": "{step.a_.note}"}, NULL),
        ({"query": "{step.a_}"}, [("$.steps[1].inputs.query", "types_fit"), *NULL]),
        ({"query": "about {step.a_.note}"}, NULL),
        ({"query": "{step.a_.note}", "condition": "step.a_ != null"}, []),
        ({"query": "about {step.a_}"}, []),
        ({"inputs": {"filter": {"min": "{lang}"}}}, []),
    ],
)
def test_null_is_refused_where_it_cannot_stand(first, reads, problems):
    """Platform 8: a step that was skipped or may fail gives null; a condition that asks for it makes that all right."""
    assert found(search("a", **first), search("b", "a", **reads)) == problems


def test_the_same_condition_excuses_what_it_skips_and_nothing_else():
    """Platform 8: two steps with one condition run both or neither, but the first may still fail."""
    same = {"condition": "lang == 'en'"}
    reads = search("b", "a", query="{step.a_.note}", **same)
    assert found(search("a", **same), reads) == []
    assert found(search("a", required=False, **same), reads) == NULL


def test_null_may_go_where_null_is_taken():
    """Platform 8."""
    one = ToolTarget("One", "rest_api", {}, {"type": "number"})
    reads = search("b", "a", inputs={"filter": {"min": "{step.a_}"}})
    assert found(step("a", tool="one", required=False), reads, targets=Known(tools={**TOOLS, "one": one})) == []
    assert found(step("a", required=False), step("b", "a", inputs={"x": "{step.a_}"})) == []


def test_token_budgets_add_up_and_leave_something_to_share():
    """Platform 7."""
    given = [step("a", tokenBudget=60), step("b", tokenBudget=50)]
    assert found(*given) == []
    assert found(*given, tokenBudget=110) == []
    assert "110, which is more than the Process's 100" in only(*given, tokenBudget=100)
    assert found(*given, search("c"), tokenBudget=110) == []
    assert found(*given, step("c"), tokenBudget=111) == []
    assert found(*given, step("c"), tokenBudget=110) == [("$.tokenBudget", "token_budget_to_share")]


def calling(**graph):
    """Processes by their names, each with those it always calls, or may call where a `?` stands behind."""
    return Known(
        {
            name: ProcessTarget(
                name.upper(), (), name, tuple(Callee(each.rstrip("?"), each.endswith("?")) for each in called.split())
            )
            for name, called in graph.items()
        }
    )


@pytest.mark.parametrize(
    ("graph", "stack"),
    [
        ({"a": "own"}, "Own -> A -> Own"),
        ({"a": "b", "b": "c? own"}, "Own -> A -> B -> Own"),
        ({"a": "b?", "b": "own"}, None),
        ({"a": "own?"}, None),
        ({"a": "b c", "b": "", "c": ""}, None),
    ],
)
def test_a_circle_without_a_condition_is_refused(graph, stack):
    """Platform 7: it could end only at the limit. The error shows the call stack."""
    targets = calling(**graph)
    problems = checked(step("s", process="a"), targets=targets, process_id="own")
    assert [(problem.path, problem.rule) for problem in problems] == (
        [("$.steps[0].process", "recursion_can_end")] if stack else []
    )
    assert not stack or stack in problems[0].message
    assert found(step("s", process="a", condition="lang == 'en'"), targets=targets, process_id="own") == []


def test_a_process_that_calls_itself_needs_a_condition():
    """Platform 7: and gives itself what it takes."""
    itself = step("s", process="own", inputs={"lang": "{lang}", "topic": "{topic}"})
    assert "Own -> Own" in only(itself, process_id="own")
    guarded = {**itself, "execution": {"condition": "topic != ''"}}
    assert found(guarded, process_id="own", enabled=False) == []
    assert found({**guarded, "inputs": {"lang": "x"}}, process_id="own") == [
        ("$.steps[0].inputs", "inputs_match_process")
    ]


def test_only_the_call_without_a_condition_closes_a_circle():
    """Platform 7."""
    steps = [step("s", process="a", condition="lang == 'en'"), step("t", process="a")]
    assert found(*steps, targets=calling(a="own"), process_id="own") == [("$.steps[1].process", "recursion_can_end")]


def test_calls_that_are_always_made_fit_into_the_depth():
    """Platform 7: default 3, at most 10, and the error shows the call stack."""
    targets = calling(a="b", b="c", c="d", d="", x="y?", y="a")
    deep = step("s", process="a")
    assert "deeper than maxRecursionDepth 3: Own -> A -> B -> C -> D" in only(deep, targets=targets)
    assert found(deep, targets=targets, maxRecursionDepth=4) == []
    assert found(step("s", process="b"), targets=targets) == []
    assert found(step("s", process="x"), targets=targets) == []
    assert found({**deep, "execution": {"condition": "lang == 'en'"}}, targets=targets) == [
        ("$.steps[0].process", "recursion_depth")
    ]


def test_what_cannot_be_seen_ends_a_chain():
    """Platform 2: nothing is told of it; the run's own limit guards what lies behind."""
    assert found(step("s", process="a"), targets=calling(a="hidden"), process_id="own") == []


def test_many_processes_that_call_many_are_walked_once():
    """Platform 7: 40 layers of 8 that each call all of the next."""
    layers = {
        f"p{x}_{y}": " ".join(f"p{x + 1}_{z}" for z in range(8)) if x < 8 else "" for x in range(9) for y in range(8)
    }
    assert found(step("s", process="p0_0"), targets=calling(**layers), maxRecursionDepth=9) == []


@st.composite
def definitions(draw):
    """A definition without problems: steps in stages, each reading only what it depends on, and asking for nulls."""
    steps, may_be_null, was_parallel = [], set(), False
    for drawn in draw(st.lists(st.sampled_from([1, 1, 2, 3]), min_size=1, max_size=6)):
        size = 1 if was_parallel else drawn
        was_parallel = size > 1
        before = list(steps)
        for _ in range(size):
            needed = [each["id"] for each in before if draw(st.booleans())]
            asked = [f"step.{each}_ != null" for each in needed if each in may_be_null]
            condition = draw(st.sampled_from(["", "lang == 'en'"])) or " && ".join(asked)
            if asked and condition == "lang == 'en'":
                condition = " && ".join([condition, *asked])
            name, required = f"s{len(steps)}", draw(st.booleans())
            texts = ["xy", "{topic}", "on {lang}", *(f"x {{step.{each}_.rows}}" for each in needed)]
            steps.append(
                search(
                    name,
                    *needed,
                    query=draw(st.sampled_from(texts)),
                    inputs={"limit": draw(st.sampled_from([3, *(f"{{step.{each}_.count}}" for each in needed)]))},
                    mode="parallel" if was_parallel else "sequential",
                    condition=condition or None,
                    tokenBudget=draw(st.integers(1, 10)),
                    required=required,
                )
            )
            may_be_null |= {name} if condition or not required else set()
    return {
        "name": "Own",
        "initialContext": ["lang", "topic"],
        "steps": steps,
        "outputTemplate": draw(st.sampled_from(["", "{{lang}}", "{{step.s0_.count}}"])),
        "tokenBudget": 10 * len(steps),
    }


MUTATIONS = {
    "step_id_unique": lambda one, d: d["steps"].append(
        {**one, "output": {"variable": "fresh"}, "dependsOn": [], "inputs": {"query": "xy"}}
    ),
    "variable_unique": lambda one, d: d["steps"].append({**search("fresh"), "output": one["output"]}),
    "variable_not_input": lambda one, d: d["initialContext"].append(one["output"]["variable"]),
    "one_target": lambda one, _: one.update(process="p"),
    "target_exists": lambda one, _: one.update(tool="unknown"),
    "target_enabled": lambda one, _: one.update(tool="off"),
    "target_access": lambda one, _: one.update(tool="locked"),
    "dependency_exists": lambda one, _: one["dependsOn"].append("nobody"),
    "dependency_not_itself": lambda one, _: one["dependsOn"].append(one["id"]),
    "dependency_once": lambda one, d: (d["steps"].insert(0, step("fresh")), one["dependsOn"].extend(["fresh"] * 2)),
    "dependency_backwards": lambda one, d: (d["steps"].append(step("fresh")), one["dependsOn"].append("fresh")),
    "dependencies_acyclic": lambda one, d: (
        d["steps"].append(step("fresh", one["id"])),
        one["dependsOn"].append("fresh"),
    ),
    "parallel_independent": lambda one, d: d["steps"].extend(
        [step("fresh", mode="parallel"), step("other", "fresh", mode="parallel")]
    ),
    "reference_exists": lambda one, _: one["inputs"].update(query="{nobody}"),
    "reference_in_chain": lambda one, d: d["steps"].append(search("fresh", query=f"x {{step.{one['id']}_}}")),
    "condition_valid": lambda one, _: one["execution"].update(condition="nobody == 1"),
    "template_valid": lambda _, d: d.update(outputTemplate="{{step.nobody}}"),
    "inputs_match_tool": lambda one, _: one["inputs"].pop("query"),
    "types_fit": lambda one, d: d["steps"].append(
        search(
            "fresh", one["id"], inputs={"limit": f"{{step.{one['id']}_.note}}"}, condition=f"step.{one['id']}_ != null"
        )
    ),
    "reference_leads_somewhere": lambda one, d: d["steps"].append(
        search("fresh", one["id"], query=f"{{step.{one['id']}_.nobody}}", condition=f"step.{one['id']}_ != null")
    ),
    "null_fits": lambda one, d: (
        one["output"].update(required=False),
        d["steps"].append(search("fresh", one["id"], query=f"{{step.{one['id']}_.note}}")),
    ),
    "token_budgets_fit": lambda one, _: one["output"].update(tokenBudget=1000),
    "recursion_can_end": lambda _, d: d["steps"].append(step("fresh", process="own", inputs={"lang": 1, "topic": 2})),
}


@given(definitions())
def test_a_valid_definition_stays_valid(written):
    """Platform 6, platform 7: whatever is valid is let through, also when it is checked again."""
    definition = ProcessDefinition.parsed(written)
    assert check_definition(definition, Known(), process_id="own") == []
    again = ProcessDefinition.parsed(definition.as_dict())
    assert again.digest == definition.digest
    assert check_definition(again, Known()) == []


@pytest.mark.parametrize("rule", MUTATIONS)
@settings(max_examples=15)
@given(definitions(), st.data())
def test_any_single_mutation_is_found_and_named(rule, written, data):
    """Platform 6, platform 7."""
    place = data.draw(st.integers(0, len(written["steps"]) - 1))
    MUTATIONS[rule](written["steps"][place], written)
    definition = ProcessDefinition.parsed(written)
    problems = check_definition(definition, Known(), process_id="own")
    assert rule in {problem.rule for problem in problems}
    assert problems == check_definition(definition, Known(), process_id="own")
    assert all(problem.path.startswith("$") and problem.message for problem in problems)


@given(st.lists(st.tuples(st.booleans(), st.sets(st.integers(0, 6))), min_size=1, max_size=7))
def test_chains_between_parallel_neighbours_and_cycles_are_always_found(drawn):
    """Platform 7: also transitively, and nothing else is called so."""
    needs = [
        {other for other in named if other < len(drawn) and other != place} for place, (_, named) in enumerate(drawn)
    ]
    rules = {
        rule
        for _, rule in found(
            *(
                step(
                    f"s{place}",
                    *(f"s{other}" for other in sorted(needs[place])),
                    mode="parallel" if alone else "sequential",
                )
                for place, (alone, _) in enumerate(drawn)
            )
        )
    }
    above = [reachable(needs, place) for place in range(len(drawn))]
    assert ("dependencies_acyclic" in rules) == any(place in above[place] for place in range(len(drawn)))
    backwards = [{other for other in named if other < place} for place, named in enumerate(needs)]
    meet = any(
        all(parallel for parallel, _ in drawn[other : place + 1])
        for place in range(len(drawn))
        for other in reachable(backwards, place)
    )
    assert ("parallel_independent" in rules) == meet


def reachable(needs, place):
    """All steps that stand above one in the chains."""
    seen, ahead = set(), list(needs[place])
    while ahead:
        if (other := ahead.pop()) not in seen:
            seen.add(other)
            ahead.extend(needs[other])
    return seen


@pytest.mark.slow
def test_ten_thousand_steps_in_a_chain_are_checked():
    """Platform 7: the largest Process there may be."""
    steps = [search(f"s{n}", *([f"s{n - 1}"] if n else [])) for n in range(10_000)]
    steps[-1]["inputs"] = {"query": "x {step.s0_.rows}"}
    assert checked(*steps) == []
    steps[0]["dependsOn"] = ["s9999"]
    problems = checked(*steps)
    assert [problem.rule for problem in problems] == ["dependency_backwards", "dependencies_acyclic"]
    assert len(problems[1].message) < 300
