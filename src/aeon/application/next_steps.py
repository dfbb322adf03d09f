"""Next steps as calls of a `Project`."""

from collections.abc import Mapping
from typing import Final

CALLS: Final[Mapping[str, str]] = {
    "catalog.list": "{suggestion}See project.catalog.of_kind(...).list().",
    "catalog.list_alerts": "{suggestion}See project.alerts.list().",
    "catalog.list_processes": "{suggestion}See project.processes.list().",
    "catalog.list_schedules": "{suggestion}See project.schedules.list().",
    "catalog.list_secrets": "{suggestion}See project.secrets.list().",
    "catalog.list_services": "{suggestion}See project.services.list().",
    "catalog.list_webhooks": "{suggestion}See project.webhooks.list().",
    "conversations.choose_process": "Name another one: process=NAME; see project.processes.list().",
    "files.give_again": "Give them again: project.resume(log, files=[...]).",
    "images.give_again": "Give them again: project.resume(log, images=[...]).",
    "jobs.list_dead": "See project.runs.list_dead_jobs().",
    "knowledge.list": "See project.knowledge.list_entities(); add() writes a name down.",
    "metrics.list": "See project.metrics.list_all().",
    "processes.resume": "Let it go on: project.processes.resume({process!r}).",
    "processes.start": "Start one: project.runs.start(name, inputs).",
    "requests.continue": "Choose another path, or continue it: project.resume(Path({log!r})).",
    "requests.free_space": "Free space, then continue it: project.resume(Path({log!r})).",
    "requests.give_file": (
        "Say what to do in the request, and give the text as a file: project.ask(request, files=[...])."
    ),
    "runs.continue": "Continue it: project.runs.resume({run!r}); or start a worker, which adopts it.",
    "runs.explain": "See project.runs.explain({run!r}).",
    "runs.list": "See project.runs.list().",
    "runs.retry": "Then: project.runs.retry({run!r}), with latest=True if you changed the Process",
    "runs.view": "See project.runs.view({run!r}).",
    "secrets.create": "Create one with project.secrets.put(...) and name it in the tool.",
    "secrets.create_and_bind": "Create your own secret with project.secrets.put(...), then project.tools.bind(...).",
    "secrets.list": "See project.secrets.list().",
    "secrets.rotate": "Log in again at its provider and rotate the secret: project.secrets.put(...).",
    "services.start": "Check that the service runs at {where}; see project.health.check().",
    "skills.list": "See project.skills.catalog.",
    "templates.restore_service": (
        "Use another template, or restore it: project.catalog.archive('serviceTemplate', {name!r}, is_archived=False)."
    ),
    "templates.restore_tool": (
        "Use another template, or restore it: project.catalog.archive('toolTemplate', {name!r}, is_archived=False)."
    ),
    "tools.bind_again": "Check project.tools.get({tool!r}); if you still want it: project.tools.bind({tool!r}, ...)",
    "tools.check_health": (
        "project.health.check() checks it again; start its service, or correct the tool's connectionParams."
    ),
    "tools.health": "See project.health.check() for since when and why.",
    "tools.trust": "If you trust it: project.tools.trust({tool!r})",
    "tools.trust_again": "Check project.tools.get({tool!r}); if you still want it: project.tools.trust({tool!r})",
    "workers.find": "project.jobs.list_workers() shows them.",
    "workers.stop": "Stop these processes first; project.jobs.list_workers() shows them.",
}
