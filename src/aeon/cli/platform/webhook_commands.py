"""The commands of `aeon process webhook` and their options. Each imports what it needs when it runs."""

from typing import Annotated, Literal

import typer

from aeon.cli.options import (
    MAX_LISTED,
    After,
    AsJson,
    Expect,
    Limit,
    Output,
    Prefix,
    Priority,
    ProcessToStart,
    User,
    Yes,
    group,
)
from aeon.cli.stored_names import complete_stored

webhook = group("Where other programs start Processes by signed events.")
WebhookName = Annotated[
    str, typer.Argument(metavar="NAME", help="The webhook's name, or its id.", autocompletion=complete_stored)
]


@webhook.command("create")
def webhook_create(  # one for each option
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new webhook's name.")],
    process_name: ProcessToStart,
    scheme: Annotated[
        Literal["standard", "github", "stripe"],
        typer.Option("--scheme", help="How events are signed: Standard Webhooks, or as GitHub or Stripe does."),
    ] = "standard",
    secret: Annotated[
        str | None,
        typer.Option("--secret", metavar="NAME", help="Your stored signing secret; by default one is generated."),
    ] = None,
    input_name: Annotated[
        str | None,
        typer.Option("--as", metavar="INPUT", help="Give the whole event to this input, not its fields to theirs."),
    ] = None,
    priority: Priority = "normal",
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Create a webhook, and print its address and secret."""
    from aeon.cli.platform.webhooks import WebhookForm, create_webhook

    return create_webhook(name, process_name, WebhookForm(scheme, secret, input_name, priority), user, as_json=as_json)


@webhook.command("list")
def webhook_list(
    prefix: Prefix = "",
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """List your webhooks: what each starts, and where."""
    from aeon.cli.platform.listing import ListOptions
    from aeon.cli.platform.webhooks import list_webhooks

    return list_webhooks(user, ListOptions(limit, after, prefix=prefix), output=output)


@webhook.command("show")
def webhook_show(name: WebhookName, user: User = "me", output: Output = "table") -> int:
    """Show a webhook, and why its last event started nothing."""
    from aeon.cli.platform.webhooks import show_webhook

    return show_webhook(name, user, output=output)


@webhook.command("rotate")
def webhook_rotate(
    name: WebhookName,
    at_once: Annotated[
        bool, typer.Option("--at-once", help="Refuse the old secret from now on; by default it counts for a day.")
    ] = False,
    expect: Expect = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Generate a new secret for a webhook, and print it."""
    from aeon.cli.platform.webhooks import rotate_webhook

    return rotate_webhook(name, user, expect, keeps_old=not at_once, as_json=as_json)


@webhook.command("trust")
def webhook_trust(name: WebhookName, expect: Expect = None, user: User = "me") -> int:
    """Trust another user's Process as it is now.

    If its owner changes it, events are refused until you do so again.
    """
    from aeon.cli.platform.webhooks import trust_process

    return trust_process(name, user, expect)


@webhook.command("disable")
def webhook_disable(name: WebhookName, expect: Expect = None, user: User = "me") -> int:
    """Disable a webhook: it refuses every event."""
    from aeon.cli.platform.webhooks import enable_webhook

    return enable_webhook(name, user, expect, is_enabled=False)


@webhook.command("enable")
def webhook_enable(name: WebhookName, expect: Expect = None, user: User = "me") -> int:
    """Enable a webhook that was disabled."""
    from aeon.cli.platform.webhooks import enable_webhook

    return enable_webhook(name, user, expect, is_enabled=True)


@webhook.command("delete")
def webhook_delete(name: WebhookName, expect: Expect = None, user: User = "me", yes: Yes = False) -> int:
    """Delete one of your webhooks; runs that it started continue."""
    from aeon.cli.confirmation import confirm

    confirm(f"This deletes the webhook {name}.", is_confirmed=yes)
    from aeon.cli.platform.webhooks import delete_webhook

    return delete_webhook(name, user, expect)
