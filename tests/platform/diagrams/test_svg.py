"""Pictures of Processes: whole, well-formed whatever the names say, the same every time, and readable by ear too."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from aeon.platform.diagrams.drawing import CSS, STATUSES, clip_text
from aeon.platform.diagrams.svg import render_svg
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.runs.loop_counts import LoopCount
from aeon.platform.runs.machine.state import StepState

SVG = "{http://www.w3.org/2000/svg}"


def step(id_, *needs, mode="sequential", process=False, **execution):
    target = {"process" if process else "tool": f"id-of-{id_}"}
    execution = {"mode": mode, **execution}
    return {"id": id_, **target, "dependsOn": list(needs), "output": {"variable": f"v_{id_}"}, "execution": execution}


def definition(*steps, name="research"):
    return ProcessDefinition.parsed({"name": name, "steps": list(steps)})


TWELVE = definition(
    step("topic"),
    step("papers", "topic", mode="parallel"),
    step("news", "topic", mode="parallel"),
    step("forums", "topic", mode="parallel", condition="step.v_topic.depth > 1 && '<b>' != \"x\""),
    step("merge", "papers", "news", "forums"),
    step("summarize", "merge", process=True),
    step("approve", "summarize", interactionMode="manual"),
    step("german", "summarize", mode="parallel"),
    step("french", "summarize", mode="parallel"),
    step("publish", "german", "french", "approve"),
    step("notify", "topic", "publish"),
    step("archive", "papers", "publish"),
)


LANGUAGE = ProcessDefinition.parsed(
    {
        "name": "book trips",
        "initialContext": ["rows"],
        "steps": [
            {
                "id": "fetch",
                "tool": "id-of-fetch",
                "forEach": {"items": "{rows}"},
                "output": {"variable": "v_fetch"},
                "compensate": {"tool": "id-of-drop"},
            },
            {"id": "pause", "wait": "PT5M", "output": {"variable": "v_pause"}},
        ],
        "onFailure": [step("tell")],
        "finally": [step("clean")],
    }
)


def read(text):
    return ET.fromstring(text)  # noqa: S314  # our own output


def steps_in(root):
    return {group.get("data-step"): group for group in root.iter(f"{SVG}g") if group.get("data-step")}


def words(element):
    return [text.text for text in element.iter(f"{SVG}text")]


def classes(element):
    return {word for each in element.iter() for word in (each.get("class") or "").split()}


def test_every_step_is_drawn_once_with_what_it_calls_and_how():
    root = read(render_svg(TWELVE, names={"id-of-topic": "choose a topic", "id-of-summarize": "summary"}))
    drawn = steps_in(root)
    assert list(drawn) == [each.id for each in TWELVE.steps]
    assert words(drawn["topic"]) == ["topic", "tool choose a topic"]
    assert words(drawn["summarize"]) == ["summarize", "process summary"]
    assert words(drawn["merge"]) == ["merge", "tool id-of-merge"]
    assert {id_ for id_, group in drawn.items() if "inner" in classes(group)} == {"summarize"}
    assert {id_ for id_, group in drawn.items() if "mark" in classes(group)} == {"forums"}
    assert {id_ for id_, group in drawn.items() if "person" in classes(group)} == {"approve"}
    told = drawn["forums"].find(f"{SVG}title").text
    assert told == "forums: tool id-of-forums; only if step.v_topic.depth > 1 && '<b>' != \"x\"; takes from topic"


def test_the_whole_language_is_drawn():
    """Sections below each other with when they run; a loop as one box with another behind it; a wait with its time."""
    names = {"id-of-fetch": "get", "id-of-drop": "drop"}
    root = read(render_svg(LANGUAGE, names=names))
    drawn = steps_in(root)
    assert list(drawn) == ["fetch", "pause", "undo_fetch", "tell", "clean"]
    assert words(drawn["fetch"]) == ["fetch", "each of {rows}: tool get"]
    assert words(drawn["pause"]) == ["pause", "wait PT5M"]
    assert drawn["undo_fetch"].find(f"{SVG}title").text == "undo_fetch: each of what was done: tool drop"
    assert {id_ for id_, group in drawn.items() if "behind" in classes(group)} == {"fetch", "undo_fetch"}
    assert {id_ for id_, group in drawn.items() if "clock" in classes(group)} == {"pause"}
    captions = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "caption"]
    assert captions == ["undoes, if the run fails", "if the run fails", "at the end"]
    assert words(root)[-3:] == ["waits for it", "once for each item", "waits for a time"]


def test_a_loop_says_how_far_it_is():
    states = {"fetch": StepState(status="running", attempts=1)}
    drawn = steps_in(read(render_svg(LANGUAGE, states, {}, {"fetch": LoopCount("run", 57, 1200)})))
    assert words(drawn["fetch"])[2] == "running, 57 of 1,200"
    assert drawn["fetch"].find(f"{SVG}title").text.endswith("; running, 57 of 1,200")


def test_every_edge_is_drawn_once():
    lines = [
        (line.get("data-from"), line.get("data-to"))
        for line in read(render_svg(TWELVE)).iter(f"{SVG}path")
        if line.get("data-from")
    ]
    assert sorted(lines) == sorted((needed, each.id) for each in TWELVE.steps for needed in each.depends_on)


def test_a_status_is_a_word_and_a_colour():
    ids = [each.id for each in TWELVE.steps]
    states = {id_: StepState(status=status, attempts=2) for id_, status in zip(ids, STATUSES, strict=False)}
    root = read(render_svg(TWELVE, states))
    drawn = steps_in(root)
    for id_, state in states.items():
        assert words(drawn[id_])[2] == f"{state.status}, attempt 2"
        assert drawn[id_].get("class") == f"step {state.status}"
        assert f".aeon-process .{state.status} .box" in CSS or state.status == "waiting"
    assert words(drawn["archive"])[2] == "waiting"
    assert set(STATUSES) <= set(words(root)), "the legend says each"
    assert root.find(f"{SVG}desc").text == (
        "12 step(s) in 9 stage(s), from above to below. 5 waiting, 1 running, 1 retrying, 1 stopping, 1 completed, "
        "1 failed, 1 skipped, 1 stopped."
    )


def test_the_legend_explains_what_is_there_and_nothing_else():
    assert words(read(render_svg(definition(step("one"))))) == ["research", "one", "tool id-of-one"]
    assert words(read(render_svg(definition(step("one"), step("two")))))[-1:] == ["waits for it"]
    assert words(read(render_svg(TWELVE)))[-5:] == [
        "takes its result",
        "waits for it",
        "only if its condition holds",
        "a person does it",
        "another process",
    ]


def test_it_can_be_heard():
    """Title and description for screen readers."""
    root = read(render_svg(TWELVE))
    assert (root.get("role"), root.find(f"{SVG}title").text) == ("img", "research")
    ids = {each.get("id") for each in root if each.get("id")}
    assert set(root.get("aria-labelledby").split()) == ids


def test_it_is_light_and_dark_and_needs_nothing_from_elsewhere():
    text = render_svg(TWELVE, {})
    assert "@media (prefers-color-scheme:dark)" in text
    assert not re.search(r"<script|href|url\(|@import|\bon\w+=|<foreignObject|<!", text)
    assert text.count("http") == 1, "the namespace"


HOSTILE = [
    "</text><script>alert(1)</script>",
    '"><image href="http://x"/>',
    "]]>&lt;&#x0;&bogus;",
    "</style><style>*{display:none}",
    "\u202etfel ot thgir\u2066",
    "漢字" * 90,
    "e\u0301" * 100,
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_name_is_more_than_text(hostile):
    hostile_name = hostile[:200]
    plain = render_svg(TWELVE, {}, {"id-of-topic": "x"})
    parsed = definition(step("topic", condition=hostile), name=hostile_name)
    text = render_svg(parsed, {}, {"id-of-topic": hostile})
    root = read(text)
    assert {each.tag for each in root.iter()} <= {each.tag for each in read(plain).iter()}
    assert root.find(f"{SVG}title").text == re.sub("[\u202e\u2066]", "\ufffd", hostile_name)
    assert not re.search("[\u202e\u2066\x00]", text)


@given(st.text(), st.text(), st.text())
def test_whatever_is_said_the_document_is_well_formed(name, target, condition):
    shown = definition(step("a", condition=condition[:4000] or "x"))
    shown = shown.model_copy(update={"name": name})
    root = read(render_svg(shown, None, {"id-of-a": target}))
    assert len(steps_in(root)) == 1


@given(st.text(), st.integers(4, 60))
def test_a_clipped_text_fits(text, cells):
    """Its end is left out, and nothing where it fits."""
    found = clip_text(text, cells)
    assert cell_len(found) <= cells or not text.isascii()
    assert found == text or text.startswith(found.removesuffix("..."))
    assert clip_text("漢字漢字", 7) == "漢字..."
    assert clip_text("漢字漢字", 8) == "漢字漢字"


def test_the_same_definition_is_the_same_picture_byte_for_byte():
    again = ProcessDefinition.parsed(TWELVE.as_dict())
    states = {"topic": StepState(status="completed"), "news": StepState(status="failed")}
    turned = dict(reversed(states.items()))
    assert render_svg(TWELVE, states, {"a": "b"}) == render_svg(again, turned, {"a": "b"})


@pytest.mark.parametrize("shape", ["chain", "star", "ladder"])
@pytest.mark.timeout(30)
def test_three_hundred_steps_take_less_than_a_second(shape):
    steps = {
        "chain": [step(f"s{n}", *[f"s{m}" for m in range(max(0, n - 5), n)]) for n in range(300)],
        "star": [step("s0"), *(step(f"s{n}", "s0", mode="parallel") for n in range(1, 300))],
        "ladder": [step(f"s{n}", *([f"s{n % 7}"] if n > 7 else [])) for n in range(300)],
    }[shape]
    wanted = definition(*steps)
    text = render_svg(wanted, {})
    assert len(steps_in(read(text))) == 300


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("is_dark", [False, True])
def test_every_text_can_be_read_on_every_box(is_dark):
    """A contrast of 4.5 at least, as accessible pages have it."""
    light, dark = CSS.split("@media")
    sheet = dark if is_dark else light
    inks = re.findall(r"(?:text|\.note)\{[^}]*fill:(#\w{6})", sheet)
    grounds = re.findall(r"(?:box|ground)\{fill:(#\w{6})", sheet)
    assert (len(inks), len(grounds)) == (2, 7)
    for ink in inks:
        for ground in grounds:
            brighter, darker = sorted([luminance(ink), luminance(ground)], reverse=True)
            assert (brighter + 0.05) / (darker + 0.05) >= 4.5, (ink, ground)
