"""`aeon process webhook`: made, listed, shown, rotated, trusted, disabled and deleted; a secret is shown once (platform 47)."""

import re
from pathlib import Path

import pytest

ORDER = """
kind: Process
name: order
{more}inputs: {{order: {{type: string}}}}
steps: [{{id: hold, wait: {wait}, output: held}}]
"""


@pytest.fixture
def apply(aeon):
    def applying(*more, wait=0, **fields):
        text = ORDER.format(wait=wait, more="".join(f"{name}: {value}\n" for name, value in fields.items()))
        Path("order.yaml").write_text(text)
        said = aeon("apply", "-f", "order.yaml", *more)
        assert said.code == 0, said.err

    return applying


def test_webhooks_are_made_listed_shown_disabled_and_deleted(aeon, apply):
    apply()
    made = aeon("process", "webhook", "create", "orders", "order")
    assert made.code == 0, made.err
    line, secret = made.out.splitlines()
    path = re.fullmatch(r"orders order: standard, enabled, (/hooks/[0-9a-f-]{36})", line)[1]
    assert re.fullmatch(r"secret: whsec_[A-Za-z0-9+/]{43}=", secret)
    assert "not shown again" in made.err
    assert "aeon serve" in made.err
    whole = aeon("process", "webhook", "create", "whole", "order", "--as", "order", "--scheme", "github", "--json").json
    assert (whole["input"], whole["scheme"], len(whole["secret"])) == ("order", "github", 50)
    assert aeon("process", "webhook", "list").cells("NAME", "PROCESS", "SCHEME", "STATE", "PATH") == [
        ("orders", "order", "standard", "enabled", path),
        ("whole", "order", "github", "enabled", whole["path"]),
    ]
    assert aeon("process", "webhook", "show", "orders", "-o", "json").json["run"] is None
    run = aeon("process", "run", "order", "--input", "order=tea", "--tag", "webhook=orders", "--json").json
    assert aeon("process", "webhook", "show", "orders", "-o", "json").json["run"] == run["id"]
    shown = aeon("process", "webhook", "show", "orders")
    assert secret.removeprefix("secret: ") not in shown.out + aeon("secret", "list", "--json").out
    assert ", disabled, " in aeon("process", "webhook", "disable", "orders").out
    assert ", enabled, " in aeon("process", "webhook", "enable", "orders").out
    assert [each["name"] for each in aeon("process", "uses", "order", "--json").json] == ["orders", "whole"]
    rotated = aeon("process", "webhook", "rotate", "orders")
    assert rotated.out.splitlines()[1] != secret
    assert "counts for 24 hours" in rotated.err
    assert aeon("process", "webhook", "rotate", "orders", "--at-once", "--json").json["oldSecretUntil"] is None
    assert aeon("process", "webhook", "delete", "--yes", "orders").out == "deleted orders\n"
    assert [each["name"] for each in aeon("process", "webhook", "list", "--json").json] == ["whole"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--as", "nothing"], "has no input 'nothing'"),
        (["--secret", "nothing"], "nothing named 'nothing'"),
        (["--secret", "words"], "cannot sign events: it has blanks"),
        (["--secret", "door"], "cannot sign events: its type is password"),
    ],
)
def test_what_cannot_work_is_refused_when_the_webhook_is_made(aeon, apply, options, said):
    apply()
    words = b'{"key": "two words that are a secret"}'
    assert aeon("secret", "set", "words", stdin=words).code == 0
    password = b'{"username": "me", "password": "a long password of mine"}'
    assert aeon("secret", "set", "door", "--type", "password", stdin=password).code == 0
    refused = aeon("process", "webhook", "create", "orders", "order", *options)
    assert (refused.code, said in " ".join(refused.err.split())) == (2, True), refused.err
    assert aeon("process", "webhook", "list", "--json").json == []


def test_a_process_that_its_owner_has_changed_is_not_trusted_until_the_user_says_so(aeon, apply):
    apply("--user", "ann", shared="true")
    (process,) = [
        each["id"] for each in aeon("process", "list", "--owner", "shared", "--json").json if each["name"] == "order"
    ]
    assert aeon("process", "webhook", "create", "orders", process).code == 0
    apply("--user", "ann", wait=5, shared="true")
    assert aeon("process", "webhook", "enable", "orders").out.split(", ")[1] == "not trusted"
    assert aeon("process", "webhook", "trust", "orders").out.split(", ")[1] == "enabled"
    apply("--user", "ann", shared="false")
    assert "(not shared any more)" in aeon("process", "webhook", "list").out
