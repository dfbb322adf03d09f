"""What the runs have in common that a model makes in the background, for what is known of conversations."""

from abc import ABC, abstractmethod
from collections.abc import Callable
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
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import Run
from aeon.platform.runs.service import RunView
from aeon.platform.summaries.erasing import COMPRESS

PROCESSES: Final = (COMPRESS, INTROSPECT, ENRICHING)
"""The shipped Processes that make summaries, notes and descriptions; each user has one run of them at a time."""


class BackgroundRuns(ABC):
    """Makes something of one user's messages, by runs of a shipped Process. Threads may share it.

    A failure is only in the run: `settle` raises nothing but StoreError.
    """

    def __init__(self, platform: Platform, user: str, runs: Callable[[], RunService]) -> None:
        """The caller closes `platform`. `runs` opens the engine."""
        self._platform = platform
        self._user = user
        self._runs = runs

    @abstractmethod
    def begin(self, conversation: str) -> str | None:
        """Start the next run for a conversation, or go on with the one started before; None if there is none now."""

    def settle(self, run: str, seconds: float = 0) -> bool:
        """Take over the result of a run, after waiting at most `seconds`; return whether the run has ended."""
        with suppress(AeonError):
            if seconds:
                self._runs().settle(run, seconds)
            view = self._runs().view(run)
            if view.state.phase not in ENDED_PHASES:
                return False
            if view.state.phase == "completed":
                self._take(view)
        return True

    @abstractmethod
    def _take(self, view: RunView) -> bool:
        """Write what a completed run has made, if it can be used; return whether it is there."""


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
            runs.adopt(id_)
            found.append(runs.view(id_).run)
    return found


def instructions_of(platform: Platform, user: str, view: RunView) -> str:
    """Return the model's instructions in a run: the prompts of its tools, with the numbers filled in."""
    prompts: list[str] = []
    for call in view.plan.calls.values():
        with suppress(AeonError):  # a tool that was deleted since
            operation = platform.catalog.tools.get(user, call.id).operation
            if isinstance(operation, LlmCall):
                prompts += [operation.system_prompt, operation.prompt_template]
    text = "\n".join(prompts)
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
