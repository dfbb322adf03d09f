"""Names that an error suggests in place of one that is not there."""

import pytest

from aeon.platform.errors import NotFoundError


def suggestion(shelf, user, name):
    """What the error says to do, up to the question mark; its message is the same with and without a suggestion."""
    with pytest.raises(NotFoundError) as raised:
        shelf.find(user, name)
    assert str(raised.value).startswith(f"There is nothing named {name!r}, or with that id, that you may see.")
    before, mark, _after = raised.value.advice.partition("? List ")
    return before if mark else ""


def test_names_that_are_spelled_alike_are_suggested(world, anna):
    service = world.service(anna, name="nebula api")
    world.tool(anna, service, name="nebula forecast")
    world.tool(anna, service, name="getNebula")
    tools, services = world.catalog.tools, world.catalog.services
    assert suggestion(tools, anna, "nebula forcast") == "Did you mean 'nebula forecast'"
    assert suggestion(tools, anna, "nebule") == "Did you mean 'nebula forecast' or 'getNebula'"
    assert suggestion(services, anna, "nebular_api") == "Did you mean 'nebula api'"
    assert suggestion(tools, anna, "invoices") == suggestion(tools, anna, "...") == ""


def test_names_that_the_user_may_not_see_are_never_suggested(world, anna, bob):
    service = world.service(bob, name="quasar api")
    world.tool(bob, service, name="quasar of bob")
    shared = world.tool(bob, service, name="quasar shared", shared=True)
    assert suggestion(world.catalog.services, anna, "quasar apy") == ""
    asked = suggestion(world.catalog.tools, anna, "quasar of bop")
    assert asked in ("", f"Did you mean {shared.id} ('quasar shared' of {bob})")


def test_secrets_are_never_suggested(world, anna):
    world.secret(anna, name="pulsar key")
    assert suggestion(world.catalog.secrets, anna, "pulsar kay") == ""
    assert suggestion(world.catalog.tools, anna, "pulsar kay") == ""
