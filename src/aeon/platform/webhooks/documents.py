"""Applies documents of the kind Webhook."""

from collections.abc import Sequence
from typing import cast

from aeon.platform.catalog.apply import TO_COME, DocumentProblem, PlannedRecords, changeable_fields
from aeon.platform.catalog.documents import CatalogDocument
from aeon.platform.catalog.model import NewSecret
from aeon.platform.catalog.secrets import SecretRepository
from aeon.platform.errors import RuleError
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.processes.trigger_documents import TriggerDocuments
from aeon.platform.records import Record
from aeon.platform.webhooks.model import NewWebhook, WebhookChange
from aeon.platform.webhooks.repository import WebhookRepository, require_input, require_signing_secret


class WebhookDocuments(TriggerDocuments):
    """The webhooks in one user's file.

    A new one names its secret, which the file may create: one that Aeon generated could not be shown.
    """

    change: type[Record] = WebhookChange
    changeable: tuple[str, ...] = changeable_fields(WebhookChange)

    def __init__(
        self, webhooks: WebhookRepository, secrets: SecretRepository, processes: ProcessRepository, user: str
    ) -> None:
        super().__init__(processes, user)
        self.repository = webhooks
        self._secrets = secrets
        self._planned_secrets: dict[str, NewSecret] = {}

    def parse(self, document: CatalogDocument, planned: PlannedRecords) -> NewWebhook:
        """Return the webhook to create or compare with. Raises RuleError, NotFoundError."""
        fields = self._named(document, planned)
        if isinstance(name := fields.get("secret"), str):
            fields = fields | {"secret": self._secret_id(document, name, planned)}
        return NewWebhook.parsed(fields)

    def check(self, document: CatalogDocument, new: Record) -> Sequence[DocumentProblem]:
        """Raise RuleError for an input that the Process does not have, and for a secret that cannot sign."""
        webhook = cast(NewWebhook, new)
        require_input(self._definitions[document.name], webhook.input)
        if planned := self._planned_secrets.get(document.name):
            require_signing_secret(webhook.scheme, planned.name, planned.type, planned.value)
        elif webhook.secret is not None:
            self.repository.usable_secret(webhook, self._user)
        elif self.repository.find_own(self._user, document.name) is None:
            raise RuleError(
                "a new webhook in a file names its secret",
                rule="secret_named",
                field="$.secret",
                next_step="Name an api_key, in the file or stored; or create the webhook by itself: then it gets one"
                " that is shown once.",
            )
        return ()

    def _secret_id(self, document: CatalogDocument, name: str, planned: PlannedRecords) -> str | None:
        """Return the id of a secret; None if it is the one that the webhook has, so that nothing differs."""
        own, new = self._secrets.find_own(self._user, name), planned.get(("Secret", name))
        if isinstance(new, NewSecret):
            self._planned_secrets[document.name] = new
        found = own or self._find(self._secrets, name, "secret", is_planned=new is not None)
        id_ = TO_COME if found is None else found.id
        existing = self.repository.find_own(self._user, document.name)
        return None if existing is not None and existing.secret_id == id_ else id_
