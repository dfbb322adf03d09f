"""The text that Prometheus reads: legal names, escaped labels, one line a group."""

import re

from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.metrics.model import MetricDefinition, MetricGroup, MetricSummary, NewMetric
from aeon.platform.metrics.prometheus import format_exposition

LINE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)')
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"')
UNESCAPED = {r"\\": "\\", r"\"": '"', r"\n": "\n"}


def metric(name="tool.calls", scope="tool", aggregation="sum", data_type="integer", description=""):
    at = "2026-01-01T00:00:00.000000+00:00"
    return MetricDefinition(
        id=name,
        name=name,
        description=description,
        scope=scope,
        aggregation=aggregation,
        data_type=data_type,
        created_at=at,
        updated_at=at,
    )


def text_of(*groups, by=None, **fields):
    return format_exposition([MetricSummary(metric(**fields), by, None, None, list(groups))])


def read(text):
    """Every sample as (name, labels, value), the way the format's own description has it."""
    assert text == "" or text.endswith("\n")
    found = []
    for line in text.split("\n")[:-1]:
        if line.startswith("#"):
            continue
        name, labels, value = LINE.fullmatch(line).groups()
        given_ = {key: re.sub(r"\\.", lambda hit: UNESCAPED[hit[0]], said) for key, said in LABEL.findall(labels or "")}
        found.append((name, given_, float(value)))
    return found


def test_a_metric_is_a_gauge_with_its_help():
    text = text_of(MetricGroup(None, 3, 2), description="Calls of\nthe tool.")
    assert (
        text == "# HELP aeon_tool_calls Calls of\\nthe tool (sum).\n# TYPE aeon_tool_calls gauge\naeon_tool_calls 3\n"
    )
    assert text_of(MetricGroup(None, None, 0)).count("\n") == 2


def test_an_entity_has_its_name_beside_its_id():
    text = text_of(MetricGroup("t1", 3, 2, 'the "tool"'), MetricGroup("t2", 4, 1), by="entityId")
    assert text.splitlines()[2:] == [
        'aeon_tool_calls{tool_id="t1",tool="the \\"tool\\""} 3',
        'aeon_tool_calls{tool_id="t2"} 4',
    ]


def test_every_type_is_a_number():
    for kind, value, expected in (
        ("boolean", True, "1"),
        ("boolean", False, "0"),
        ("timestamp", "2026-01-01T00:00:00.500000+00:00", "1767225600.5"),
        ("float", 0.1, "0.1"),
        ("integer", 2**53, str(2**53)),
    ):
        text = text_of(MetricGroup(None, value, 1), data_type=kind, aggregation="last")
        assert text.splitlines()[-1].split()[-1] == expected
    assert text_of(MetricGroup(None, 7, 7), data_type="timestamp", aggregation="count").endswith(" 7\n")


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), unique=True), st.text(), st.floats(-1e300, 1e300))
def test_whatever_a_label_says_comes_back_and_begins_no_other_line(labels, description, value):
    labels = [label.replace("\r", " ") for label in labels]
    groups = [MetricGroup(label, value, 1) for label in labels]
    text = text_of(*groups, by="model", data_type="float", description=description)
    assert read(text) == [("aeon_tool_calls", {"model": label}, value) for label in labels]


names = st.from_regex(r"[a-z][a-z0-9]{0,3}(_[a-z0-9]{1,2})?(\.[a-z]{1,3}(_[a-z0-9])?)?", fullmatch=True)


@given(names, st.sampled_from(["service", "tool", "process", "conversation"]))
def test_every_name_is_legal(name, scope):
    fields = {"name": name, "scope": scope}
    NewMetric.parsed({**fields, "aggregation": "sum", "dataType": "integer"})
    ((exposed, _, _),) = read(text_of(MetricGroup(None, 1, 1), **fields))
    assert re.fullmatch(rf"aeon_{scope}_[a-z0-9_]+", exposed)
