"""Stored tools run: input and output checked, health, secrets, the trail (platform 3-5, 19)."""

import pytest

from aeon.base.json import parse_strict
from aeon.base.masking import HIDDEN
from aeon.platform.catalog.model import NewSecret, ServiceChange
from aeon.platform.catalog.oauth_tokens import OAuthTokens
from aeon.platform.catalog.operations import TokenUsage
from aeon.platform.catalog.tool_calls import OperationError, OperationResult, StoredToolCaller
from aeon.platform.errors import RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.store import StoreUnavailableError
from aeon.testing.clock import FakeClock

INPUT = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}, "additionalProperties": False}


class Doing:
    """An executor that does what it is told and keeps what it was given."""

    def __init__(self, result):
        self.result = result
        self.given = []

    def execute(self, work):
        self.given.append(work)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result if isinstance(self.result, OperationResult) else OperationResult(self.result)


class NoTokenServer:
    """Is not to be asked."""

    def answer(self, value, *, allow_private):
        raise AssertionError("no token was to be refreshed")


@pytest.fixture
def setting(world):
    """A tool with a secret, its owner, and `call(result, given)`."""
    owner = world.user("owner")
    schema = {
        "type": "object",
        "required": ["endpoint"],
        "properties": {"endpoint": {"type": "string"}, "size": {"type": "integer", "default": 7}},
    }
    service = world.service(owner, requiresSecret=True, connectionSchema=schema)
    secret = world.secret(owner, value="canary-42")
    output = {"type": "object", "required": ["n"]}
    tool = world.tool(owner, service, secretId=secret.id, inputSchema=INPUT, outputSchema=output, shared=True)

    def call(result, given=None, user=owner):
        doing = Doing(result)
        caller = StoredToolCaller(
            world.catalog,
            {"rest_request": doing},
            OAuthTokens(world.catalog.secrets, NoTokenServer(), FakeClock()),
            FakeClock(),
        )
        return caller.call(user, tool.id, {"id": "1"} if given is None else given), doing.given

    return world, owner, service, tool, call


def test_the_operation_gets_what_it_needs(setting):
    _, owner, _, tool, call = setting
    called, (work,) = call({"n": 1})
    assert called.output == {"n": 1}
    assert (work.user, work.operation, work.protocol, work.arguments) == (owner, tool.operation, "http", {"id": "1"})
    assert work.connection == {"endpoint": "http://127.0.0.1", "size": 7}
    assert work.secret.reveal() == {"key": "canary-42"}
    assert "canary-42" not in repr(work)


@pytest.mark.parametrize("given", [{}, {"id": 1}, {"id": "1", "more": 1}])
def test_input_that_does_not_fit_is_refused_before_anything_runs(setting, given):
    *_, call = setting
    with pytest.raises(RuleError, match=r"The input of the tool 'get' does not fit"):
        call({"n": 1}, given)


def test_output_that_does_not_fit_is_refused(setting):
    *_, call = setting
    with pytest.raises(RuleError, match=r"The output of the tool 'get' does not fit its schema: .*\"n\""):
        call({"m": 1})


def test_a_secret_that_is_echoed_is_hidden(setting):
    """Platform 3: in outputs, keys of outputs, and errors."""
    *_, call = setting
    called, _ = call({"n": "Bearer canary-42", "canary-42": ["canary-42"]})
    assert called.output == {"n": f"Bearer {HIDDEN}", HIDDEN: [HIDDEN]}
    with pytest.raises(OperationError) as raised:
        call(OperationError("refused canary-42", is_transient=True))
    assert "canary-42" not in f"{raised.value} {raised.value.as_dict()}"
    assert raised.value.is_transient


@pytest.mark.parametrize(
    "odd", [float("nan"), [{"x": float("inf")}], b"bytes", 10**5000], ids=["nan", "inf", "bytes", "digits"]
)
def test_what_is_no_json_is_a_failure_of_the_call(setting, odd):
    """An MCP server's NaN passed where the schema said nothing of it, and failed where it was kept."""
    *_, call = setting
    with pytest.raises(OperationError, match=r"its output is not JSON: \$\.n"):
        call({"n": odd})


def test_a_user_name_takes_nothing_from_an_answer(world):
    """The answer of a user named user lacked `user_id`."""
    owner = world.user("owner")
    value = {"username": "user", "password": "secret-word"}
    new = NewSecret.parsed({"name": "login", "type": "password", "value": value})
    secret = world.catalog.secrets.add(new, MutationRequest(owner))
    tool = world.tool(owner, world.service(owner), secretId=secret.id, outputSchema={"required": ["user_id"]})
    answer = {"user_id": 7, "user": "user", "said": "the secret-word of user"}
    caller = StoredToolCaller(
        world.catalog,
        {"rest_request": Doing(answer)},
        OAuthTokens(world.catalog.secrets, NoTokenServer(), FakeClock()),
        FakeClock(),
    )
    assert caller.call(owner, tool.id, {}).output == {**answer, "said": f"the {HIDDEN} of user"}


def test_a_secret_in_what_a_server_calls_its_model_is_hidden(setting):
    """Platform 3: of calls that came to something, and of those that failed."""
    *_, call = setting
    called, _ = call(OperationResult({"n": 1}, TokenUsage(1, 1, "m for canary-42")))
    assert called.usage == TokenUsage(1, 1, f"m for {HIDDEN}")
    with pytest.raises(OperationError) as raised:
        call(OperationError("no", usage=TokenUsage(1, 0, "canary-42")))
    assert raised.value.usage == TokenUsage(1, 0, HIDDEN)


def test_down_blocks_and_degraded_warns(setting):
    """Platform 5. One that was merely not checked does neither."""
    world, owner, service, _, call = setting
    called, _ = call({"n": 1})
    assert called.warnings == []
    degraded = "UPDATE tools SET error_message = 'It answers slowly.' WHERE owner_id = :owner"
    world.store.update(lambda unit: unit.write(degraded, {"owner": owner}))
    called, _ = call({"n": 1})
    assert called.warnings == ["The tool 'get' is degraded: It answers slowly."]
    down = "UPDATE services SET status = 'down' WHERE id = :id"
    world.store.update(lambda unit: unit.write(down, {"id": service.id}))
    with pytest.raises(RuleError, match="is down: Its service is down"):
        call({"n": 1})
    healthy = "UPDATE services SET status = 'healthy' WHERE id = :id"
    world.store.update(lambda unit: unit.write(healthy, {"id": service.id}))
    world.catalog.services.change(service.id, ServiceChange(name="other"), MutationRequest(owner))


def test_use_by_another_is_in_both_trails_also_when_it_fails(setting):
    """Platform 19; platform 3: with the caller's own secret."""
    world, owner, _, tool, call = setting
    other = world.user("other")
    with pytest.raises(RuleError, match="needs a secret"):
        call({"n": 1}, user=other)
    world.catalog.tools.bind(tool.id, world.secret(other, value="mine").id, MutationRequest(other))
    _, (work,) = call({"n": 1}, user=other)
    assert work.secret.reveal() == {"key": "mine"}
    with pytest.raises(OperationError):
        call(OperationError("no"), user=other)
    for user in (owner, other):
        entries = [entry for entry in world.catalog.ledger.audit_log(user) if entry["action"] == "tool.use"]
        assert [(entry["actorId"], entry["ownerId"]) for entry in entries] == [(other, owner)] * 2
        assert world.catalog.ledger.verify_audit_log(user) is None


def test_a_refused_attempt_on_anothers_tool_is_in_both_trails(setting):
    """Measured P10: its owner sees who tried, and which rule refused it."""
    world, owner, _, _, call = setting
    other = world.user("other")
    with pytest.raises(RuleError, match="needs a secret"):
        call({"n": 1}, user=other)
    for user in (owner, other):
        entries = [entry for entry in world.catalog.ledger.audit_log(user) if entry["action"] == "tool.refuse"]
        assert [(each["actorId"], parse_strict(each["details"])["rule"]) for each in entries] == [(other, "own_secret")]
        assert world.catalog.ledger.verify_audit_log(user) is None


def test_the_use_of_anothers_service_through_ones_own_tool_is_in_both_trails_at_each_call(world):
    """Measured P10, platform 19."""
    owner, user = world.user("owner"), world.user("user")
    service = world.service(owner, requiresSecret=False, shared=True)
    tool = world.tool(user, service)
    caller = StoredToolCaller(world.catalog, {"rest_request": Doing({"n": 1})}, None, world.clock)
    for _ in range(2):
        caller.call(user, tool.id, {"n": 1})
    for who in (owner, user):
        entries = [each for each in world.catalog.ledger.audit_log(who) if each["action"] == "service.use"]
        assert [(each["actorId"], each["ownerId"]) for each in entries] == [(user, owner)] * 3  # made, called twice
        assert world.catalog.ledger.verify_audit_log(who) is None


def test_tokens_are_kept_for_the_caller_also_of_calls_that_failed(setting):
    """One row each; calls that used none leave none; nobody sees another's."""
    world, owner, _, tool, call = setting
    other = world.user("other")
    world.catalog.tools.bind(tool.id, world.secret(other).id, MutationRequest(other))
    called, _ = call(OperationResult({"n": 1}, TokenUsage(100, 10, "m-1")))
    assert called.usage == TokenUsage(100, 10, "m-1")
    assert call({"n": 1})[0].usage is None
    with pytest.raises(RuleError, match="does not fit"):
        call(OperationResult({}, TokenUsage(20, 2, None)))
    with pytest.raises(OperationError):
        call(OperationError("no", usage=TokenUsage(3, 0, "m-1")))
    call(OperationResult({"n": 1}, TokenUsage(7, 7, "m-1")), user=other)
    assert world.catalog.tools.token_totals(owner, tool.id) == (3, 123, 12)
    assert world.catalog.tools.token_totals(other, tool.id).as_dict() == {
        "calls": 1,
        "promptTokens": 7,
        "completionTokens": 7,
    }
    assert world.catalog.tools.token_totals(world.user("third"), tool.id) == (0, 0, 0)
    rows = world.store.read("SELECT * FROM token_uses WHERE user_id = :user ORDER BY at", {"user": owner})
    assert set(rows[0]) == {"id", "user_id", "tool_id", "at", "model", "prompt_tokens", "completion_tokens"}
    assert [row["model"] for row in rows] == ["m-1", None, "m-1"]


def test_a_note_that_cannot_be_kept_costs_no_answer(setting, monkeypatch):
    world, *_, call = setting

    def unavailable(*_args):
        raise StoreUnavailableError("The store is gone.")

    monkeypatch.setattr(world.catalog.tools, "record_tokens", unavailable)
    called, _ = call(OperationResult({"n": 1}, TokenUsage(1, 1, None)))
    assert called.output == {"n": 1}
    assert "were not recorded: The store is gone." in called.warnings[-1]
