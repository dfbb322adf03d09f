"""`aeon process webhook`: manages addresses where other programs start Processes by signed events."""

from typing import NamedTuple

from aeon.application.webhooks import OLD_SECRET_HOURS, CreatedWebhook, WebhookService
from aeon.base.json import JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.listing import ListOptions, print_whether_more
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import indented_json, printable
from aeon.platform.webhooks.model import SigningScheme, Webhook


class WebhookForm(NamedTuple):
    """How events are signed, by which secret, which input gets a whole event, and the priority of the runs."""

    scheme: SigningScheme
    secret: str | None
    input: str | None
    priority: str


def create_webhook(name: str, process: str, form: WebhookForm, user: str, *, as_json: bool) -> int:
    """Create a webhook and print its address and secret. Raises NotFoundError, RuleError."""
    fields: JsonObject = {"name": name, "process": process, **form._asdict()}
    with workspace_session(user) as workspace:
        created = workspace.webhooks.create(fields)
        _print_created(workspace.webhooks, created, as_json=as_json)
    print_message("a server must be running to take events: aeon serve")
    return ExitCode.DONE


def list_webhooks(user: str, options: ListOptions, *, output: OutputFormat) -> int:
    """Print a page of the user's webhooks."""
    with workspace_session(user) as workspace:
        webhooks = workspace.webhooks
        page = webhooks.list(prefix=options.prefix, after=options.after, limit=options.limit)
        print_whether_more(page)
        if print_as(output, [_as_data(each) for each in page.items]):
            return ExitCode.DONE
        rows = [_row(webhooks, each) for each in page.items]
    print_table(
        ("NAME", "PROCESS", "SCHEME", "STATE", "PATH"),
        rows,
        "you have none; create one with: aeon process webhook create NAME PROCESS",
    )
    return ExitCode.DONE


def show_webhook(name: str, user: str, *, output: OutputFormat) -> int:
    """Print a webhook without its secret; `refusal` says why its last signed event started nothing.

    `started_at` and `run` are of the newest run that an event has started.
    """
    with workspace_session(user) as workspace:
        webhook = workspace.webhooks.get(name)
        run = workspace.webhooks.newest_run(webhook)
        shown = {**_as_data(webhook), "startedAt": run and run.accepted_at, "run": run and run.id}
    if not print_as(output, shown):
        print_data(indented_json(shown))
    return ExitCode.DONE


def rotate_webhook(name: str, user: str, expected: int | None, *, keeps_old: bool, as_json: bool) -> int:
    """Print a new secret. Raises NotFoundError, RuleError for a secret of the user's own."""
    with workspace_session(user) as workspace:
        rotated = workspace.webhooks.rotate(name, keeps_old=keeps_old, expected_version=expected)
        _print_created(workspace.webhooks, rotated, as_json=as_json)
    print_message(f"the old secret counts for {OLD_SECRET_HOURS} hours" if keeps_old else "the old secret is dead")
    return ExitCode.DONE


def delete_webhook(name: str, user: str, expected: int | None) -> int:
    """Delete the user's webhook; runs that it started continue."""
    with workspace_session(user) as workspace:
        workspace.webhooks.remove(name, expected_version=expected)
    print_data(f"deleted {printable(name)}")
    return ExitCode.DONE


def enable_webhook(name: str, user: str, expected: int | None, *, is_enabled: bool) -> int:
    """Enable a webhook, or disable it, so that it refuses every event."""
    with workspace_session(user) as workspace:
        webhooks = workspace.webhooks
        changed = webhooks.enable(name, is_enabled=is_enabled, expected_version=expected)
        print_data(_line(webhooks, changed))
    return ExitCode.DONE


def trust_process(name: str, user: str, expected: int | None) -> int:
    """Trust another user's Process as it is now. Raises RuleError for an own one."""
    with workspace_session(user) as workspace:
        webhooks = workspace.webhooks
        print_data(_line(webhooks, webhooks.trust(name, expected_version=expected)))
    return ExitCode.DONE


def _print_created(webhooks: WebhookService, created: CreatedWebhook, *, as_json: bool) -> None:
    if as_json:
        print_data(indented_json({**_as_data(created.webhook), "secret": created.secret}))
        return
    print_data(_line(webhooks, created.webhook))
    if created.secret:
        print_data(f"secret: {created.secret}")
        print_message("the secret is not shown again", "note: ")


def _as_data(webhook: Webhook) -> JsonObject:
    return {**webhook.as_dict(), "path": webhook.path}


def _line(webhooks: WebhookService, webhook: Webhook) -> str:
    name, process, scheme, state, path = _row(webhooks, webhook)
    return printable(f"{name} {process}: {scheme}, {state}, {path}")


def _row(webhooks: WebhookService, webhook: Webhook) -> tuple[str, str, str, str, str]:
    process = webhooks.process_of(webhook)
    is_changed = process is not None and not process.is_trusted(webhook.trusted_digest)
    state = "disabled" if not webhook.enabled else "not trusted" if is_changed else "enabled"
    named = f"{webhook.process} (not shared any more)" if process is None else process.name
    return webhook.name, named, webhook.scheme, state, webhook.path
