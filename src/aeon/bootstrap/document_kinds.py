"""The kinds of documents outside the catalog that a user's file may have."""

from aeon.bootstrap.platform import Platform
from aeon.platform.alerts.documents import AlertDocuments
from aeon.platform.alerts.repository import AlertRepository
from aeon.platform.catalog.apply import DocumentKind
from aeon.platform.processes.documents import ProcessDocuments
from aeon.platform.schedules.documents import ScheduleDocuments
from aeon.platform.schedules.repository import ScheduleRepository
from aeon.platform.webhooks.documents import WebhookDocuments
from aeon.platform.webhooks.repository import WebhookRepository


def document_kinds(platform: Platform, user: str) -> dict[str, DocumentKind]:
    """Return the kinds for one file of a user, referenced ones first."""
    store, catalog, processes = platform.store, platform.catalog, platform.processes
    webhooks = WebhookRepository(store, catalog, processes)
    alerts = AlertRepository(store, catalog, processes, platform.metrics)
    return {
        "Process": ProcessDocuments(catalog, processes, user),
        "Schedule": ScheduleDocuments(ScheduleRepository(store, catalog, processes), processes, user),
        "Webhook": WebhookDocuments(webhooks, catalog.secrets, processes, user),
        "Alert": AlertDocuments(alerts, catalog, processes, user),
    }
