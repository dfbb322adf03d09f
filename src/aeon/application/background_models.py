"""What the runs have in common that a model makes in the background, for what is known of conversations."""

from contextlib import suppress
from typing import Final

from aeon.application.default_catalog import ensure_default_tool
from aeon.application.run_reader import value_of
from aeon.application.runs import RunService
from aeon.base.errors import AeonError
from aeon.bootstrap.platform import Platform
from aeon.platform.catalog.operations import LlmCall
from aeon.platform.episodes.background_runs import ENRICHING
from aeon.platform.introspection.erasing import INTROSPECT
from aeon.platform.runs.model import Run
from aeon.platform.runs.service import RunView
from aeon.platform.summaries.erasing import COMPRESS

PROCESSES: Final = (COMPRESS, INTROSPECT, ENRICHING)
"""The shipped Processes that make summaries, notes and descriptions; each user has one run of them at a time."""


def may_begin(platform: Platform, user: str) -> bool:
    """Return whether the background may ask the model for a user now: no answer is being made."""
    if not platform.compresses_conversations or platform.turns.list_generating(user, 1):
        return False
    for name in PROCESSES:
        ensure_default_tool(platform, name)
    return True


def open_runs(platform: Platform, user: str, runs: RunService) -> list[Run]:
    """Return the runs that make something for a user now; those whose process has died go on here."""
    found: list[Run] = []
    with suppress(AeonError):
        for id_ in platform.summaries.list_open_runs(user, PROCESSES):
            runs.resume(id_)
            found.append(runs.view(id_).run)
    return found


def instructions_of(platform: Platform, user: str, view: RunView) -> str:
    """Return what the model was told in a run: the prompts of its tools, with the numbers that are filled in."""
    told: list[str] = []
    for call in view.plan.calls.values():
        with suppress(AeonError):  # a tool that was deleted since
            operation = platform.catalog.tools.get(user, call.id).operation
            if isinstance(operation, LlmCall):
                told += [operation.system_prompt, operation.prompt_template]
    text = "\n".join(told)
    for name, value in view.run.inputs.items():
        if isinstance(value, int):
            text = text.replace(f"{{{{{name}}}}}", str(value))
    return text


def output_text(view: RunView) -> str:
    """Return the text of a run that has completed; one that the model could not finish ends with a whole sentence."""
    text = view.state.output.strip() if isinstance(view.state.output, str) else ""
    if value_of(view, "finishReason") != "length":
        return text
    end = max(text.rfind(each) for each in (".", "!", "?", "\u3002"))
    return text[: end + 1]
