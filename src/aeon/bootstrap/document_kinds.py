"""The kinds of documents outside the catalog that a user's file may have."""

from collections.abc import Collection
from typing import Final

from aeon.bootstrap.platform import Platform
from aeon.platform.alerts.documents import AlertDocuments
from aeon.platform.alerts.repository import AlertRepository
from aeon.platform.catalog.apply import DocumentKind
from aeon.platform.processes.documents import ProcessDocuments
from aeon.platform.schedules.documents import ScheduleDocuments
from aeon.platform.schedules.repository import ScheduleRepository
from aeon.platform.webhooks.documents import WebhookDocuments
from aeon.platform.webhooks.repository import WebhookRepository


def document_kinds(platform: Platform, user: str, wanted: Collection[str]) -> dict[str, DocumentKind]:
    """Return those of the `wanted` kinds that are outside the catalog, for one file of a user, referenced ones first.

    Others are not opened: the first look at metrics adds the built-in ones to a record.
    """
    return {kind: make(platform, user) for kind, make in _KINDS.items() if kind in wanted}


def _processes(platform: Platform, user: str) -> DocumentKind:
    return ProcessDocuments(platform.catalog, platform.processes, user)


def _schedules(platform: Platform, user: str) -> DocumentKind:
    schedules = ScheduleRepository(platform.store, platform.catalog, platform.processes)
    return ScheduleDocuments(schedules, platform.processes, user)


def _webhooks(platform: Platform, user: str) -> DocumentKind:
    webhooks = WebhookRepository(platform.store, platform.catalog, platform.processes)
    return WebhookDocuments(webhooks, platform.catalog.secrets, platform.processes, user)


def _alerts(platform: Platform, user: str) -> DocumentKind:
    alerts = AlertRepository(platform.store, platform.catalog, platform.processes, platform.metrics)
    return AlertDocuments(alerts, platform.catalog, platform.processes, user)


_KINDS: Final = {"Process": _processes, "Schedule": _schedules, "Webhook": _webhooks, "Alert": _alerts}
