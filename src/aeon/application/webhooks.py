"""`WebhookService`: what one user does with their webhooks."""

from aeon.application.argument_types import read_fields, read_record
from aeon.application.entities import EntityService
from aeon.base.json import JsonObject
from aeon.bootstrap.platform import Platform
from aeon.bootstrap.runs import platform_runs
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import Process
from aeon.platform.runs.model import RunFilter, RunSummary
from aeon.platform.webhooks.model import WEBHOOK_TAG, NewWebhook, Webhook, WebhookChange
from aeon.platform.webhooks.repository import OLD_SECRET_HOURS, CreatedWebhook, WebhookRepository

__all__ = ["OLD_SECRET_HOURS", "CreatedWebhook", "WebhookService"]


class WebhookService(EntityService[Webhook, NewWebhook, WebhookChange]):
    """The webhooks of a user. A server takes their events: `aeon serve`."""

    def __init__(self, platform: Platform, user: str) -> None:
        """The caller closes `platform`."""
        self._webhooks = WebhookRepository(platform.store, platform.catalog, platform.processes)
        super().__init__(self._webhooks, user, NewWebhook, WebhookChange)
        self._processes = platform.processes
        self._secrets = platform.catalog.secrets
        self._runs = platform_runs(platform)

    def add(self, new: NewWebhook | JsonObject, *, key: str | None = None) -> Webhook:
        """Add a webhook as `create` does; a secret that was generated is not returned."""
        return self.create(new, key=key).webhook

    def create(self, new: NewWebhook | JsonObject, *, key: str | None = None) -> CreatedWebhook:
        """Add a webhook of a Process that the user sees; returns it with its secret if that was generated now.

        `process` and `secret` are names or ids. The same `key` again returns the same webhook, without a secret.
        Raises NotFoundError, and RuleError with everything that is wrong.
        """
        fields = read_fields(new, "new")
        if isinstance(name := fields.get("process"), str):
            fields["process"] = self._processes.find(self._user, name).id
        if isinstance(name := fields.get("secret"), str):
            fields["secret"] = self._secrets.find(self._user, name).id
        return self._webhooks.add_with_secret(read_record(fields, NewWebhook, "new"), MutationRequest(self._user, key))

    def enable(self, name: str, *, is_enabled: bool, expected_version: int | None = None) -> Webhook:
        """Let a webhook take events, or none: then they are refused as if it did not exist."""
        return self.change(name, WebhookChange(enabled=is_enabled), expected_version=expected_version)

    def trust(self, name: str, *, expected_version: int | None = None) -> Webhook:
        """Trust another user's Process as it is now: events start it until its owner changes it again.

        Raises NotFoundError, and RuleError for an own Process.
        """
        webhook = self.get(name)
        digest = self._processes.get(self._user, webhook.process).digest
        return self.change(webhook.id, WebhookChange(trusted_digest=digest), expected_version=expected_version)

    def rotate(
        self, name: str, *, keeps_old: bool = True, key: str | None = None, expected_version: int | None = None
    ) -> CreatedWebhook:
        """Generate a new secret, which is returned once; the old one counts for a day if `keeps_old`.

        Raises NotFoundError, RuleError for a webhook with a secret of the user's own, and VersionError.
        """
        request = MutationRequest(self._user, key, expected_version)
        return self._webhooks.rotate(self.get(name).id, request, keeps_old=keeps_old)

    def newest_run(self, webhook: Webhook) -> RunSummary | None:
        """The run that its newest event started, by the run's tag; None without one since it has its name."""
        started = self._runs.list_runs(
            self._user,
            1,
            RunFilter(process=webhook.process, since=webhook.created_at, tag=f"{WEBHOOK_TAG}={webhook.name}"),
        )
        return started[0] if started else None

    def process_of(self, webhook: Webhook) -> Process | None:
        """The Process that it starts; None if that is not shared any more."""
        try:
            return self._processes.get(webhook.owner_id, webhook.process)
        except NotFoundError:
            return None
