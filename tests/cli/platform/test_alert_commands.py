"""`aeon process alert`: made, listed, shown, disabled and deleted; what is wrong is told (platform 48)."""

from pathlib import Path

import pytest

TELL = """
kind: Process
name: tell
inputs: {value: {type: number}, who: {type: string}}
steps: [{id: hold, wait: 0, output: held}]
"""


@pytest.fixture
def told(aeon):
    Path("tell.yaml").write_text(TELL)
    assert aeon("apply", "-f", "tell.yaml").code == 0


@pytest.mark.usefixtures("told")
def test_alerts_are_made_listed_shown_disabled_and_deleted(aeon):
    condition = ("--metric", "process.failures", "--when", "> 2", "--input", "who=me")
    made = aeon("process", "alert", "create", "failing", "tell", *condition)
    assert made.out == "failing tell: process.failures > 2, ok\n"
    assert "aeon serve worker" in made.err
    more = ("--of", "tell", "--window", "1h", "--for", "2m", "--every", "30s", "--repeat", "6h", "--aggregation", "max")
    full = aeon("process", "alert", "create", "other", "tell", *condition, *more, "--json").json
    durations = ("windowSeconds", "holdSeconds", "intervalSeconds", "repeatHours")
    assert [full[name] for name in durations] == [3600, 120, 30, 6]
    assert (full["aggregation"], full["entity"], full["scope"]) == ("max", full["process"], "process")
    assert aeon("process", "alert", "list").cells("NAME", "WHEN", "PROCESS", "STATE", "VALUE") == [
        ("failing", "process.failures > 2", "tell", "ok", ""),
        ("other", "process.failures > 2", "tell", "ok", ""),
    ]
    assert [each["name"] for each in aeon("process", "uses", "tell", "--json").json] == ["failing", "other"]
    assert aeon("process", "alert", "disable", "failing").out == "failing tell: process.failures > 2, disabled\n"
    assert aeon("process", "alert", "show", "failing", "--json").json["enabled"] is False
    assert aeon("process", "alert", "enable", "failing").out == made.out
    assert "another user's Process" in aeon("process", "alert", "trust", "failing").err
    assert aeon("process", "alert", "list", "--user", "ann").out == ""
    assert aeon("process", "alert", "delete", "--yes", "failing").out == "deleted failing\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--when", "about 3"], "'about 3' is not a condition"),
        (["--when", "> 1e999"], "threshold"),
        (["--window", "soon"], "'soon' is not a duration"),
        (["--every", "1s", "--window", "1s"], "intervalSeconds"),
        (["--metric", "process.nothing"], "no metric"),
        (["--of", "nothing"], "nothing named 'nothing'"),
        (["--input", "whom=me"], "no input whom"),
        (["--input", "whom=me"], "who (each with --input NAME=VALUE"),
    ],
)
@pytest.mark.usefixtures("told")
def test_what_cannot_work_is_refused_when_the_alert_is_made(aeon, options, said):
    given = {"--metric": "process.failures", "--when": "> 2", "--input": "who=me"}
    given |= dict(zip(options[::2], options[1::2], strict=True))
    refused = aeon("process", "alert", "create", "failing", "tell", *(each for pair in given.items() for each in pair))
    assert (refused.code, said in " ".join(refused.err.split())) == (2, True), refused.err
    assert aeon("process", "alert", "list", "--json").json == []
