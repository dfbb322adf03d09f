"""Metrics on the stores that the catalog is tested on, and short ways to measure things."""

import pytest

from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics.model import NewMetric, NewMetricValue
from aeon.platform.metrics.service import Metrics


class Measured:
    """A world with one user's service and tool, and metrics that no other test has."""

    def __init__(self, world):
        self.world, self.store, self.clock = world, world.store, world.clock
        self.metrics = Metrics(world.store, world.catalog.ledger)
        self.definitions, self.values = self.metrics.definitions, self.metrics.values
        self.me = world.user("me")
        self.service = world.service(self.me)
        self.tool = world.tool(self.me, self.service)
        self._number = 0

    def metric(self, *, scope="tool", aggregation="sum", data_type="integer", is_admin=True, **fields):
        self._number += 1
        name = f"m{self.world._number}.n{self._number}"
        new = {"name": name, "scope": scope, "aggregation": aggregation, "dataType": data_type, **fields}
        return self.definitions.add(NewMetric.parsed(new), MutationRequest(self.me), is_admin=is_admin)

    def record(self, metric, *values, entity=None, **dimensions):
        thing = (entity or self.tool).id
        self.values.record([NewMetricValue(metric.id, thing, value, dimensions) for value in values])

    def summary(self, metric, user=None, **asked):
        return self.values.summarize(user or self.me, metric, **asked)

    def total(self, metric, user=None, **asked):
        (group,) = self.summary(metric, user, **asked).groups
        return group.value

    def by(self, metric, dimension, user=None, **asked):
        return {group.label: group.value for group in self.summary(metric, user, by=dimension, **asked).groups}


@pytest.fixture
def measured(world):
    return Measured(world)
