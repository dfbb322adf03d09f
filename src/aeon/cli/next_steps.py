"""Next steps as commands of the command line."""

import re
from collections.abc import Mapping
from typing import Final

from aeon.base.errors import AeonError
from aeon.base.next_steps import TEXTS, NextStep, words_of

COMMANDS: Final[Mapping[str, str]] = {
    "catalog.list": "{suggestion}See `aeon tool list`; `aeon init` adds what Aeon ships.",
    "catalog.list_alerts": "{suggestion}See `aeon process alert list`.",
    "catalog.list_processes": "{suggestion}See `aeon process list`; `aeon init` adds those that Aeon ships.",
    "catalog.list_schedules": "{suggestion}See `aeon process schedule list`.",
    "catalog.list_secrets": "{suggestion}See `aeon secret list`.",
    "catalog.list_services": "{suggestion}See `aeon tool service list`; `aeon init` adds those that Aeon ships.",
    "catalog.list_webhooks": "{suggestion}See `aeon process webhook list`.",
    "config.edit": "Correct it: aeon config edit",
    "config.explain": "See `aeon config list`.",
    "config.list": "`aeon config list` shows every setting.",
    "conversations.choose_process": (
        "Choose another one with --process NAME, or in a dialogue with /regenerate NAME; see `aeon process list`."
    ),
    "engine.address": "See `aeon config list`, and set engine.address to that server.",
    "files.give_again": "Give each again with --file FILE, or pipe it in again.",
    "folder.adopt": (
        "If you know and trust its origin, look at its contents and take it over with `aeon init --adopt`; "
        "otherwise move it away: {move}"
    ),
    "folder.adopt_record": (
        "If you know and trust its origin, adopt it with `aeon init --adopt`; otherwise move it away: {move}"
    ),
    "folder.correct": "Find out who changed it, then correct it; `aeon doctor` shows whether it is in order.",
    "history.begin": 'Begin with: aeon run "REQUEST"',
    "history.list": "See `aeon log list`.",
    "images.give_again": "Give each again with --image FILE.",
    "jobs.list_dead": "See `aeon process job list --dead`.",
    "knowledge.list": "See `aeon knowledge list`; `aeon knowledge add` writes a name down.",
    "metrics.list": "See `aeon store metric list`.",
    "models.check": "Run `aeon doctor` to see which model is configured and whether it answers.",
    "models.choose_file": "Fetch a model with `aeon model fetch`, or set AEON_MODEL_PATH to a GGUF file.",
    "models.fetch": "Fetch it: aeon model fetch{name}",
    "models.fetch_again": (
        "Run `aeon model fetch {model}` again (the downloaded part is kept); "
        "or set AEON_MODEL_PATH=/path/to.gguf to your own model file."
    ),
    "models.fetch_again_or_smaller": (
        "Run `aeon model fetch {model}` again (the downloaded part is kept); try the smaller one, `aeon model fetch "
        "small`; or set AEON_MODEL_PATH=/path/to.gguf to your own model file."
    ),
    "models.fetch_or_serve": (
        "Fetch them once with `aeon model fetch {model}`; "
        "or set AEON_MODEL_BASE_URL and AEON_MODEL_NAME to use a model server."
    ),
    "models.install": (
        "Run {command} and then `aeon model fetch`; "
        "or set AEON_MODEL_BASE_URL and AEON_MODEL_NAME to use a model server."
    ),
    "models.load": (
        "The file may be incomplete, of a kind that this llama.cpp does not support, or larger than the free memory. "
        "Fetch it again with `aeon model fetch`."
    ),
    "models.reach": "Check that it is running and reachable from here, then try again; `aeon doctor` tests it.",
    "plans.correct": "Correct the plan; or {ways}. `aeon tool list` shows the tools; stored ones need --tools catalog.",
    "processes.give_inputs": "Give {inputs} (each with --input NAME=VALUE, or under `inputs` in a file).",
    "processes.resume": "Let it go on: aeon process resume {process}",
    "processes.start": "Start one: aeon process run NAME.",
    "projection.rebuild": "Run `aeon store graph rebuild`.",
    "requests.begin": "See `aeon log show {log}`, or start a new run.",
    "requests.choose_log": "Choose another place with --log.",
    "requests.continue": "Choose another path, or continue it: aeon log resume {log}",
    "requests.free_space": "Free space, then continue with: aeon log resume {log}",
    "requests.give_file": "Say what to do in the request, and give the text with --file FILE, or pipe it in.",
    "runs.adopt": "{first} run `aeon log adopt`: open runs continue from their entries.",
    "runs.adopt_lost": (
        "Use one PostgreSQL as engine.address for all processes that share the record. If the first run store is lost, "
        "or you leave it for this one, see `aeon log adopt --dry-run`."
    ),
    "runs.ask_again": "To be asked again, retry the run: aeon log retry {run}",
    "runs.continue": "Resume it: aeon log resume {run}; or start a worker, which adopts it: aeon serve worker",
    "runs.explain": "See `aeon log why {run}`.",
    "runs.find": (
        "See `aeon log list`. A run that was started with other settings may be in another record: see `aeon "
        "config list`."
    ),
    "runs.list": "See `aeon log list`.",
    "runs.resume": "Resume the run; it goes on without the answer: aeon log resume {run}",
    "runs.retry": "Then: aeon log retry {run} (with --latest if you changed the Process)",
    "runs.view": "See `aeon log show {run}`.",
    "secrets.choose": "Name one of yours with --secret; see `aeon secret list`.",
    "secrets.create": "Create one with `aeon secret set` and name it in the tool.",
    "secrets.create_and_bind": "Create your own secret and bind it: `aeon tool bind`.",
    "secrets.list": "See `aeon secret list`.",
    "secrets.rotate": "Log in again at its provider and rotate the secret with `aeon secret set`.",
    "services.start": "Check that the service runs at {where}; see `aeon tool health`.",
    "skills.check": "See `aeon skill check`.",
    "skills.configure": "Set them with `aeon skill config {skill} --set NAME=VALUE`.",
    "skills.correct": "Correct the file, then run `aeon skill check`.",
    "skills.give_input": "Give the input with --input NAME=VALUE.",
    "skills.grant": (
        "If you trust it, `aeon skill run` grants this with {flags} for one run, and `aeon skill trust "
        "{skill}` permanently."
    ),
    "skills.grant_network": (
        "If you trust it, grant it the network, permanently with `aeon skill trust {skill} --allow-network`, or for "
        "one run with `aeon skill run --allow-network`."
    ),
    "skills.grant_write": (
        "If you trust it, grant it the folder, permanently with `aeon skill trust {skill} --allow-write {folder}`, or "
        "for one run with `aeon skill run --allow-write {folder}`."
    ),
    "skills.list": "See `aeon skill list`.",
    "skills.plan_yourself": (
        "Put text for a script in quotation marks, start a model (`aeon doctor`), or write the plan yourself "
        "and run it with `aeon skill run`."
    ),
    "skills.reinstall": (
        "Keep a copy of its data in {folder}; then run `aeon skill remove {skill}`, and `aeon skill install PATH "
        "{skill}` with the path of its source."
    ),
    "skills.reword": "Reword the request, or see `aeon skill list` for the available skills.",
    "skills.show": "See `aeon skill show {skill}`.",
    "skills.trust": (
        "Look at {folder}; then run `aeon skill trust {skill}`. If all projects are your own, set "
        "AEON_SKILLS_TRUST_PROJECT=true, or trust_project in your own settings."
    ),
    "skills.trust_change": (
        "Look at {folder}; then run `aeon skill trust {skill}`, or fetch it again with `aeon skill update {skill}`."
    ),
    "skills.unpin": "Unpin it first: aeon skill unpin {skill}",
    "skills.update_to": "If you want that commit: aeon skill update {skill} --commit {ref}",
    "skills.update_or_remove": "Update it with `aeon skill update {skill}`, or remove it first.",
    "store.carry_backup_over": (
        "If another version of Aeon made it, run `aeon store restore` and `aeon store export FILE` with that version, "
        "then `aeon store import FILE` with this one; otherwise use a backup that `aeon store backup` made."
    ),
    "store.carry_over": (
        "If another version of Aeon made it, run `aeon store export FILE` with that version, move the record away, and "
        "run `aeon store import FILE` with this one; otherwise move it away to start anew, or restore a backup with "
        "`aeon store restore FILE`."
    ),
    "store.carry_schema_over": (
        "Run `aeon store export FILE` with the version of Aeon that made it, set store.address to another schema or "
        "database, and run `aeon store migrate` and `aeon store import FILE` with this one."
    ),
    "store.check": "Run `aeon doctor`; the data are safe.",
    "store.choose_backup": "Use a backup that `aeon store backup` made.",
    "store.migrate": "Run `aeon store migrate` as the owner of the schema.",
    "store.move_or_restore": "Move it away to start anew, or restore a backup with `aeon store restore FILE`.",
    "store.rebuild": "Run `aeon store rebuild`.",
    "store.restore": "Restore a backup with `aeon store restore FILE`.",
    "store.restore_before_migration": (
        "Restore the backup that was made before the migration: `aeon store restore FILE`."
    ),
    "templates.restore_service": ("Use another template, or restore it: `aeon tool service template restore {name}`."),
    "templates.restore_tool": "Use another template, or restore it: `aeon tool template restore {name}`.",
    "tools.bind_again": ("Check it with `aeon tool show {tool}`; if you still want it, run `aeon tool bind` again."),
    "tools.check_health": (
        "`aeon tool health` checks it again; start its service, or correct the tool's connectionParams."
    ),
    "tools.health": "See `aeon tool health` for since when and why.",
    "tools.list": "See `aeon tool list`.",
    "tools.show": "See `aeon tool show {tool}`.",
    "tools.trust": "If you trust it, run `aeon tool trust {tool}`.",
    "tools.trust_again": ("Check it with `aeon tool show {tool}`; if you still want it, run `aeon tool trust` again."),
    "users.enable": "Enable them again: aeon serve user enable {user}",
    "workers.find": "`aeon serve worker list` shows them.",
    "workers.start": "Start one: aeon serve worker --type {type}",
    "workers.start_newer": "Start a worker with a newer version of Aeon: aeon serve worker",
    "workers.start_with_extras": (
        "Install the extra of this operation (graph or skills) where you start one: aeon serve worker --type {type}"
    ),
    "workers.start_with_labels": "Start one: aeon serve worker --type {type} {flags}",
    "workers.stop": "Stop these processes first; `aeon serve worker list` shows them.",
}


def advice_of(error: AeonError) -> str:
    """What to do about an error, as commands where there are any."""
    return words_of(error.next, COMMANDS)


_PARAMETER = re.compile(r"\\{(\w+)\\}")
"""A name in an escaped text of `TEXTS`."""


def advice_of_record(text: str) -> str:
    """A next step that a run's record keeps in the words of no door, as commands; another text stays as it is.

    Only what names something is recognized: other texts are too short to be told from those of tools.
    """
    for code, template in TEXTS.items():
        pattern = _PARAMETER.sub(r"(?P<\1>.*)", re.escape(template))
        match = re.fullmatch(pattern, text, re.DOTALL) if "{" in template else None
        if match and set(re.findall(r"{(\w+)}", COMMANDS[code])) <= match.groupdict().keys():
            return NextStep(code, **match.groupdict()).worded(COMMANDS)
    return text
