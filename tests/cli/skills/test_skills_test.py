"""`aeon skill test`: the examples in a skill, run in the sandbox."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def examples():
    """`examples([...])`: a skill that echoes its arguments, with these examples."""
    scripts = Path("skills/echoer/scripts")
    scripts.mkdir(parents=True)
    (scripts.parent / "SKILL.md").write_text("---\nname: echoer\ndescription: Echoes.\n---\nRun it.")
    (scripts / "say.sh").write_text('#!/bin/sh\necho "$@"\n')
    (scripts / "deny.sh").write_text("#!/bin/sh\necho no >&2; exit 3\n")
    (scripts / "count.sh").write_text('#!/bin/sh\necho \'{"n": {"a": 1, "b": 2}}\'\n')

    def write(content: object) -> None:
        text = content if isinstance(content, str) else json.dumps(content)
        (scripts.parent / "examples.json").write_text(text)

    return write


def test_examples_that_hold_end_with_0(aeon, examples):
    examples([
        {"script": "scripts/say.sh", "args": ["a", "b"], "expect": {"text": "a b"}},
        {"script": "scripts/deny.sh", "expect": {"fails": True}},
        {"script": "scripts/count.sh", "expect": {"output": {"n": {"a": 1}}}},
        {"script": "scripts/say.sh"},
    ])  # fmt: skip
    ended = aeon("skill", "test", "echoer")

    assert ended.code == 0, ended.err
    assert [line.split()[0] for line in ended.out.splitlines()] == ["ok"] * 4


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ({"script": "scripts/say.sh", "args": ["a"], "expect": {"text": "b"}}, "does not contain 'b'"),
        ({"script": "scripts/say.sh", "expect": {"fails": True}}, "it must fail, but it ended well"),
        ({"script": "scripts/deny.sh"}, "it must end well, but Exit code 3: no"),
        ({"script": "scripts/count.sh", "expect": {"output": {"n": {"a": 2}}}}, "$.n.a must be 2, but it is 1"),
        ({"script": "scripts/absent.sh"}, "is not a script of any skill"),
    ],
)
def test_an_example_that_does_not_hold_ends_with_1_and_says_why(aeon, examples, example, said):
    examples([example])
    ended = aeon("skill", "test", "echoer")

    assert ended.code == 1
    assert said in ended.out
    assert said in aeon("skill", "test", "echoer", "--json").json["examples"][0]["problem"]


@pytest.mark.parametrize("content", [None, "{", "{}", '[{"scrip": 1}]', "[1]"])
def test_without_examples_or_with_broken_ones_it_is_code_2(aeon, examples, content):
    if content is not None:
        examples(content)
    ended = aeon("skill", "test", "echoer")

    assert (ended.code, ended.out) == (2, "")
    assert "examples.json" in ended.err
