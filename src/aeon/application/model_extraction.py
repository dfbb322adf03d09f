"""`ModelExtraction`: a strong model finds the facts in users' messages, one at a time, in the background."""

from collections.abc import Callable
from typing import NamedTuple

from aeon.application.default_catalog import NEWEST_TOOL, ensure_default_tool
from aeon.application.run_reader import value_of
from aeon.application.runs import RunService
from aeon.base.errors import AeonError
from aeon.bootstrap.platform import Platform
from aeon.platform.episodes.background_runs import EXTRACTING, SOURCES_INPUT, given_alternatives
from aeon.platform.knowledge.extraction import WaitingEpisode, found_by_code
from aeon.platform.knowledge.model import Fact, name_key
from aeon.platform.knowledge.model_facts import MAX_KNOWN, checked_findings, model_inputs
from aeon.platform.runs.machine.state import ENDED_PHASES

__all__ = ["ModelExtraction"]


class _Asked(NamedTuple):
    """A message that the model reads: what it was shown with it, and the run."""

    episode: WaitingEpisode
    names: list[str]
    known: list[Fact]
    run: str


class ModelExtraction:
    """Extracts for one user with runs of `extract_facts`, one at a time. Methods raise StoreError.

    A message whose run fails is extracted by code, and its episode says why. A run that was started before a crash is
    found again by its key.
    """

    def __init__(self, platform: Platform, user: str, holder: str, runs: Callable[[], RunService]) -> None:
        """The caller closes `platform`. `holder` is this process; `runs` opens the engine."""
        self._platform = platform
        self._user = user
        self._holder = holder
        self._runs = runs
        self._asked: _Asked | None = None

    def advance(self) -> None:
        """Take over what the model has found, and let it read the next message; does nothing while it reads."""
        queue = self._platform.extraction
        if not queue.take(self._user, self._holder):
            return
        if self._asked is not None and not self._settle(self._asked):
            return
        self._asked = None
        for episode in queue.list_waiting(self._user):
            if (asked := self._begin(episode)) is not None:
                self._asked = asked
                return
        queue.release(self._user, self._holder)

    def _begin(self, episode: WaitingEpisode) -> _Asked | None:
        """Let the model read a message; extract by code, and return None, what states nothing or cannot be read."""
        queue = self._platform.extraction
        cases = queue.word_cases(self._user, [episode.content] if episode.is_evidence else [])
        by_code = found_by_code(episode, cases)
        if not by_code.facts:
            queue.finish(self._user, episode, by_code)
            return None
        names = list(by_code.names)
        known = self._nearest(names)
        inputs = model_inputs(episode.content, names, known, episode.created_at)
        inputs[SOURCES_INPUT] = given_alternatives(_read(episode, known))
        try:
            ensure_default_tool(self._platform, NEWEST_TOOL)
            run = self._runs().start(EXTRACTING, inputs, key=f"extract:{episode.id}")
        except AeonError as error:
            queue.finish(self._user, episode, by_code, error.message)
            return None
        return _Asked(episode, names, known, run.id)

    def _settle(self, asked: _Asked) -> bool:
        """Write what a run has found; return whether it has ended."""
        view = self._runs().view(asked.run)
        if view.state.phase not in ENDED_PHASES:
            return False
        queue = self._platform.extraction
        if view.state.phase == "completed":
            found = {name: value_of(view, name) for name in ("facts", "contradicts", "categories")}
            extracted = checked_findings(found, asked.episode.content, asked.names, asked.known)
            queue.finish(self._user, asked.episode, extracted)
            return True
        why = view.state.error.message if view.state.error is not None else f"the run was {view.state.phase}"
        cases = queue.word_cases(self._user, [asked.episode.content])
        queue.finish(self._user, asked.episode, found_by_code(asked.episode, cases), why)
        return True

    def _nearest(self, names: list[str]) -> list[Fact]:
        """Return the newest facts about what a message names, which it may contradict."""
        entities = self._platform.entities.list_known(self._user, map(name_key, names))
        family = [each for entity in entities for each in self._platform.entities.family(self._user, entity)]
        holding = [each for each in self._platform.facts.list_about(self._user, family) if each.holds]
        return holding[-MAX_KNOWN:]


def _read(episode: WaitingEpisode, known: list[Fact]) -> list[str]:
    """Return the messages whose words a model is given: the one it reads, and those that state known facts."""
    stating = [each.source.alternative_id for fact in known for each in fact.assertions]
    return sorted({each for each in (episode.alternative_id, *stating) if each is not None})
