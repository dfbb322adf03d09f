"""Requests: a key stands for one verb, target and parameters (platform 20); who asks is somebody."""

import inspect
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeon.adapters.results import FileResultStore
from aeon.platform.alerts.model import AlertChange, NewAlert
from aeon.platform.alerts.repository import AlertRepository
from aeon.platform.catalog.model import (
    NewSecret,
    NewService,
    NewServiceTemplate,
    NewTool,
    NewToolTemplate,
    SecretChange,
    ServiceChange,
    TemplateChange,
    ToolChange,
)
from aeon.platform.errors import ConflictError, UnknownUserError, VersionError
from aeon.platform.ledger import MutationRequest, RequestKey
from aeon.platform.metrics.model import MetricChange, NewMetric
from aeon.platform.metrics.service import Metrics
from aeon.platform.processes.model import NewProcess, ProcessChange
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.machine.events import CancelRequested, RunCancelled, RunStarted
from aeon.platform.runs.model import RunEntry
from aeon.platform.runs.replay import replay
from aeon.platform.runs.service import Runs
from aeon.platform.schedules.model import NewSchedule, ScheduleChange
from aeon.platform.schedules.repository import ScheduleRepository
from aeon.platform.webhooks.model import NewWebhook, WebhookChange
from aeon.platform.webhooks.repository import WebhookRepository

from .conftest import SERVICE, TOOL

ROOMS_OF_CATALOG = ("services", "secrets", "tools", "service_templates", "tool_templates")
STEP = {"id": "one", "output": {"variable": "x"}}
METRIC = {"scope": "tool", "aggregation": "sum", "dataType": "integer"}


_CONDITION = {"metric": "process.failures", "comparison": ">", "threshold": 3}


class Platform:
    """A world's rooms, and fresh things in them."""

    def __init__(self, world, folder):
        self.world, self.catalog, store = world, world.catalog, world.store
        self.ann, self.bob = world.user("ann"), world.user("bob")
        self.processes = ProcessRepository(store, self.catalog)
        self.schedules = ScheduleRepository(store, self.catalog, self.processes)
        self.webhooks = WebhookRepository(store, self.catalog, self.processes)
        metrics = Metrics(store, self.catalog.ledger)
        self.definitions = metrics.definitions
        self.alerts = AlertRepository(store, self.catalog, self.processes, metrics)
        results = FileResultStore(folder)
        self.runs = Runs(store, self.catalog.ledger, self.processes, results, self.catalog.new_id)
        self._numbers = count()

    def name(self):
        return f"{self.ann} {next(self._numbers)}"

    def key(self):
        return MutationRequest(self.ann, self.name())

    def service(self, user=None):
        return self.world.service(user or self.ann, name=self.name(), shared=True)

    def secret(self):
        return self.world.secret(self.ann, self.name())

    def tool(self, user=None):
        user = user or self.ann
        return self.world.tool(user, self.service(user), name=self.name(), shared=True)

    def process(self):
        new = NewProcess.parsed({"name": self.name(), "steps": [{**STEP, "tool": self.tool().id}]})
        return self.processes.add(new, MutationRequest(self.ann))

    def schedule(self):
        new = NewSchedule.parsed({"name": self.name(), "process": self.process().id, "cron": "0 9 * * *"})
        return self.schedules.add(new, MutationRequest(self.ann))

    def alert(self):
        new = {"name": self.name(), "process": self.process().id, **_CONDITION}
        return self.alerts.add(NewAlert.parsed(new), MutationRequest(self.ann))

    def webhook(self):
        new = NewWebhook.parsed({"name": self.name(), "process": self.process().id})
        return self.webhooks.add(new, MutationRequest(self.ann))

    def metric(self):
        name = f"m{self.world._number}.x{next(self._numbers)}"
        return self.definitions.add(
            NewMetric.parsed({**METRIC, "name": name}), MutationRequest(self.ann), is_admin=True
        )

    def cancelled_run(self):
        run = self.runs.accept(self.process(), NewRun({}), MutationRequest(self.ann)).id
        work = self.runs.repository.claim(run, self.ann)
        events = [RunStarted(inputs={}), CancelRequested(by=self.ann), RunCancelled()]
        at = self.catalog.ledger.now()
        entries = [RunEntry(n=n, at=at, event=event) for n, event in enumerate(events, 1)]
        self.runs.repository.append(run, self.ann, entries, replay(work.plan, entries))
        return run

    def state(self):
        """What no refused mutation changes."""
        ledger = self.catalog.ledger
        return [ledger.chain_head(user) for user in (self.ann, self.bob)], self.world.vault.list_secrets()


def _made(room, new_class, **fields):
    def call(platform):
        new = new_class.parsed(
            {"name": platform.name(), **{k: v(platform) if callable(v) else v for k, v in fields.items()}}
        )
        return lambda request: room(platform).add(new, request)

    return call


def _catalog(name):
    return lambda platform: getattr(platform.catalog, name)


def _with(make, act):
    """A call on a fresh thing."""

    def call(platform):
        thing = make(platform)
        return lambda request: act(platform, thing, request)

    return call


def _rooms(name, make, *changes):
    """The changes of a fresh thing of a room, and its deletion."""

    def room(platform):
        return getattr(platform.catalog if name in ROOMS_OF_CATALOG else platform, name)

    change = [_with(make, lambda p, t, r, c=c: room(p).change(t.id, c, r)) for c in changes]
    return [*change, _with(make, lambda p, t, r: room(p).remove(t.id, r))]


NO_NAME = {name: value for name, value in SERVICE.items() if name != "name"}
PARTS = {"operation": TOOL["operation"], "inputSchema": TOOL["inputSchema"]}
FIELDS = {**PARTS, "connectionParams": TOOL["connectionParams"], "serviceId": lambda p: p.service().id}


def _rotated(value):
    return lambda p, secret, r: p.catalog.secrets.rotate(secret.id, {"key": value}, r)


def _started(inputs, **fields):
    return lambda p, process, r: p.runs.accept(process, NewRun(inputs, **fields), r)


def _key_replaced(*, keeps_old):
    return lambda p, webhook, r: p.webhooks.rotate(webhook.id, r, keeps_old=keeps_old).webhook


def _of_template(method, make, own):
    def call(platform):
        template, given = make(platform), {"name": platform.name(), **own(platform)}
        return lambda request: getattr(platform.catalog, method)(template.id, given, request)

    return call


def _binding(platform):
    return platform.tool(platform.bob), platform.secret()


def _bound(platform):
    tool, secret = _binding(platform)
    platform.catalog.tools.bind(tool.id, secret.id, MutationRequest(platform.ann))
    return tool


def _trusted(platform):
    tool, _ = _binding(platform)
    platform.catalog.tools.trust(tool.id, MutationRequest(platform.ann))
    return tool


def _metric_made(platform):
    new = NewMetric.parsed({**METRIC, "name": f"m{platform.world._number}.y{next(platform._numbers)}"})
    return lambda request: platform.definitions.add(new, request, is_admin=True)


def _metric(act):
    return _with(lambda p: p.metric(), lambda p, metric, r: act(p.definitions, metric.id, r))


MUTATIONS = [
    _made(_catalog("services"), NewService, **NO_NAME),
    *_rooms("services", lambda p: p.service(), ServiceChange(shared=False), ServiceChange(enabled=False)),
    _made(_catalog("secrets"), NewSecret, type="api_key", value={"key": "a"}),
    _made(_catalog("secrets"), NewSecret, type="api_key", value={"key": "b"}),
    *_rooms("secrets", lambda p: p.secret(), SecretChange(shared=True)),
    _with(lambda p: p.secret(), _rotated("a")),
    _with(lambda p: p.secret(), _rotated("b")),
    _made(_catalog("tools"), NewTool, **FIELDS),
    *_rooms("tools", lambda p: p.tool(), ToolChange(description="a"), ToolChange(description="b")),
    *_rooms("tools", lambda p: p.tool(), ToolChange.parsed({"effect": None}), ToolChange())[:-1],
    _with(_binding, lambda p, bound, r: p.catalog.tools.bind(bound[0].id, bound[1].id, r)),
    _with(_bound, lambda p, tool, r: p.catalog.tools.unbind(tool.id, r)),
    _with(_binding, lambda p, bound, r: p.catalog.tools.trust(bound[0].id, r)),
    _with(_trusted, lambda p, tool, r: p.catalog.tools.distrust(tool.id, r)),
    _made(_catalog("service_templates"), NewServiceTemplate, **NO_NAME),
    *_rooms("service_templates", lambda p: p.world.service_template(p.ann, name=p.name()), TemplateChange(shared=True)),
    _made(_catalog("tool_templates"), NewToolTemplate, **PARTS),
    *_rooms("tool_templates", lambda p: p.world.tool_template(p.ann, name=p.name()), TemplateChange(shared=True)),
    _of_template("service_from", lambda p: p.world.service_template(p.ann, name=p.name()), lambda p: {}),
    _of_template(
        "tool_from",
        lambda p: p.world.tool_template(p.ann, name=p.name()),
        lambda p: {"serviceId": p.service().id, "connectionParams": TOOL["connectionParams"]},
    ),
    _made(lambda p: p.processes, NewProcess, steps=lambda p: [{**STEP, "tool": p.tool().id}]),
    *_rooms("processes", lambda p: p.process(), ProcessChange(description="a"), ProcessChange(description="b")),
    _made(lambda p: p.schedules, NewSchedule, process=lambda p: p.process().id, cron="0 9 * * *"),
    *_rooms("schedules", lambda p: p.schedule(), ScheduleChange.parsed({"cron": "0 8 * * *"})),
    _made(lambda p: p.alerts, NewAlert, process=lambda p: p.process().id, **_CONDITION),
    *_rooms("alerts", lambda p: p.alert(), AlertChange(threshold=5.0)),
    _made(lambda p: p.webhooks, NewWebhook, process=lambda p: p.process().id),
    *_rooms("webhooks", lambda p: p.webhook(), WebhookChange(enabled=False)),
    _with(lambda p: p.webhook(), _key_replaced(keeps_old=True)),
    _with(lambda p: p.webhook(), _key_replaced(keeps_old=False)),
    _metric_made,
    _metric(lambda d, id_, r: d.change(id_, MetricChange(description="a"), r, is_admin=True)),
    _metric(lambda d, id_, r: d.remove(id_, r, is_admin=True)),
    _metric(lambda d, id_, r: d.remove(id_, r, is_admin=True, cascade=True)),
    _with(lambda p: p.process(), _started({})),
    _with(lambda p: p.process(), _started({}, timeout=5.0)),
    _with(lambda p: p.cancelled_run(), lambda p, run, r: p.runs.retry(run, r)),
]
"""Makes one call of each verb that takes a request, most with two values of a parameter."""


@pytest.fixture
def platform(world, tmp_path):
    return Platform(world, tmp_path)


def test_every_verb_that_takes_a_request_is_here(platform):
    catalog = platform.catalog
    rooms = [getattr(catalog, name) for name in ROOMS_OF_CATALOG]
    rooms += [
        catalog,
        platform.processes,
        platform.schedules,
        platform.webhooks,
        platform.alerts,
        platform.definitions,
        platform.runs,
    ]
    verbs = {
        f"{type(room).__name__}.{name}"
        for room in rooms
        for name, method in inspect.getmembers(room, inspect.ismethod)
        if not name.startswith("_") and "request" in inspect.signature(method).parameters
    }
    of_shelf = {"add", "change", "remove"}
    expected = {
        f"{type(room).__name__}.{name}" for room in rooms if room not in (catalog, platform.runs) for name in of_shelf
    }
    expected |= {
        "SecretRepository.rotate",
        "WebhookRepository.add_with_secret",
        "WebhookRepository.rotate",
        "ToolRepository.bind",
        "ToolRepository.unbind",
        "ToolRepository.trust",
        "ToolRepository.distrust",
        "Catalog.service_from",
        "Catalog.tool_from",
    }
    assert verbs == expected | {"Runs.accept", "Runs.retry"}


@given(first=st.sampled_from(MUTATIONS), second=st.sampled_from(MUTATIONS), is_same=st.booleans())
@settings(suppress_health_check=list(HealthCheck), deadline=None)
def test_platform_20_the_same_key_with_anything_else_is_a_conflict(platform, first, second, is_same):
    """Another verb, another target, another parameter: of the second call nothing happens."""
    first, second, request = first(platform), second(platform), platform.key()
    answer = first(request)
    before = platform.state()
    if is_same:
        assert first(request) == answer
    else:
        with pytest.raises(ConflictError, match="was used for another request"):
            second(request)
    assert platform.state() == before
    assert platform.catalog.ledger.verify_audit_log(platform.ann) is None


CHANGES = [
    *_rooms("services", lambda p: p.service(), ServiceChange(enabled=False)),
    *_rooms("secrets", lambda p: p.secret(), SecretChange(shared=True)),
    _with(lambda p: p.secret(), _rotated("a")),
    *_rooms("tools", lambda p: p.tool(), ToolChange(description="a")),
    *_rooms("service_templates", lambda p: p.world.service_template(p.ann, name=p.name()), TemplateChange(shared=True)),
    *_rooms("tool_templates", lambda p: p.world.tool_template(p.ann, name=p.name()), TemplateChange(shared=True)),
    *_rooms("processes", lambda p: p.process(), ProcessChange(description="a")),
    *_rooms("schedules", lambda p: p.schedule(), ScheduleChange.parsed({"cron": "1 9 * * *"})),
    *_rooms("webhooks", lambda p: p.webhook(), WebhookChange(enabled=False)),
    *_rooms("alerts", lambda p: p.alert(), AlertChange(enabled=False)),
    _with(lambda p: p.webhook(), _key_replaced(keeps_old=True)),
    _metric(lambda d, id_, r: d.change(id_, MetricChange(description="a"), r, is_admin=True)),
    _metric(lambda d, id_, r: d.remove(id_, r, is_admin=True)),
    _with(_binding, lambda p, bound, r: p.catalog.tools.bind(bound[0].id, bound[1].id, r)),
    _with(_binding, lambda p, bound, r: p.catalog.tools.trust(bound[0].id, r)),
]
"""Every verb that changes, deletes or speaks of something that has a version."""


@pytest.mark.parametrize("verb", CHANGES)
def test_a_change_of_another_version_than_was_seen_is_refused_and_nothing_happens(platform, verb):
    """Measured A5: of two editors one lost what they did."""
    call, before = verb(platform), platform.state()
    with pytest.raises(VersionError, match="for version 7, but it now has version 1") as raised:
        call(MutationRequest(platform.ann, platform.name(), expected=7))
    assert (raised.value.version, raised.value.status, platform.state()) == (1, 412, before)
    call(MutationRequest(platform.ann, expected=1))
    assert platform.state() != before


@pytest.mark.parametrize("verb", CHANGES)
def test_a_repetition_gets_its_first_answer_whatever_the_version_is_now_and_can_be_told_apart(platform, verb):
    """Measured A1. From the key, a door learns that nothing was done now."""
    call, key = verb(platform), RequestKey(platform.name())
    request = MutationRequest(platform.ann, key, expected=1)
    first = call(request)
    assert not key.is_replayed
    assert call(request) == first
    assert key.is_replayed


@given(verb=st.sampled_from(MUTATIONS))
@settings(suppress_health_check=list(HealthCheck), deadline=None)
def test_a_user_who_does_not_exist_is_an_error_of_its_own(platform, verb):
    """Measured A2: whatever is asked for, with a key and without."""
    call, before = verb(platform), platform.state()
    for key in (None, "key"):
        with pytest.raises(UnknownUserError, match="There is no user 'nobody'"):
            call(MutationRequest("nobody", key))
    assert platform.state() == before


READS = {
    **{f"{name}.get": lambda p, name=name: getattr(p.catalog, name).get("nobody", "x") for name in ROOMS_OF_CATALOG},
    **{f"{name}.find": lambda p, name=name: getattr(p.catalog, name).find("nobody", "x") for name in ROOMS_OF_CATALOG},
    "tools.usable": lambda p: p.catalog.tools.resolve("nobody", "x"),
    "secrets.reveal": lambda p: p.catalog.secrets.reveal("nobody", p.secret().id),
    "processes.get": lambda p: p.processes.get("nobody", p.process().id),
    "alerts.get": lambda p: p.alerts.get("nobody", p.alert().id),
    "webhooks.get": lambda p: p.webhooks.get("nobody", p.webhook().id),
    "schedules.get": lambda p: p.schedules.get("nobody", p.schedule().id),
    "runs.view": lambda p: p.runs.view("nobody", p.cancelled_run()),
    "runs.cancel": lambda p: p.runs.cancel("nobody", p.cancelled_run()),
    "runs.answer": lambda p: p.runs.answer("nobody", p.cancelled_run(), "one", 1),
    "runs.list_questions": lambda p: p.runs.list_questions("nobody", p.cancelled_run()),
    "jobs.get_dead_job": lambda p: p.runs.repository.get_dead_job("nobody", "x"),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_who_does_not_exist_is_told_so_where_nothing_is_found(platform, read):
    """Measured A2."""
    with pytest.raises(UnknownUserError):
        read(platform)
