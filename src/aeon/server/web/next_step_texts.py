"""Next steps as one takes them on the page, in English, by code."""

from collections.abc import Mapping
from typing import Final

PAGE_STEPS: Final[Mapping[str, str]] = {
    "knowledge.list": "See the page of what is known; a name can be written down there.",
    "runs.view": "Open the run {run} on the page of runs.",
    "runs.list": "See the page of runs.",
    "runs.explain": "The page of the run {run} says why it does not continue.",
    "catalog.list": "{suggestion}See the pages of Processes and tools.",
    "catalog.list_processes": "{suggestion}See the page of Processes.",
    "catalog.list_secrets": "{suggestion}See the page of secrets.",
    "catalog.list_services": "{suggestion}See the page of services.",
    "models.fetch_again": "Fetch the model {model} on the page of the model; what was downloaded is kept.",
    "models.fetch_again_or_smaller": (
        "Fetch the model {model} again on the page of the model, where what was downloaded is kept; or the smaller one."
    ),
    "models.fetch_or_serve": "Fetch the model {model} on the page of the model, or use a model server.",
    "processes.resume": "Let the Process {process} go on, on its page.",
    "processes.start": "Start a run on the page of a Process.",
    "secrets.list": "See the page of secrets.",
    "secrets.create_and_bind": "Make your own secret, then choose it on the page of the tool.",
    "skills.trust": "Look at its files on the page of the skill, then trust it there.",
    "skills.trust_change": "Look at its files on the page of the skill, then trust it there.",
    "tools.bind_again": "Look at the tool, then choose the secret again on its page.",
    "tools.trust_again": "Look at the tool, then trust it again on its page.",
}
