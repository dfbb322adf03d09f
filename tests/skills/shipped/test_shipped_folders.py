"""What holds for every shipped skill's folder (skills 8, 9, 10)."""

import ast
import json
import os
import re
import sys

import pytest
from skills_ref import validate

from aeon.base.json_schema import CompiledSchema, schema_problem

MALFORMED = [
    b"",
    b"\n",
    b"not JSON\n",
    b"[1]\n",
    b'{"requestId":"r"}\n',
    b'{"input":[],"requestId":"r"}\n',
    b'{"input":{"key":7,"notation":7,"path":7,"prompt":7,"text":7,"url":7},"requestId":"r"}\n',
    b"[" * 100_000,
    b"\xff\xfe\n",
]


def manifest_of(folder):
    return json.loads((folder / "skill.json").read_text())


def body_of(folder):
    return (folder / "SKILL.md").read_text().split("---\n", 2)[2]


def closed(schema):
    """Every object schema inside, with its path."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            yield schema
        for value in schema.values():
            yield from closed(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from closed(value)


def test_the_standards_own_validator_accepts_it_skills_9(shipped):
    assert validate(shipped) == []


def test_its_body_is_short_and_its_description_fits_both_files(shipped):
    manifest = manifest_of(shipped)
    assert len(body_of(shipped).splitlines()) < 60
    assert manifest["name"] == shipped.name
    assert re.fullmatch(r"\d+\.\d+\.\d+", manifest["version"])
    assert 40 < len(manifest["description"]) <= 400


def test_its_scripts_are_there_and_may_be_executed_skills_8(shipped):
    for script in manifest_of(shipped)["scripts"]:
        path = shipped / script["path"]
        assert os.access(path, os.X_OK)
        assert path.read_bytes().startswith(b"#!/usr/bin/env ")
        assert 0 < script["timeout"] <= 120_000
        assert script["description"]


def test_every_file_under_scripts_is_declared(shipped):
    """What is not declared would be offered as a plain script (skills 9)."""
    there = {str(path.relative_to(shipped)) for path in (shipped / "scripts").rglob("*")}
    assert there == {script["path"] for script in manifest_of(shipped)["scripts"]}


def test_its_schemas_are_valid_closed_and_small(shipped):
    for script in manifest_of(shipped)["scripts"]:
        for schema in (script["inputSchema"], script["outputSchema"]):
            assert schema_problem(schema) is None
            assert all(inner["additionalProperties"] is False for inner in closed(schema))
        assert len(json.dumps(script["inputSchema"])) < 1500
        for name, field in script["inputSchema"]["properties"].items():
            assert field["description"], name
            if field.get("type") == "string" and "enum" not in field:
                assert field["maxLength"], name


def test_its_configuration_schema_accepts_its_own_defaults_skills_10(shipped):
    name = manifest_of(shipped).get("configSchema")
    assert (name is not None) == (shipped / "config-schema.json").exists()
    if name is None:
        return
    schema = json.loads((shipped / name).read_text())
    assert schema_problem(schema) is None
    assert schema["additionalProperties"] is False
    defaults = {key: field["default"] for key, field in schema["properties"].items() if "default" in field}
    assert not CompiledSchema(schema).problems(defaults)
    assert not CompiledSchema(schema).problems({})


def test_its_example_of_an_input_fits_a_script(shipped):
    examples = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", body_of(shipped), re.DOTALL)]
    scripts = manifest_of(shipped)["scripts"]
    assert any(not CompiledSchema(script["inputSchema"]).problems(examples[0]) for script in scripts)
    assert any(not CompiledSchema(script["outputSchema"]).problems(examples[1]) for script in scripts) or (
        shipped.name == "csv-report"  # its example is said to be shortened
    )


def test_its_python_knows_nothing_of_aeon(shipped):
    """The protocol is enough: standard library, its own modules, and Pillow where that is said."""
    allowed = sys.stdlib_module_names | ({"PIL"} if shipped.name == "csv-report" else set())
    for path in shipped.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert all(alias.name.split(".")[0] in allowed for alias in node.names), path
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                assert node.module.split(".")[0] in allowed, path


@pytest.mark.parametrize("line", MALFORMED, ids=range(len(MALFORMED)))
def test_a_request_that_cannot_be_used_is_refused_politely_skills_3(skills, shipped, line):
    for script in manifest_of(shipped)["scripts"]:
        assert skills.run_line(shipped.name, script["name"], line).error


def test_running_leaves_nothing_in_the_skills_own_folder_skills_11(skills, shipped):
    before = sorted(shipped.rglob("*"))
    for script in manifest_of(shipped)["scripts"]:
        skills.run_line(shipped.name, script["name"], b"{}\n")
    assert sorted(shipped.rglob("*")) == before
