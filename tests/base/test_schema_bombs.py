"""Schemas and values that would take a check more time or memory than there is (platform 2)."""

import subprocess
import sys
import textwrap

import pytest

from aeon.base.json_schema import CompiledSchema, schema_problem
from aeon.base.schema_size import schema_size

LEAF = {"type": "string"}


def doubled(levels, keyword="anyOf"):
    """2 KB at 24 levels that are 33 million subschemas with their references written out."""
    definitions = {f"d{n}": {keyword: [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{levels}": LEAF}}


def listed(levels):
    """For lists of which each element is held against so many."""
    return {"items": {"$ref": "#/$defs/d0"}, "$defs": doubled(levels)["$defs"]}


def by_anchor(levels):
    definitions = {f"d{n}": {"$anchor": f"d{n}", "anyOf": [{"$ref": f"#d{n + 1}"}] * 2} for n in range(levels)}
    return {"$ref": "#d0", "$defs": {**definitions, f"d{levels}": {"$anchor": f"d{levels}", **LEAF}}}


def by_identifier(levels):
    definitions = {f"d{n}": {"$id": f"x:d{n}", "allOf": [{"$ref": f"x:d{n + 1}"}] * 2} for n in range(levels)}
    return {"$ref": "x:d0", "$defs": {**definitions, f"d{levels}": {"$id": f"x:d{levels}", **LEAF}}}


BRANCH = {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}
ENTANGLED = {"anyOf": [BRANCH, {**BRANCH, "minProperties": 1}]}
"""Each level of a value is held against two branches, both of which go down: 2 ** depth problems."""


def nested(levels):
    value = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def by_property(levels):
    """Under names that are keywords elsewhere."""
    inner = [{"properties": {"default": {"$ref": f"#/$defs/d{n + 1}"}}} for n in range(levels)]
    definitions = {f"d{n}": {"anyOf": [branch, dict(branch)]} for n, branch in enumerate(inner)}
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{levels}": LEAF}}


@pytest.mark.parametrize(
    "schema",
    [doubled(24), doubled(24, "oneOf"), doubled(24, "allOf"), by_anchor(24), by_identifier(24), by_property(24)],
)
def test_a_schema_that_is_too_large_with_its_references_written_out_is_refused(schema):
    assert "with its references expanded it has" in schema_problem(schema)


def test_one_that_is_nested_too_deeply_is_refused():
    schema = LEAF
    for _ in range(5000):
        schema = {"not": schema}
    assert schema_problem(schema) == "the schema is nested too deeply"


BOUNDED = """
    import resource, signal
    from tests.base.test_schema_bombs import *
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    signal.alarm(10)
    {check}
"""


@pytest.mark.parametrize(
    "check",
    [
        "print(len(CompiledSchema(doubled(12)).problems(1)))",
        "print(len(CompiledSchema(listed(12)).problems([1] * 1_000)))",
        "print(len(CompiledSchema(listed(12)).problems(['x'] * 1_000_000)))",
        "print(len(CompiledSchema(ENTANGLED).problems(nested(60))))",
        "print(len(CompiledSchema({'items': LEAF}).problems([1] * 2_000_000)))",
        "print(len(CompiledSchema(ENTANGLED).certain_problems(nested(60), ['$.b'])) + 1)",
    ],
)
def test_a_check_ends_within_a_gigabyte_and_ten_seconds_with_one_problem(check):
    """In a process of its own: what this is about aborts the process."""
    code = textwrap.dedent(BOUNDED).format(check=check)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.returncode) == ("1\n", 0), ended.stderr[-500:]


def test_of_a_value_that_is_too_large_the_first_problem_is_told():
    problems = CompiledSchema({"items": LEAF}).problems(["x"] * 40_000 + [1] * 20_000)
    assert [problem.path for problem in problems] == ["$[40000]"]
    assert len(CompiledSchema({"items": LEAF}).problems([1] * 1_000)) == 1_000


def test_where_not_even_the_first_can_be_told_the_value_is_refused_all_the_same():
    (problem,) = CompiledSchema(ENTANGLED).problems(nested(30))
    assert "does not fit the schema" in problem.message
    assert CompiledSchema(ENTANGLED).certain_problems(nested(30), ["$.b"]) == []
    (problem,) = CompiledSchema(listed(12)).problems(["x"] * 100_000)
    assert "too large for a schema with this many references" in problem.message


def test_ordinary_schemas_multiply_nothing():
    """However often they use a definition, and where they are recursive."""
    shared = {"properties": {f"p{n}": {"$ref": "#/$defs/name"} for n in range(50)}, "$defs": {"name": LEAF}}
    tree = {"properties": {"children": {"items": {"$ref": "#"}}, "const": {"const": {"$ref": "#"}}}}
    assert not schema_size(shared).can_multiply
    assert not schema_size(tree).can_multiply
    assert len(CompiledSchema(shared).problems({f"p{n}": n for n in range(50)})) == 50
    binary = {"anyOf": [LEAF, {"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}, "type": "object"}]}
    assert CompiledSchema(binary).is_valid({"left": {"left": "x", "right": "y"}, "right": "z"})
    assert "anyOf" in str(CompiledSchema(binary).problems({"left": 1}))
