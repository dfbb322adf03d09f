"""Results of pure tools are used again, by whoever may call the tool, and by nobody else (platform 3, 4, 19)."""

import itertools

import pytest

from aeon.adapters.results import FileResultStore
from aeon.base.masking import HIDDEN
from aeon.platform.catalog.model import ServiceChange, ToolChange
from aeon.platform.catalog.oauth_tokens import OAuthTokens
from aeon.platform.catalog.operations import TokenUsage
from aeon.platform.catalog.result_cache import CacheKey
from aeon.platform.catalog.tool_calls import OperationError, OperationResult, StoredToolCaller
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.model import Job
from aeon.platform.store import StoreUnavailableError
from aeon.platform.workers.job_runner import make_cached_result_lookup, make_job_runner
from aeon.platform.workers.result_cache.repository import MAX_RESULT_CHARS, SqlResultCache
from aeon.testing.clock import FakeClock

INPUT = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
PURE = {"effect": "pure", "inputSchema": INPUT, "outputSchema": {"type": "object", "required": ["n"]}}


class Counting:
    """Answers `n` with the number of the call, unless it is told something else."""

    def __init__(self):
        self.calls = []
        self.says = None

    def execute(self, work):
        self.calls.append(work)
        if isinstance(self.says, Exception):
            raise self.says
        if self.says is not None:
            return OperationResult(self.says)
        return OperationResult({"n": len(self.calls), "id": work.arguments["id"]}, TokenUsage(3, 4, None))


class NoTokenServer:
    """Is not to be asked."""

    def answer(self, value, *, allow_private):
        raise AssertionError("no token was to be refreshed")


class Caching:
    """A caller of tools with a cache, and what it does."""

    def __init__(self, world, folder):
        self.world = world
        self.owner, self.other = world.user("owner"), world.user("other")
        self.doing = Counting()
        self.clock = FakeClock()
        self.results = FileResultStore(folder / "results")
        self.cache = SqlResultCache(world.store, self.results, self.clock)
        tokens = OAuthTokens(world.catalog.secrets, NoTokenServer(), FakeClock())
        made = StoredToolCaller(world.catalog, {"rest_request": self.doing}, tokens, FakeClock())
        self.caller = made.with_cache(self.cache)
        self.service = world.service(self.owner)

    def tool(self, **fields):
        return self.world.tool(self.owner, self.service, **{**PURE, **fields})

    def call(self, tool, id_="a", user=None):
        return self.caller.call(user or self.owner, tool.id, {"id": id_})

    def made(self):
        return len(self.doing.calls)


@pytest.fixture
def caching(world, tmp_path):
    return Caching(world, tmp_path)


def test_an_equal_call_of_a_pure_tool_is_made_once(caching):
    tool = caching.tool()
    first, again = caching.call(tool), caching.call(tool)
    assert (again.output, again.cached, again.usage) == (first.output, True, None)
    assert (first.cached, caching.made()) == (False, 1)
    assert caching.call(tool, "b").cached is False


@pytest.mark.parametrize("effect", [None, "read", "idempotent", "once"])
def test_of_other_tools_every_call_is_made(caching, effect):
    tool = caching.tool(effect=effect)
    assert [caching.call(tool).cached, caching.call(tool).cached] == [False, False]


def test_what_has_changed_is_called_again(caching):
    tool = caching.tool()
    caching.call(tool)
    caching.world.catalog.tools.change(
        tool.id,
        ToolChange.parsed({"operation": {"type": "rest_request", "path": "/new/{id}"}}),
        MutationRequest(caching.owner),
    )
    assert caching.call(tool).cached is False
    change = ServiceChange.parsed({"connectionSchema": {"type": "object", "required": ["endpoint"]}})
    caching.world.catalog.services.change(caching.service.id, change, MutationRequest(caching.owner))
    assert caching.call(tool).cached is False
    assert caching.call(tool).cached is True


def test_another_user_is_given_it_only_where_he_may_call_the_tool(caching):
    """Platform 4: checked before each use; platform 19: each use is in both trails."""
    tool = caching.tool(shared=True)
    caching.call(tool)
    assert caching.call(tool, user=caching.other).cached is True
    for user in (caching.owner, caching.other):
        deeds = [entry["action"] for entry in caching.world.catalog.ledger.audit_log(user)]
        assert deeds.count("tool.use") == 1
    caching.world.catalog.tools.change(tool.id, ToolChange.parsed({"shared": False}), MutationRequest(caching.owner))
    with pytest.raises(NotFoundError):
        caching.call(tool, user=caching.other)
    with pytest.raises(NotFoundError):
        caching.caller.find_cached(caching.other, tool.id, {"id": "a"})


def test_what_is_disabled_or_given_wrongly_is_refused_though_it_is_kept(caching):
    """Platform 4, 5: access, schema and health come before the cache."""
    tool = caching.tool()
    caching.call(tool)
    with pytest.raises(RuleError, match="does not fit its schema"):
        caching.caller.call(caching.owner, tool.id, {"id": 1})
    down = "UPDATE tools SET status = 'down' WHERE id = :id"
    caching.world.store.update(lambda unit: unit.write(down, {"id": tool.id}))
    with pytest.raises(RuleError, match="is down"):
        caching.call(tool)
    change = ServiceChange.parsed({"enabled": False})
    caching.world.catalog.services.change(caching.service.id, change, MutationRequest(caching.owner))
    with pytest.raises(RuleError, match="is disabled"):
        caching.call(tool)


def test_what_a_secret_opened_reaches_nobody_else_and_no_later_secret(caching):
    """Platform 3: a secret is one user's; its id and version are part of what a result is kept under."""
    world = caching.world
    mine = world.secret(caching.owner, value="canary-1")
    his = world.secret(caching.other, value="canary-2")
    tool = caching.tool(secretId=mine.id, shared=True)
    world.catalog.tools.bind(tool.id, his.id, MutationRequest(caching.other))
    assert caching.call(tool).cached is False
    assert caching.call(tool, user=caching.other).cached is False
    assert caching.call(tool).cached is True
    world.catalog.secrets.rotate(mine.id, {"key": "canary-3"}, MutationRequest(caching.owner))
    assert caching.call(tool).cached is False
    assert caching.call(tool, user=caching.other).cached is True


def test_nothing_of_a_secret_is_kept(caching):
    secret = caching.world.secret(caching.owner, value="canary-42")
    tool = caching.tool(secretId=secret.id)
    caching.doing.says = {"n": "canary-42"}
    caching.call(tool)
    assert caching.call(tool).output == {"n": HIDDEN}
    rows = caching.world.store.read("SELECT text FROM cached_results WHERE tool_id = :id", {"id": tool.id})
    assert [row["text"] for row in rows] == [f'{{"n":"{HIDDEN}"}}']


def test_what_aeon_itself_answers_is_given_to_whoever_asked(caching):
    """Platform 2: its own record answers each user with what is his."""
    tool = caching.tool(shared=True, connectionParams={"endpoint": "aeon:graph"})
    caching.call(tool)
    assert caching.call(tool, user=caching.other).cached is False
    assert caching.call(tool).cached is True
    schema = {
        "type": "object",
        "required": ["endpoint"],
        "properties": {"endpoint": {"type": "string", "default": "aeon:graph"}},
    }
    service = caching.world.service(caching.owner, name="own", connectionSchema=schema)
    own = caching.world.tool(caching.owner, service, name="own", shared=True, connectionParams={}, **PURE)
    caching.call(own)
    assert caching.call(own, user=caching.other).cached is False


def test_what_failed_or_does_not_fit_its_schema_is_not_kept(caching):
    tool = caching.tool()
    for says in (OperationError("no"), {"m": 1}):
        caching.doing.says = says
        with pytest.raises((OperationError, RuleError)):
            caching.call(tool)
    caching.doing.says = None
    assert caching.call(tool).cached is False


def test_large_results_are_kept_by_reference_and_made_again_where_that_is_lost(caching):
    tool = caching.tool()
    caching.doing.says = {"n": "x" * 20_000}
    caching.call(tool)
    (file,) = (each for each in (caching.results._folder).glob("*/*"))
    assert caching.call(tool).output == {"n": "x" * 20_000}
    file.unlink()
    assert caching.call(tool).cached is False
    assert caching.call(tool).cached is True
    caching.doing.says = {"n": "x" * MAX_RESULT_CHARS}
    assert [caching.call(tool, "b").cached, caching.call(tool, "b").cached] == [False, False]


def test_of_one_tool_so_many_results_are_kept_and_those_that_were_used_last(caching, monkeypatch):
    monkeypatch.setattr("aeon.platform.workers.result_cache.repository.MAX_RESULTS_PER_TOOL", 10)
    tool = caching.tool()
    for number in range(100):
        caching.call(tool, str(number))
    assert [caching.call(tool, str(number)).cached for number in range(88, 100)] == [False] * 2 + [True] * 10
    assert caching.cache.clear(tool.id) == 12
    assert caching.call(tool, "99").cached is False


def test_the_use_of_what_is_kept_is_noted_now_and_then(caching):
    """So that what is used stays when what is old goes, and not every read writes."""
    used = "SELECT used_micros AS used FROM cached_results WHERE tool_id = :id"
    tool = caching.tool()
    caching.call(tool)
    (before,) = caching.world.store.read(used, {"id": tool.id})
    caching.call(tool)
    assert caching.world.store.read(used, {"id": tool.id}) == [before]
    caching.clock.sleep(4000)
    caching.call(tool)
    (after,) = caching.world.store.read(used, {"id": tool.id})
    assert after["used"] - before["used"] > 3600 * 1_000_000


def test_where_the_store_does_not_answer_the_call_is_made(caching, monkeypatch):
    tool = caching.tool()
    caching.call(tool)

    class Away:
        def read(self, *_args):
            raise StoreUnavailableError("The store is away.")

        update = read

    monkeypatch.setattr(caching.cache, "_store", Away())
    assert caching.call(tool).cached is False


_NUMBERS = itertools.count()


def job_of(tool, user, effect="pure"):
    return Job(
        id=f"job {next(_NUMBERS)}",
        run_id="run",
        step="step",
        attempt=1,
        user=user,
        tool=tool.id,
        name=tool.name,
        owner=tool.owner_id,
        worker="rest_api",
        effect=effect,
        inputs={"id": "a"},
        timeout=60,
    )


def test_a_trace_says_what_was_used_again_and_that_it_took_no_tokens(caching):
    tool = caching.tool()
    carry_out = make_job_runner(caching.caller)
    first, again = (carry_out(job_of(tool, caching.owner)) for _ in range(2))
    assert (first.event.tokens, again.event.tokens) == (7, 0)
    assert "cached" not in first.about
    assert again.about == {**again.about, "cached": True}
    assert "milliseconds" not in again.about  # the service was not asked


def test_what_is_known_is_only_what_may_be_given(caching):
    tool = caching.tool()
    known = make_cached_result_lookup(caching.caller)
    assert known(job_of(tool, caching.owner)) is None
    caching.call(tool)
    assert known(job_of(tool, caching.owner)).about["cached"] is True
    assert known(job_of(tool, caching.other)) is None


def test_a_key_stands_for_one_tool(caching):
    caching.cache.put(CacheKey("x", "1"), None)
    assert caching.cache.get(CacheKey("x", "1")).output is None
    assert caching.cache.get(CacheKey("x", "2")) is None
