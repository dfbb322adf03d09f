"""`WebhookReceiver`: takes the events that other programs send, and starts one run for each (platform 47)."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Final, cast
from uuid import NAMESPACE_OID, uuid5

from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject, json_problems, parse_strict
from aeon.bootstrap.platform import Platform
from aeon.platform.errors import NotFoundError, PlatformError
from aeon.platform.processes.model import Process
from aeon.platform.processes.text import join_names
from aeon.platform.processes.typed_inputs import complete_inputs, unfit_inputs
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.model import Run
from aeon.platform.webhooks.model import BODY_TAG, DELIVERY_TAG, WEBHOOK_TAG, Webhook
from aeon.platform.webhooks.repository import WebhookRepository
from aeon.platform.webhooks.signatures import SignatureError, SignedEvent, check_signature, delivery_id

if TYPE_CHECKING:
    from aeon.application.runs import RunService

__all__ = ["EventRefusedError", "SignatureError", "SignedEvent", "WebhookReceiver"]

_MALFORMED: Final = 400
_CONFLICT: Final = 409
_GONE: Final = 410
_UNFIT: Final = 422


class EventRefusedError(AeonError):
    """A signed event starts nothing. `status` is the HTTP status; the message is for the webhook's owner."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class WebhookReceiver:
    """The events of all webhooks. Threads may share it. Every method raises StoreError."""

    def __init__(self, platform: Platform, runs_of: "Callable[[str], RunService]") -> None:
        """`runs_of` returns the runs of a user."""
        self._webhooks = WebhookRepository(platform.store, platform.catalog, platform.processes)
        self._processes = platform.processes
        self._now = platform.catalog.ledger.now
        self._runs_of = runs_of

    def authenticate(self, id_: str, event: SignedEvent) -> Webhook:
        """Return the webhook that an event was sent to and signed for. Writes nothing.

        Raises SignatureError; for an unknown or disabled webhook, too. Raises VaultError.
        """
        webhook = self._webhooks.find_addressed(id_)
        if webhook is None:
            raise SignatureError("there is no such webhook, or it is disabled")
        now = self._now()
        secrets = self._webhooks.list_secrets(webhook, now)
        check_signature(webhook.scheme, event, secrets, datetime.fromisoformat(now).timestamp())
        return webhook

    def start(self, webhook: Webhook, event: SignedEvent) -> Run:
        """Start the run of an authentic event; an event that was sent before has the run that it started then.

        Its tags name the webhook, the sender's id of the event and the digest of the body. Raises EventRefusedError,
        and keeps the reason for the owner.
        """
        try:
            return self._start(webhook, event)
        except EventRefusedError as refused:
            self._webhooks.note_refusal(webhook, refused.message)
            raise

    def _start(self, webhook: Webhook, event: SignedEvent) -> Run:
        content = _content_of(event)
        delivery = delivery_id(webhook.scheme, event, content)
        if delivery is None:
            raise EventRefusedError(_MALFORMED, "The event has no id of 1 to 200 visible ASCII characters.")
        id_ = str(uuid5(NAMESPACE_OID, f"{webhook.id} {delivery}"))
        runs = self._runs_of(webhook.owner_id)
        run = _find_run(runs, id_)
        if run is None:
            process = self._startable(webhook)
            new = NewRun(
                _inputs_of(webhook, process, content),
                trigger="call",
                id=id_,
                tags={WEBHOOK_TAG: webhook.name, DELIVERY_TAG: delivery, BODY_TAG: event.digest},
                origin={"webhook": webhook.id, "delivery": delivery},
                priority=webhook.priority,
            )
            run = _started(runs, process, new)
        if run.tags.get(BODY_TAG) != event.digest:
            raise EventRefusedError(_CONFLICT, "Another event had the same id.")
        return run

    def _startable(self, webhook: Webhook) -> Process:
        try:
            process = self._processes.get(webhook.owner_id, webhook.process)
        except NotFoundError:
            raise EventRefusedError(_GONE, "Its Process is not shared any more.") from None
        if not process.is_trusted(webhook.trusted_digest):
            raise EventRefusedError(
                _CONFLICT, "The owner of its Process has changed it: look at it, then trust it as it is now."
            )
        if not process.enabled:
            raise EventRefusedError(_CONFLICT, "Its Process is disabled.")
        return process


def _content_of(event: SignedEvent) -> JsonObject:
    """Return the JSON object that is the body of an event."""
    try:
        content: Json = parse_strict(event.body.decode())
    except ValueError:  # UnicodeDecodeError is one
        raise EventRefusedError(_MALFORMED, "The body of the event is not JSON in UTF-8.") from None
    if not isinstance(content, dict) or json_problems(content):
        raise EventRefusedError(_MALFORMED, "The body of the event is not an object, or is nested too deeply.")
    return cast(JsonObject, content)


def _inputs_of(webhook: Webhook, process: Process, content: JsonObject) -> JsonObject:
    """Return the inputs of a run: the whole event as one, or its fields with the names of inputs."""
    definition = process.definition
    names = definition.input_names
    inputs = {webhook.input: content} if webhook.input else {each: content[each] for each in names if each in content}
    complete = complete_inputs(definition, inputs)
    if wrong := unfit_inputs(definition, complete):  # names alone: more would repeat values of the event
        raise EventRefusedError(
            _UNFIT, f"The event does not fit the Process {process.name!r}: look at {join_names(wrong)}."
        )
    return inputs


def _find_run(runs: "RunService", id_: str) -> Run | None:
    with suppress(NotFoundError):
        return runs.get(id_)
    return None


def _started(runs: "RunService", process: Process, new: NewRun) -> Run:
    try:
        return runs.start_new(process, new)
    except PlatformError as error:
        status = {404: _GONE, 409: _CONFLICT, 422: _UNFIT}.get(error.status)
        if status is None:
            raise
        raise EventRefusedError(status, "The Process cannot be started with this event.") from None
