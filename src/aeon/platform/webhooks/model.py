"""Webhook records: which Process another program may start, how its events are signed, and what becomes an input."""

from typing import ClassVar, Final, Literal, TypeAlias

from pydantic import Field

from aeon.platform.catalog.model import EntityChange, EntityKind, OwnedEntity
from aeon.platform.processes.model import VariableName
from aeon.platform.records import Name, Record
from aeon.platform.runs.model import Priority

SigningScheme: TypeAlias = Literal["standard", "github", "stripe"]
"""How the sender signs: Standard Webhooks, or as GitHub or Stripe does."""

WEBHOOK_TAG: Final = "webhook"
DELIVERY_TAG: Final = "delivery"
BODY_TAG: Final = "body"
"""The tags of a run that a webhook has started: its name, the sender's id of the event, the SHA-256 of the body."""


class Webhook(OwnedEntity):
    """Starts a Process for its owner when another program sends a signed event to `/hooks/{id}`.

    The signing secret is the value of an api_key in the vault; `secret_generated` says that it was made for this
    webhook and goes with it. Until `old_secret_until`, the secret before the newest one counts, too. `trusted_digest`
    is the version of another user's Process that the owner wants to start; None for an own Process. `refusal` says
    why the last signed event that started nothing was refused.
    """

    kind: ClassVar[EntityKind] = "webhook"

    process: str
    scheme: SigningScheme
    secret_id: str
    secret_generated: bool
    input: VariableName | None = None
    enabled: bool = True
    priority: Priority = "normal"
    trusted_digest: str | None = None
    old_secret_until: str | None = None
    refusal: str | None = None
    refused_at: str | None = None

    @property
    def path(self) -> str:
        """The path of its address at the server."""
        return f"/hooks/{self.id}"


class NewWebhook(Record):
    """A webhook to create. `process` is an id, and `secret` that of an own api_key; one is generated if it is null.

    Without `input`, the top-level fields of an event are the inputs of the same names, and other fields are ignored.
    """

    name: Name
    process: str
    scheme: SigningScheme = "standard"
    secret: str | None = None
    input: VariableName | None = Field(default=None, description="the input that gets the whole event")
    enabled: bool = True
    priority: Priority = "normal"


class WebhookChange(EntityChange):
    """A change of a webhook; omitted fields stay. The Process, the scheme and the secret cannot change.

    `trustedDigest` is the current digest of another user's Process, which the owner has looked at.
    """

    clearable_fields: ClassVar[frozenset[str]] = frozenset({"input"})

    name: Name | None = None
    input: VariableName | None = None
    enabled: bool | None = None
    priority: Priority | None = None
    trusted_digest: str | None = None
