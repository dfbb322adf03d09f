"""Secrets show nowhere (platform 3): canaries are kept, used, echoed and crashed with, then looked for in every byte."""

import json
import os
import pickle
import pty
import select
import signal
import sys
import termios
import traceback
from base64 import b64encode
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
import yaml

from aeon.adapters.operations.oauth import HttpTokenServer
from aeon.base.errors import ToolError
from aeon.base.masking import HIDDEN, Mask
from aeon.llm.adapters.remote_api import RemoteAPIAdapter
from aeon.platform.catalog.apply import ApplyStep
from aeon.platform.catalog.documents import CatalogDocument
from aeon.platform.catalog.kernel_tool import StoredTool
from aeon.platform.catalog.model import NewSecret
from aeon.platform.catalog.oauth_tokens import OAuthTokens
from aeon.platform.catalog.operations import RestRequest
from aeon.platform.catalog.tool_calls import OperationRequest, StoredToolCaller
from aeon.platform.vault import SecretKey, SecretValue
from aeon.testing.clock import FakeClock
from aeon.testing.vault import InMemoryVault
from aeon.testing.wire_double import WireDouble
from aeon.testing.wire_rules import ErrorResponse
from aeon.tools.invocation import ToolInvoker as KernelCaller
from aeon.tools.registry import ToolRegistry

from .canary_world import Canaries, Onlooker, World, canary, spellings

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.timeout(600)]

WAYS = ("ok", "text", "error", "cut", "refused", "broken", "twice", "away", "closed", "short")


@pytest.fixture
def everything(tmp_path):
    made = World(tmp_path)
    yield made
    made.stop()


def given(argv, stdin):
    return {"argv": list(argv), "stdin": stdin if isinstance(stdin, str) else json.dumps(stdin)}


def apply_everything(world):
    """By environment: dry, for real, again, changed; and every way to do it wrong."""
    text = yaml.safe_dump_all(world.documents())
    Path(world.project, "all.yaml").write_text(text)
    assert world.process("apply", "-f", "all.yaml", "--dry-run", more=world.variables()) == 0
    assert world.process("apply", "-f", "all.yaml", more=world.variables()) == 0
    new = {name: value for name, value in world.variables().items() if name != "key_key"}
    new["key_key"] = world.values["key"]["key"] = world.canaries.new("rotated", "\"/+&'%\\")
    assert world.process("apply", "-f", "all.yaml", "--json", more=new) == 0
    assert world.process("apply", "-f", "all.yaml", more={**new, "pair_private_key": new["password_password"]}) == 2
    wrong = world.canaries.new("wrong", '"')
    value = json.dumps(wrong)
    bad = [
        f"kind: Secret\nname: x\ntype: api_key\nvalue: {each}\n"
        for each in (
            value,
            f"[{value}]",
            f"{{kee: {value}}}",
            f"{{key: [{value}]}}",
            f"{{key: {value}",
            f"{{{value}: {value}}}",
        )
    ]
    bad += [
        f"kind: Secret\nname: x\ntype: {kind}\nvalue: {{{field}: {value}, {other}: {value}}}\n"
        for kind, field, other in (
            ("oauth_token", "token_url", "expires_at"),
            ("certificate", "certificate", "private_key"),
            ("password", "password", "passwort"),
            ("api_key", "key", "key"),
            ("robot", "key", "id"),
        )
    ]
    bad.append(f"kind: Service\nname: x\nvalue: {value}\n---\nkind: Secrets\nvalue: {value}\n")
    codes = world.commands(*(given(["apply", "-f", "-"], each) for each in bad))
    codes += world.commands(*(given(["apply", "-f", "-", "--json"], each) for each in bad))
    assert set(codes) == {2}


def keep_secrets(world):
    """The commands that keep secrets, with the right and the wrong things on stdin."""
    value = world.canaries.new("on stdin", '"\\')
    pair = world.values["pair"]
    mistakes = [f'{{"key": "{value}', {"kee": value}, [value], value, {"key": {value: value}}, {"key": value, value: 1}]
    codes = world.commands(
        given(["secret", "set", "mine"], {"key": value}),
        given(["secret", "set", "mine", "--user", "bob"], {"key": world.canaries.new("of bob")}),
        given(["secret", "set", "mine"], {"key": world.canaries.new("second")}),
        given(["secret", "set", "both", "--type", "certificate"], pair),
        *(given(["secret", "set", "mine"], each) for each in mistakes),
        given(["secret", "set", "other", "--type", "certificate"], {**pair, "certificate": pair["private_key"]}),
        given(["secret", "set", "mine", "--type", "password"], {"username": value, "password": value}),
        given(["secret", "set", "other", "--type", "robot"], {"key": value}),
        ["secret", "delete", "--yes", "mine", "--user", "bob"],
        ["secret", "delete", "--yes", "key"],
    )
    assert codes[:4] == [0] * 4
    assert all(codes[4:-2])
    assert (codes[-2], bool(codes[-1])) == (0, True)


def ask_at_a_terminal(world):
    """The prompt shows nothing of what is typed."""
    ours, theirs = pty.openpty()
    argv = (sys.executable, "-m", "aeon", "secret", "set", "typed")
    child = world.start(*argv, stdin=theirs, stdout=theirs, stderr=theirs)
    while termios.tcgetattr(theirs)[3] & termios.ECHO:
        select.select([], [], [], 0.01)
    os.write(ours, f"{world.canaries.new('typed', '/')}\n".encode())
    code = child.wait(30)
    os.close(theirs)
    screen = b""
    with suppress(OSError):
        while data := os.read(ours, 4096):
            screen += data
    os.close(ours)
    world.keep("terminal", screen)
    assert (code, b"created typed" in screen) == (0, True)


def call_everything(world):
    """Every tool in every way that its peer may answer."""
    calls = [
        ["tool", "call", name, "--input", json.dumps({"way": way}), *flags]
        for name in world.values
        for way in WAYS
        for flags in ([], ["--json"])[: 2 if way in ("ok", "error") else 1]
    ]
    codes = world.commands(*calls)
    assert set(codes) <= {0, 1}
    assert 0 in codes
    others = ("peer echo", "peer fail", "child echo", "child fail", "ask")
    codes = world.commands(
        *(["tool", "call", name] for name in others),
        ["tool", "call", "misfit", "--input", '{"way": "text"}'],
        ["tool", "call", "key", "--input", '{"way": "slow"}'],
        ["tool", "call", "key", "--input", '{"way": "ok"}', "--user", "bob"],
        more=world.variables(),
    )
    assert codes == [0, 1, 0, 1, 1, 2, 1, 2]
    assert HIDDEN.encode() in world.said


def run_plans(world):
    """The kernel with stored tools: by hand and by a model, with its log, read again and replayed."""
    steps = [
        {"step_id": way, "description": "ask", "tool": name, "arguments": {"way": way}}
        for name, way in (("key", "ok"), ("password", "text"), ("oauth", "error"))
    ]
    plan = {"goal": "ask", "steps": steps}
    Path(world.project, "plan.json").write_text(json.dumps(plan))
    model = WireDouble([json.dumps({**plan, "steps": steps[:1]}), ErrorResponse(500, "no"), "done"])
    more = {"AEON_MODEL_BASE_URL": model.base_url, "AEON_MODEL_NAME": "scripted"}
    codes = world.commands(
        ["run", "--plan", "plan.json", "--tools", "catalog", "--log", "run.jsonl"],
        ["run", "--plan", "plan.json", "--tools", "catalog", "--json", "--log", "second.jsonl"],
        ["run", "ask the key", "--tools", "catalog", "--no-input"],
        ["log", "show", "run.jsonl"],
        ["log", "show", "run.jsonl", "--entry", "1"],
        ["log", "verify", "run.jsonl"],
        ["log", "replay", "run.jsonl"],
        more={**more, **world.variables()},
    )
    told = json.dumps([each.body for each in model.requests])
    model.close()
    world.canaries.look("what the model was told", told.encode())
    assert codes[3:6] == [0, 0, 0]
    assert HIDDEN in Path(world.project, "run.jsonl").read_text()


def show_everything(world):
    """All that can be listed, shown and taken out."""
    kinds = (["secret"], ["tool"], ["tool", "service"])
    codes = world.commands(
        ["init"],
        ["init", "--json"],
        ["secret", "list"],
        ["secret", "list", "--json"],
        ["tool", "list"],
        ["tool", "list", "--json"],
        ["tool", "list", "--json", "--user", "bob"],
        ["store", "audit", "list"],
        ["store", "audit", "list", "--json"],
        ["store", "audit", "verify", "--json"],
        ["secret", "uses", "key", "--json"],
        ["secret", "uses", "key"],
        ["store", "export", "all.jsonl"],
        ["store", "export", "-"],
        ["store", "backup", "copy.db"],
        ["store", "restore", "--yes", "copy.db"],
        ["store", "status"],
        ["store", "check"],
        ["config", "list", "--json"],
        more=world.variables(),
    )
    assert set(codes) == {0}
    world.commands(["tool", "health"], ["tool", "health", "--json"], *([*kind, "list", "--json"] for kind in kinds))


def crash(world):
    """A defect in the middle of a call: told shortly, its trace kept."""
    codes = world.commands(
        {"broken": "rest_request"},
        *(["tool", "call", name, "--input", '{"way": "ok"}', "--json"] for name in world.values),
        {"broken": "mcp_call"},
        ["tool", "call", "peer echo"],
    )
    assert set(codes) == {1}
    traces = list(Path(world.project, ".aeon").rglob("crash-*.txt"))
    assert traces
    assert all("KeyError" in trace.read_text() for trace in traces)


def dump(world):
    """A call that hangs, its stacks dumped by faulthandler."""
    argv = (sys.executable, "-X", "faulthandler", "-m", "aeon", "tool", "call", "key", "--input", '{"way": "slow"}')
    with Path(world.outputs, "dump").open("wb") as file:
        child = world.start(*argv, stdout=file, stderr=file, more=world.variables())
        end = os.pidfd_open(child.pid)
        assert not select.select([end], [], [], 1.5)[0]
        child.send_signal(signal.SIGABRT)
        child.wait()
        os.close(end)
    assert b"Fatal Python error" in Path(world.outputs, "dump").read_bytes()


DEEDS = (apply_everything, keep_secrets, ask_at_a_terminal, call_everything, run_plans, show_everything, crash, dump)


def test_platform_3_no_secret_shows_anywhere(everything):
    """Everything a user can do, and everything that can go wrong with it; then every byte that was written."""
    world = everything
    with Onlooker(world.canaries, world.project) as onlooker:
        for deed in DEEDS:
            deed(world)
            assert world.canaries.seen == set(), deed.__name__
    assert any(path.startswith("/token/") for path in world.echo.asked)
    assert {Path(sys.executable).name} <= onlooker.children
    world.canaries.look_under(world.project.parent)
    assert world.canaries.seen == set()
    Path(world.project, "leak").write_bytes(b"?" + b64encode(b"it: " + world.values["key"]["key"].encode()))
    world.canaries.look_under(world.project.parent)
    assert {(where, name) for where, name, _ in world.canaries.seen} == {("project/leak", "rotated")}


@pytest.mark.parametrize("way", sorted(spellings("canary/+\"'é-0123456789abcdef")))
def test_the_search_finds_what_is_planted(way, tmp_path):
    canaries = Canaries()
    canaries.add("it", "canary/+\"'é-0123456789abcdef")
    Path(tmp_path, "file").write_bytes(b"..." + way + b"...")
    canaries.look_under(tmp_path)
    assert ("file", "it", way.decode()) in canaries.seen


CANARY = canary("held", "/+")


class Broken:
    """An executor with a defect: what it raises says the secret."""

    def execute(self, work):
        raise KeyError(work, work.secret.reveal()["key"])


def held():
    """Everything that a secret passes through, by name."""
    value = {"key": CANARY}
    document = CatalogDocument("Secret", "s", {"value": value}, "document 1")
    operation = RestRequest(path="/x")
    vault = InMemoryVault(FakeClock())
    vault.put(SecretKey("s", "u", "api_key", 1), value)
    return {
        "revealed": SecretValue(value),
        "work": OperationRequest("me", operation, "http", {}, {}, SecretValue(value), {}),
        "mask": Mask([CANARY]),
        "document": document,
        "step": ApplyStep("create", document),
        "new secret": NewSecret(name="s", type="api_key", value=value),
        "vault": vault,
        "model": RemoteAPIAdapter("http://127.0.0.1:1/v1", "m", api_key=CANARY),
    }


def shown(thing):
    """How it shows itself, alone, in a list, and as a local variable in a trace."""
    try:
        raise KeyError(thing)  # noqa: TRY301  # for its trace
    except KeyError as error:
        trace = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    return f"{thing} {thing!r} {[thing]} {trace}"


@pytest.mark.parametrize("name", held())
def test_platform_3_what_holds_a_secret_does_not_show_it(name):
    canaries = Canaries()
    canaries.add("it", CANARY)
    canaries.look(name, shown(held()[name]).encode())
    assert canaries.seen == set()


@pytest.mark.parametrize("name", ["revealed", "work", "mask"])
def test_platform_3_what_holds_a_secret_for_its_use_is_not_pickled(name):
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(held()[name])


def test_platform_3_a_defect_of_an_executor_in_a_run_does_not_say_the_secret(world):
    """The kernel writes what a tool raised into its log."""
    user = world.user("u")
    secret, service = world.secret(user, value=CANARY), world.service(user)
    tool = world.tool(user, service, secretId=secret.id)
    tokens = OAuthTokens(world.catalog.secrets, HttpTokenServer(), world.clock)
    caller = StoredToolCaller(world.catalog, {"rest_request": Broken()}, tokens, world.clock)
    registry = ToolRegistry()
    registry.register(StoredTool(tool, partial(caller.call, user, tool.id)))
    with pytest.raises(ToolError) as raised:
        KernelCaller().invoke(registry.lookup("get"), {"id": "x"})
    canaries = Canaries()
    canaries.add("it", CANARY)
    assert "KeyError" in str(raised.value)
    canaries.look("the error", str(raised.value.as_dict()).encode())
    assert canaries.seen == set()
