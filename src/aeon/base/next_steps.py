"""`NextStep`: what to do about an error, as a code that each door words in its own way."""

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, str]] = {
    "catalog.list": "{suggestion}List what is stored; setting up the record adds what Aeon ships.",
    "catalog.list_alerts": "{suggestion}List the alerts.",
    "catalog.list_processes": "{suggestion}List the Processes; setting up the record adds those that Aeon ships.",
    "catalog.list_schedules": "{suggestion}List the schedules.",
    "catalog.list_secrets": "{suggestion}List the secrets.",
    "catalog.list_services": "{suggestion}List the services; setting up the record adds those that Aeon ships.",
    "catalog.list_webhooks": "{suggestion}List the webhooks.",
    "config.edit": "Correct the file.",
    "config.explain": "See where each setting comes from.",
    "config.list": "List the settings.",
    "conversations.choose_process": "Choose another Process for the answer.",
    "engine.address": "See where each setting comes from, and set engine.address to that server.",
    "files.give_again": "Give the same texts again.",
    "folder.adopt": (
        "If you know and trust its origin, look at its contents and take it over; otherwise move it away: {move}"
    ),
    "folder.adopt_record": "If you know and trust its origin, take it over; otherwise move it away: {move}",
    "folder.correct": "Find out who changed it, then correct it.",
    "history.begin": "Run a request first.",
    "history.list": "List what ran.",
    "images.give_again": "Give the same images again.",
    "jobs.list_dead": "List your dead jobs.",
    "knowledge.list": "List what is known, or write it down.",
    "metrics.list": "List the metrics.",
    "models.check": "Check which model is configured and whether it answers.",
    "models.choose_file": "Fetch a model, or set AEON_MODEL_PATH to a GGUF file.",
    "models.fetch": "Fetch it.",
    "models.fetch_again": (
        "Fetch the model {model} again (the downloaded part is kept); "
        "or set AEON_MODEL_PATH=/path/to.gguf to your own model file."
    ),
    "models.fetch_again_or_smaller": (
        "Fetch the model {model} again (the downloaded part is kept), or the smaller one; "
        "or set AEON_MODEL_PATH=/path/to.gguf to your own model file."
    ),
    "models.fetch_or_serve": (
        "Fetch the model {model} once; or set AEON_MODEL_BASE_URL and AEON_MODEL_NAME to use a model server."
    ),
    "models.install": (
        "Run {command} and fetch a model; or set AEON_MODEL_BASE_URL and AEON_MODEL_NAME to use a model server."
    ),
    "models.load": (
        "The file may be incomplete, of a kind that this llama.cpp does not support, or larger than the free memory. "
        "Fetch it again."
    ),
    "models.reach": "Check that it is running and reachable from here, then try again.",
    "plans.correct": "Correct the plan; or {ways}.",
    "processes.give_inputs": "Give {inputs}.",
    "processes.resume": "Resume the Process {process}.",
    "processes.start": "Start a run of a Process.",
    "projection.rebuild": "Rebuild the graph.",
    "requests.begin": "Start a new run.",
    "requests.choose_log": "Choose another place for the log.",
    "requests.continue": "Choose another path, or continue the request of the log {log}.",
    "requests.free_space": "Free space, then continue the request of the log {log}.",
    "requests.give_file": "Say what to do in the request, and give the text as a file.",
    "runs.adopt": "{first} adopt the runs: open ones continue from their entries.",
    "runs.adopt_lost": (
        "Use one PostgreSQL as engine.address for all processes that share the record. If the first run store is lost, "
        "or you leave it for this one, see what adopting its runs would change."
    ),
    "runs.ask_again": "To be asked again, retry the run {run}.",
    "runs.continue": "Resume the run {run}, or start a worker, which adopts it.",
    "runs.explain": "Ask why the run {run} does not continue.",
    "runs.find": (
        "List your runs. A run that was started with other settings may be in another record: see where each "
        "setting comes from."
    ),
    "runs.list": "List your runs.",
    "runs.resume": "Resume the run {run}; it goes on without the answer.",
    "runs.retry": "Then retry the run {run}.",
    "runs.view": "Look at the run {run}.",
    "secrets.choose": "Name one of your secrets.",
    "secrets.create": "Create a secret and name it in the tool.",
    "secrets.create_and_bind": "Create your own secret and bind it to the tool.",
    "secrets.list": "List your secrets.",
    "secrets.rotate": "Log in again at its provider and rotate the secret.",
    "services.start": "Check that the service runs at {where}; then check the health of the tools.",
    "skills.check": "See the notes about the skills.",
    "skills.configure": "Correct the settings of the skill {skill}.",
    "skills.correct": "Correct the file, then check the skills again.",
    "skills.give_input": "Give the input by the names of its fields.",
    "skills.grant": "If you trust the skill {skill}, grant it {requested} for one run, or trust it permanently.",
    "skills.grant_network": "If you trust the skill {skill}, grant it the network for one run, or permanently.",
    "skills.grant_write": "If you trust the skill {skill}, grant it the folder {folder} for one run, or permanently.",
    "skills.list": "List the skills.",
    "skills.plan_yourself": (
        "Put text for a script in quotation marks, start a model, or write the plan yourself and run it."
    ),
    "skills.reinstall": (
        "Keep a copy of its data in {folder}; then remove the skill {skill}, and install it again from where it is."
    ),
    "skills.reword": "Reword the request, or list the available skills.",
    "skills.show": "Look at the skill {skill} and its scripts.",
    "skills.trust": (
        "Look at {folder}; then trust the skill {skill}. If all projects are your own, set "
        "AEON_SKILLS_TRUST_PROJECT=true, or trust_project in your own settings."
    ),
    "skills.trust_change": "Look at {folder}; then trust the skill {skill}, or fetch it again.",
    "skills.unpin": "Unpin the skill {skill} first.",
    "skills.update_to": "If you want that commit, update the skill {skill} to {ref}.",
    "skills.update_or_remove": "Update the skill {skill}, or remove it first.",
    "store.carry_backup_over": (
        "If another version of Aeon made it, restore it with that version, export the record with it, and import the "
        "export here; otherwise use a backup that Aeon made of a record."
    ),
    "store.carry_over": (
        "If another version of Aeon made it, export it with that version, move it away, and import the export here; "
        "otherwise move it away to start anew, or restore a backup."
    ),
    "store.carry_schema_over": (
        "Export the record with the version of Aeon that made it, and import the export into another schema or "
        "database."
    ),
    "store.check": "Check the installation; the data are safe.",
    "store.choose_backup": "Use a backup that Aeon made of a record.",
    "store.migrate": "Migrate the tables as the owner of the schema.",
    "store.move_or_restore": "Move it away to start anew, or restore a backup.",
    "store.rebuild": "Build the search indexes again.",
    "store.restore": "Restore a backup.",
    "store.restore_before_migration": "Restore the backup that was made before the migration.",
    "templates.restore_service": "Use another template, or restore the service template {name}.",
    "templates.restore_tool": "Use another template, or restore the tool template {name}.",
    "tools.bind_again": "Check the tool {tool}; if you still want it, bind your secret to it again.",
    "tools.check_health": (
        "Check the health of the tool again; start its service, or correct the tool's connectionParams."
    ),
    "tools.health": "See since when and why in the health of the tools.",
    "tools.list": "List the tools.",
    "tools.show": "Look at the tool {tool}.",
    "tools.trust": "If you trust it, trust the tool {tool}.",
    "tools.trust_again": "Check the tool {tool}; if you still want it, trust it again.",
    "users.enable": "An operator can enable the user {user} again.",
    "workers.start": "Start a worker of the type {type}.",
    "workers.start_newer": "Start a worker with a newer version of Aeon.",
    "workers.start_with_extras": "Start a worker of the type {type} where the extra of this operation is installed.",
    "workers.start_with_labels": "Start a worker of the type {type} with these labels: {labels}.",
    "workers.find": "The list of workers shows them.",
    "workers.stop": "Stop these processes first; the list of workers shows them.",
}
"""Every code, with its words for those who have no better ones: logs, and doors without such a command."""


class NextStep:
    """A step that a user can take: a code, such as `runs.view`, and what it is about, such as the run's id.

    `str` gives the words of `TEXTS`. A door has words of its own and passes them to `worded`.
    """

    def __init__(self, code: str, **params: str) -> None:
        """`code` is one of `TEXTS`, `params` are the names in its text."""
        self.code = code
        self.params = params

    def worded(self, words: Mapping[str, str]) -> str:
        """The step in the words of a door, by code; in those of `TEXTS` where the door has none."""
        return words.get(self.code, TEXTS[self.code]).format_map(self.params)

    def __str__(self) -> str:
        return self.worded(TEXTS)

    def __repr__(self) -> str:
        return (
            f"NextStep({', '.join([repr(self.code), *(f'{name}={value!r}' for name, value in self.params.items())])})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NextStep) and (self.code, self.params) == (other.code, other.params)

    def __hash__(self) -> int:
        return hash((self.code, *sorted(self.params.items())))


def words_of(step: str | NextStep, words: Mapping[str, str]) -> str:
    """A next step in the words of a door; a plain text stays as it is."""
    return step.worded(words) if isinstance(step, NextStep) else step
