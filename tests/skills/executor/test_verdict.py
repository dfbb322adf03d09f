"""What an outcome comes to (skills 1-4)."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from aeon.base.json import MAX_DEPTH
from aeon.base.next_steps import NextStep
from aeon.skills.executor.node_verdict import NodeFailure, judge_result
from aeon.skills.failures import RETRYABLE, FailureClass
from aeon.skills.invocation import Invocation, InvocationResult, ScriptAccess, ScriptExitReason
from aeon.testing.scripts import asset, done, error, log, script, state_patch

TOO_DEEP = json.loads('{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1))
INVOCATION = Invocation(["sh", "/copies/s/scripts/go.sh"], b"", Path("/usr/share"), {})
NDJSON, PLAIN = script("go"), script("go", protocol="plain")


def came_to(*events, chosen=NDJSON, ending=ScriptExitReason.EXITED, exit_code=0, **fields):
    return judge_result(InvocationResult(ending, exit_code, events, **fields), chosen, INVOCATION)


def test_the_output_is_what_the_patches_make_of_nothing():
    """Skills 6: RFC 7396, in order."""
    assert came_to(state_patch({"a": {"b": 1, "c": 2}}), log("x"), state_patch({"a": {"b": None}}), done()) == {
        "a": {"c": 2}
    }


def test_assets_and_summary_are_added_where_no_patch_set_them():
    said = (asset("pic", "/x.png", "image", "image/png"), done(summary="drawn"))
    assert came_to(*said) == {
        "assets": {"pic": {"path": "/x.png", "kind": "image", "mediaType": "image/png"}},
        "summary": "drawn",
    }
    assert came_to(state_patch({"assets": 1, "summary": 2}), *said) == {"assets": 1, "summary": 2}
    assert came_to(done()) == {}


FAILURES = {
    "no done and exit code 0 (skills 4)": (
        {"events": [log("x")], "stderr": "one\ntwo\n\nthree\nfour\n"},
        FailureClass.PROTOCOL_VIOLATION,
        "The script ended without a done event: two / three / four",
    ),
    "exit code whatever was emitted (skills 3)": (
        {"events": [done()], "exit_code": 3},
        FailureClass.EXIT_CODE,
        "Exit code 3.",
    ),
    "exit code with the script's own words": (
        {"events": [error("E1", "no file")], "exit_code": 1, "stderr": "Traceback"},
        FailureClass.EXIT_CODE,
        "Exit code 1: E1: no file",
    ),
    "a signal by its name": (
        {"events": [], "exit_code": -11, "stderr": "oh"},
        FailureClass.EXIT_CODE,
        "The script was ended by SIGSEGV: oh",
    ),
    "a signal without a name": ({"events": [], "exit_code": -99}, FailureClass.EXIT_CODE, "signal 99"),
    "ok false is a controlled failure (skills 3)": (
        {"events": [error("E1", "no file"), error("E2", "no luck"), done(ok=False)]},
        FailureClass.CONTROLLED,
        "E1: no file; E2: no luck",
    ),
    "ok false with a summary": ({"events": [done(ok=False, summary="nope")]}, FailureClass.CONTROLLED, "nope"),
    "ok false without a word": ({"events": [done(ok=False)]}, FailureClass.CONTROLLED, "without a reason"),
    "error events alone end nothing (skills 3)": (
        {"events": [error("E1", "no file")]},
        FailureClass.PROTOCOL_VIOLATION,
        "without a done event",
    ),
    "a violation": (
        {"events": [done()], "violation": "line 3: no JSON object"},
        FailureClass.PROTOCOL_VIOLATION,
        "The script broke the protocol: line 3: no JSON object.",
    ),
    "a violation and an exit code": (
        {"events": [], "violation": "line 3", "exit_code": 2},
        FailureClass.EXIT_CODE,
        "Exit code 2; it had also broken the protocol: line 3.",
    ),
    "its time was over (skills 4)": (
        {"events": [], "ending": ScriptExitReason.TIMED_OUT, "exit_code": -15},
        FailureClass.TIMEOUT,
        "ended after 30 s",
    ),
    "too much output (skills 4)": (
        {"events": [], "ending": ScriptExitReason.OUTPUT_EXCEEDED, "exit_code": -9, "problem": "a line of 2 MiB"},
        FailureClass.OUTPUT_LIMIT,
        "a line of 2 MiB",
    ),
    "cancelled": ({"events": [], "ending": ScriptExitReason.CANCELLED}, FailureClass.CANCELLED, "cancelled"),
    "not started": (
        {"events": [], "ending": ScriptExitReason.NOT_STARTED, "exit_code": None, "problem": "no such file"},
        FailureClass.CANNOT_START,
        "no such file",
    ),
    "a patch nested too deeply": (
        {
            "events": [
                {"type": "state_patch", "patch": TOO_DEEP},
                done(),
            ]
        },
        FailureClass.PROTOCOL_VIOLATION,
        "nested too deeply",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_each_failure_is_named_for_what_it_is(name):
    fields, kind, said = FAILURES[name]
    others = {key: value for key, value in fields.items() if key != "events"}
    failure = came_to(*fields["events"], **others)
    assert isinstance(failure, NodeFailure)
    assert failure.kind is kind
    assert said in failure.message
    assert failure.exit_code == fields.get("exit_code", 0)


@pytest.mark.parametrize(
    ("stdout", "output"),
    [
        (b'{"a": [1]}\n', {"a": [1]}),
        (b" {} ", {}),
        (b"", {"text": ""}),
        (b"hello\n", {"text": "hello\n"}),
        (b"[1]", {"text": "[1]"}),
        (b'{"a": 1}{"b": 2}', {"text": '{"a": 1}{"b": 2}'}),
        (b'{"a": NaN}', {"text": '{"a": NaN}'}),
        (b'{"a": 1, "a": 2}', {"text": '{"a": 1, "a": 2}'}),
        ("é\u2028".encode(), {"text": "é\u2028"}),
    ],
)
def test_a_plain_script_s_output(stdout, output):
    """Skills 9: stdout is the output, exit code is success."""
    assert came_to(chosen=PLAIN, stdout=stdout) == output


def test_a_plain_script_fails_by_its_exit_code_and_by_bytes_that_are_no_text():
    """Skills 4: bytes that are no UTF-8 are a protocol violation, never a crash."""
    assert came_to(chosen=PLAIN, exit_code=1, stderr="no such option").kind is FailureClass.EXIT_CODE
    assert came_to(chosen=PLAIN, stdout=b"abc\xff").message == (
        "The script's output is not UTF-8 text, first at byte 3."
    )


def test_the_output_is_held_against_its_schema():
    total = {"type": "object", "properties": {"total": {"type": "integer"}}, "additionalProperties": False}
    chosen = script("go", output_schema=total)
    good = came_to(state_patch({"total": 3}), asset("a", "/a"), done(summary="3"), chosen=chosen)
    assert good["total"] == 3
    bad = came_to(state_patch({"total": "3", "sum": 1}), done(), chosen=chosen)
    assert bad.kind is FailureClass.INVALID_OUTPUT
    assert "$.total" in bad.message
    assert "'sum'" in bad.message
    needy = script("go", output_schema={"properties": {"summary": {"maxLength": 1}}, "required": ["summary"]})
    assert came_to(done(), chosen=needy).kind is FailureClass.INVALID_OUTPUT
    assert came_to(done(summary="12"), chosen=needy).kind is FailureClass.INVALID_OUTPUT
    assert came_to(done(summary="1"), chosen=needy) == {"summary": "1"}


def test_an_output_schema_that_is_none_is_the_skill_s_fault():
    assert came_to(done(), chosen=script("go", output_schema={"type": "x"})).kind is FailureClass.CONFIGURATION


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        (2, "usage: go [-h] --n N\ngo: error: the following arguments are required: --n", FailureClass.INVALID_INPUT),
        (2, "Usage: go [OPTIONS]\n\nError: No such option: --m", FailureClass.INVALID_INPUT),
        (2, "no route to the host", FailureClass.EXIT_CODE),
        (1, "usage: go [-h]", FailureClass.EXIT_CODE),
    ],
)
def test_wrong_arguments_are_not_tried_again(code, text, kind):
    failure = came_to(chosen=PLAIN, exit_code=code, stderr=text)

    assert failure.kind is kind
    assert (kind in RETRYABLE) is (kind is FailureClass.EXIT_CODE)


TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    go()\n{}\n'


@pytest.mark.parametrize(
    ("last", "sandbox", "kind"),
    [
        ("NameError: name 'x' is not defined", "bubblewrap", FailureClass.DEFECT),
        ("ModuleNotFoundError: No module named 'pandas'", "landlock", FailureClass.DEFECT),
        ("OSError: [Errno 30] Read-only file system: 'out.txt'", "bubblewrap", FailureClass.NOT_GRANTED),
        ("PermissionError: [Errno 13] Permission denied: 'out.txt'", "landlock", FailureClass.NOT_GRANTED),
        ("PermissionError: [Errno 13] Permission denied: 'out.txt'", "plain", FailureClass.EXIT_CODE),
        ("requests.exceptions.ConnectionError: no route", "bubblewrap", FailureClass.EXIT_CODE),
    ],
)
def test_what_each_attempt_would_repeat_is_not_tried_again_s12(last, sandbox, kind):
    failure = came_to(chosen=PLAIN, exit_code=1, stderr=TRACEBACK.format(last), sandbox=sandbox)

    assert failure.kind is kind
    assert (kind in RETRYABLE) is (kind is FailureClass.EXIT_CODE)
    assert failure.message.endswith(f": {last}"), "the line of a traceback that says what happened"


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("PermissionError: [Errno 13] Permission denied: 'out.txt'", "/usr/share"),
        ("OSError: [Errno 30] Read-only file system: '/usr/lib/out.txt'", "/usr/lib"),
        ("Error: EROFS: read-only file system, open '../out.txt'", "/usr"),
        ("go.sh: 3: cannot create ../lib/out.txt: Read-only file system", "/usr/lib"),
        ("touch: cannot touch '/usr/lib/a b.txt': Read-only file system", "/usr/lib"),
        ("go.sh: line 2: ../lib/out.txt: Permission denied", "/usr/lib"),
        ("mkdir: cannot create directory \u2018/usr/lib/new/deep\u2019: Read-only file system", "/usr/lib"),
        ("cannot create /out.txt: Read-only file system", "DIR"),
        ("EACCES", "/usr/share"),
    ],
)
def test_a_refused_write_names_the_folder_to_grant(text, folder):
    failure = came_to(chosen=PLAIN, exit_code=1, stderr=text, sandbox="bubblewrap")

    assert failure.kind is FailureClass.NOT_GRANTED
    assert failure.next_step == NextStep("skills.grant_write", skill=PLAIN.tool_path.partition("/")[0], folder=folder)


@pytest.mark.parametrize(
    "text",
    [
        "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
        "urllib.error.URLError: <urlopen error [Errno 13] Permission denied>",
        "curl: (6) Could not resolve host: example.org",
        "curl: (7) Failed to connect to localhost port 9 after 0 ms: Couldn't connect to server",
        "Error: getaddrinfo EAI_AGAIN example.org",
        "Error: connect ECONNREFUSED 127.0.0.1:9",
        "wget: unable to resolve host address 'example.org'",
        "OSError: [Errno 101] Network is unreachable",
        "dial tcp: lookup example.org: connection refused",
    ],
)
def test_a_script_without_the_network_that_wants_it_names_the_grant(text):
    outcome = InvocationResult(ScriptExitReason.EXITED, 1, stderr=text, sandbox="bubblewrap")
    refused = judge_result(outcome, PLAIN, INVOCATION)
    assert (refused.kind, refused.next_step.code) == (FailureClass.NOT_GRANTED, "skills.grant_network")

    granted = judge_result(outcome, PLAIN, replace(INVOCATION, access=ScriptAccess(network=True)))
    assert granted.next_step == "" or granted.next_step.code != "skills.grant_network"
    assert judge_result(outcome._replace(sandbox="plain"), PLAIN, INVOCATION).kind is FailureClass.EXIT_CODE


def test_a_long_path_of_the_script_does_not_hide_its_words():
    chosen = replace(PLAIN, tool_path="s/scripts/go.sh")
    failure = judge_result(
        InvocationResult(ScriptExitReason.EXITED, 2, stderr="/copies/s/scripts/go.sh: 3: oh"), chosen, INVOCATION
    )
    assert failure.message == "Exit code 2: s/scripts/go.sh: 3: oh"
