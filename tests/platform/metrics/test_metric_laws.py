"""What a store sums up is what the definition says of the very values (platform 18)."""

import statistics

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeon.platform.metrics.model import NewMetricValue

NUMBERS = {"integer": st.integers(-(10**9), 10**9), "float": st.floats(-1e6, 1e6, allow_subnormal=False)}
SAID = {
    "sum": sum,
    "avg": lambda values: statistics.fmean(values) if values else None,
    "min": lambda values: min(values, default=None),
    "max": lambda values: max(values, default=None),
    "count": len,
    "last": lambda values: values[-1] if values else None,
}


@pytest.mark.parametrize("data_type", NUMBERS)
@given(data=st.data())
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_summary_is_its_definition_s(measured, data_type, data):
    """In all, and for each value of a dimension; however the values came in batches."""
    batches = data.draw(
        st.lists(st.lists(st.tuples(NUMBERS[data_type], st.sampled_from("ab")), max_size=8), max_size=4)
    )
    metrics = {said: measured.metric(aggregation=said, data_type=data_type) for said in SAID}
    for batch in batches:
        measured.values.record(
            [
                NewMetricValue(metric.id, measured.tool.id, value, {"of": label})
                for metric in metrics.values()
                for value, label in batch
            ]
        )
    told = [pair for batch in batches for pair in batch]
    for said, metric in metrics.items():
        exact = SAID[said]([value for value, _ in told])
        assert measured.total(metric) == near(exact)
        labels = {label for _, label in told}
        expected = {label: SAID[said]([value for value, other in told if other == label]) for label in labels}
        assert measured.by(metric, "of") == {label: near(exact) for label, exact in expected.items()}


def near(exact):
    return exact if exact is None else pytest.approx(exact, rel=1e-12, abs=1e-3)
