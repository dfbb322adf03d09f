"""The laws of a layout: boxes apart, every line from its producer down to its consumer and through nothing."""

from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.platform.diagrams.layout import find_edges, layout_diagram
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.processes.sections import split_sections

HEIGHT = 48


@st.composite
def definitions(draw):
    """Up to forty steps, parallel and not, that depend on any before their stage."""
    modes = draw(st.lists(st.sampled_from(["sequential", "parallel"]), min_size=1, max_size=40))
    steps = []
    begin = 0
    for place, mode in enumerate(modes):
        if mode == "sequential" or place == 0 or modes[place - 1] == "sequential":
            begin = place
        needs = draw(st.lists(st.integers(0, begin - 1), max_size=4, unique=True)) if begin else []
        steps.append(
            {
                "id": f"s{place}",
                "tool": "t",
                "dependsOn": [f"s{each}" for each in needs],
                "output": {"variable": f"v{place}"},
                "execution": {"mode": mode},
            }
        )
    last = [{"id": f"f{place}", "tool": "t", "output": {"variable": f"f{place}"}} for place in range(draw(counts))]
    for each in steps[: draw(counts)]:
        each["compensate"] = {"tool": "t"}
    return ProcessDefinition.parsed({"name": "any", "steps": steps, "finally": last})


counts = st.integers(0, 3)
layouts = definitions().map(lambda definition: (definition, layout_diagram(definition, HEIGHT)))


def meet(one, other, room=0):
    return (
        one.x < other.x + other.width + room
        and other.x < one.x + one.width + room
        and one.y < other.bottom + room
        and other.y < one.bottom + room
    )


def crosses(box, begin, end):
    """Whether an upright or level line, or the box about a curve, meets the inside of a box."""
    left, right = sorted([begin[0], end[0]])
    top, bottom = sorted([begin[1], end[1]])
    return left < box.x + box.width and right > box.x and top < box.bottom and bottom > box.y


@given(layouts)
def test_no_two_boxes_meet_and_all_are_in_the_picture(found):
    definition, layout = found
    assert len(layout.boxes) == len(definition.all_steps)
    for one, other in combinations(layout.boxes, 2):
        assert not meet(one, other, room=10)
    for box in layout.frames:
        assert box.x >= 0
        assert box.x + box.width <= layout.width
        assert 0 < box.y < box.bottom <= layout.height


@given(layouts)
def test_every_stage_is_below_the_one_before(found):
    definition, layout = found
    for above, below in pairwise(layout.frames):
        assert above.bottom < below.y
    for stage, frame in zip(split_sections(definition)[1], layout.frames, strict=True):
        for place in stage:
            box = layout.boxes[place]
            assert frame.x <= box.x
            assert frame.y <= box.y
            assert box.bottom <= frame.bottom


@given(layouts)
def test_every_edge_goes_down_from_its_producer_to_its_consumer(found):
    definition, layout = found
    assert sorted(layout.paths) == sorted(find_edges(definition))
    wanted = {(needed, step.id) for step in definition.steps for needed in step.depends_on}
    ids = [step.id for step in definition.all_steps]
    assert {(ids[edge.producer], ids[edge.consumer]) for edge in layout.paths} == wanted
    for edge, path in layout.paths.items():
        above, below = layout.boxes[edge.producer], layout.boxes[edge.consumer]
        assert path[0][1] == above.bottom
        assert above.x < path[0][0] < above.x + above.width
        assert path[-1][1] == below.y
        assert below.x < path[-1][0] < below.x + below.width
        assert all(one[1] <= other[1] for one, other in pairwise(path)), "never upwards"


@given(layouts)
def test_no_line_goes_through_a_box_or_out_of_the_picture(found):
    _, layout = found
    lines = [pair for path in layout.paths.values() for pair in pairwise(path)]
    for begin, end in [*lines, *layout.spine]:
        assert not any(crosses(box, begin, end) for box in layout.boxes)
        assert 0 < min(begin[0], end[0]) <= max(begin[0], end[0]) < layout.width


@given(layouts)
@settings(max_examples=60)
def test_lines_of_different_steps_never_lie_on_each_other(found):
    """But those that come to one step may: they join where there is a dot."""
    _, layout = found
    pieces = {
        (edge, pair[0], pair[1]) for edge, path in layout.paths.items() if len(path) > 2 for pair in pairwise(path)
    }
    for (edge, begin, end), (other, start, stop) in combinations(sorted(pieces), 2):
        if edge.producer == other.producer or edge.consumer == other.consumer:
            continue
        if begin[0] == end[0] == start[0] == stop[0]:
            assert end[1] <= start[1] or stop[1] <= begin[1]
        elif begin[1] == end[1] == start[1] == stop[1]:
            assert max(begin[0], end[0]) <= min(start[0], stop[0]) or max(start[0], stop[0]) <= min(begin[0], end[0])


@given(layouts)
def test_stages_hang_together(found):
    """By a line, or because every step of the later one takes something from the earlier one; sections by none."""
    definition, layout = found
    stages = split_sections(definition)[1]
    edges = find_edges(definition)
    joined = {(begin[1], end[1]) for begin, end in layout.spine}
    first = {stages[section.stages.start][0] for section in split_sections(definition)[0] if section.steps}
    for (above, below), (before, after) in zip(pairwise(layout.frames), pairwise(stages), strict=True):
        if after[0] in first:
            assert (above.bottom, below.y) not in joined
            continue
        fed = {edge.consumer for edge in edges if edge.producer in before}
        assert fed.issuperset(after) != ((above.bottom, below.y) in joined)


def test_fewer_lines_cross_than_in_the_order_of_the_definition():
    """Three pairs of parallel steps, the second ones in the opposite order."""
    texts = [f"a{number}" for number in range(5)]
    steps = [{"id": id_, "tool": "t", "output": {"variable": f"v{id_}"}} for id_ in (*texts, "middle")]
    for each in steps[:5]:
        each["execution"] = {"mode": "parallel"}
    for number, needed in enumerate(reversed(texts)):
        each = {"id": f"b{number}", "tool": "t", "dependsOn": [needed], "output": {"variable": f"w{number}"}}
        steps.append({**each, "execution": {"mode": "parallel"}})
    layout = layout_diagram(ProcessDefinition.parsed({"name": "turned", "steps": steps}), HEIGHT)
    above = [layout.boxes[number].x for number in range(5)]
    below = [layout.boxes[10 - number].x for number in range(5)]
    assert sorted(above) in (above, above[::-1])
    assert [above.index(x) for x in sorted(above)] == [below.index(x) for x in sorted(below)]


@given(layouts)
def test_a_caption_stands_between_its_section_and_what_is_above(found):
    definition, layout = found
    later = [section for section in split_sections(definition)[0][1:] if section.steps]
    assert list(layout.captions) == [section.name for section in later]
    for section in later:
        _, y = layout.captions[section.name]
        assert max(box.bottom for box in layout.boxes[: section.steps.start]) < y - 12
        assert y < min(layout.boxes[place].y for place in section.steps)
