"""Mermaid flowcharts of Processes: all steps and lines, and no name is more than a label."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.platform.diagrams.test_svg import HOSTILE, LANGUAGE, TWELVE, definition, step

from aeon.platform.diagrams.mermaid import escape_label, render_mermaid
from aeon.platform.runs.loop_counts import LoopCount
from aeon.platform.runs.machine.state import StepState

LINE = re.compile(
    r'---|title: "([^"\\\n]|\\.)*"|flowchart TD|end'
    r'|subgraph \w+\["[\w ,]*"\]'
    r'|s\d+(\["|\[\["|\(\["|\[/")[\w .,:/#;-]*(<br/>[\w .,:/#;-]*)*("\]|"\]\]|"\]\)|"/\])'
    r"|\w+ (-->|-\.->|~~~) \w+"
)


def test_the_whole_language_is_drawn():
    names = {"id-of-fetch": "get", "id-of-drop": "drop"}
    states = {"fetch": StepState(status="running", attempts=1)}
    assert render_mermaid(LANGUAGE, states, names, {"fetch": LoopCount("run", 57, 200)}) == (
        """---
title: "book trips"
---
flowchart TD
    s0["fetch<br/>each of #123;rows#125;: tool get<br/>running, 57 of 200"]
    s1(["pause<br/>wait PT5M<br/>waiting"])
    subgraph compensation["undoes, if the run fails"]
        s2["undo_fetch<br/>each of what was done: tool drop<br/>waiting"]
    end
    subgraph on_failure["if the run fails"]
        s3["tell<br/>tool id-of-tell<br/>waiting"]
    end
    subgraph finally["at the end"]
        s4["clean<br/>tool id-of-clean<br/>waiting"]
    end
    s0 -.-> s1
    s1 ~~~ compensation
    s2 ~~~ on_failure
    s3 ~~~ finally
"""
    )


def test_parallel_steps_are_in_a_frame_and_lines_lead_to_it():
    text = render_mermaid(TWELVE)
    assert '    subgraph parallel1["parallel"]\n        s1["papers<br/>tool id-of-papers"]\n' in text
    assert "    s0 --> s1\n" in text
    assert 's5[["summarize<br/>process id-of-summarize"]]' in text
    assert 's6[/"approve<br/>tool id-of-approve<br/>a person does it"/]' in text
    assert "    s0 -.-> parallel1\n" not in text, "each of its steps takes something from before"
    assert "    s6 -.-> parallel5\n" in text


@pytest.mark.parametrize(
    "hostile", [*HOSTILE, '"]\nend\nclick s0 "javascript:x"', "---\nx: 1", "`**b**`", "%%{init: {}}%%"]
)
def test_no_name_is_more_than_text(hostile):
    shown = definition(step("a", condition=hostile)).model_copy(update={"name": hostile})
    text = render_mermaid(shown, None, {"id-of-a": hostile})
    assert all(LINE.fullmatch(line.strip()) for line in text.splitlines()), text


@given(st.text(), st.text(), st.text())
def test_whatever_is_said_every_line_is_one_of_ours(name, target, condition):
    shown = definition(step("a", condition=condition[:4000] or "x")).model_copy(update={"name": name})
    lines = render_mermaid(shown, None, {"id-of-a": target}).split("\n")
    assert len(lines) == 6
    assert all(LINE.fullmatch(line.strip()) for line in lines[:-1]), lines


@given(st.text())
def test_a_label_is_read_back_as_it_was(text):
    shown = "".join(character if character.isprintable() else "\ufffd" for character in text)
    assert re.sub(r"#(\d+);", lambda found: chr(int(found[1])), escape_label(text)) == shown
