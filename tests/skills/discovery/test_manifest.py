"""skill.json by rule 8: every error at once, each with its path."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.skills.discovery.manifest import read_manifest

SOUND = {"name": "greet", "version": "1.0.0", "description": "Greets."}


def read(**fields):
    return read_manifest(json.dumps({**SOUND, **fields}).encode())


def test_only_name_version_and_description_are_required():
    """Skills 8: and the defaults are the rule's."""
    manifest = read().manifest

    assert manifest is not None
    assert (manifest.prompt, manifest.config_schema, manifest.priority) == ("prompt.md", "config-schema.json", 50)
    assert manifest.retry_policy is None
    assert [p.path for p in read_manifest(b"{}").problems] == ["$.name", "$.version", "$.description"]


def test_a_script_has_its_schemas_and_a_timeout_in_milliseconds():
    """Skills 8."""
    script = {"name": "run", "path": "scripts/run.py", "inputSchema": {"type": "object"}, "timeout": 500}
    manifest = read(scripts=[script]).manifest

    assert manifest is not None
    assert (manifest.scripts[0].timeout, manifest.scripts[0].required) == (500, True)


def test_every_field_wrong_is_every_field_reported():
    """Skills 8: all errors at once, each with its path."""
    script = {"name": "a b", "path": "", "timeout": 0, "inputSchema": {"type": "nothing"}, "required": "yes"}
    wrong = {
        "name": "No Name", "version": "1", "description": " ", "displayName": 1, "author": [], "license": {},
        "homepage": 2, "prompt": "", "configSchema": None, "scripts": [script, {"name": "a b"}, 3],
        "capabilities": "network", "dependencies": [1], "priority": 101,
        "retryPolicy": {"maxRetries": -1, "backoffMs": "1"},
    }  # fmt: skip
    paths = [problem.path for problem in read_manifest(json.dumps(wrong).encode()).problems]

    expected = {f"$.{field}" for field in wrong} - {"$.scripts", "$.dependencies", "$.retryPolicy"}
    expected |= {f"$.scripts[0].{field}" for field in script} | {"$.scripts[1].path", "$.scripts[1].name"}
    expected |= {"$.scripts[2]", "$.dependencies[0]", "$.retryPolicy.maxRetries", "$.retryPolicy.backoffMs"}
    assert set(paths) == expected


@pytest.mark.parametrize("version", ["1.0", "01.0.0", "1.0.0.0", "v1.0.0", "1.0.0-", "1.0.0\n"])
def test_a_version_is_a_semantic_one(version):
    """Skills 8."""
    assert [problem.path for problem in read(version=version).problems] == ["$.version"]


def test_unknown_fields_are_kept_apart():
    manifest = read(extra=1, scripts=[{"name": "a", "path": "p", "lang": "py"}]).manifest

    assert manifest is not None
    assert manifest.unknown_fields() == ["$.extra", "$.scripts[0].lang"]


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"{", b'{"a": NaN}', b'{"a":1,"a":2}', b"[" * 5000, b'"x"'])
def test_what_is_no_manifest_is_a_problem(data):
    reading = read_manifest(data)
    assert reading.manifest is None
    assert reading.problems


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["name", "version", "description", "scripts", "prompt", "x"]), JSON))
def test_no_json_object_crashes_the_reader(value):
    reading = read_manifest(json.dumps(value).encode())
    assert (reading.manifest is None) == bool(reading.problems)
