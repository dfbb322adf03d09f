"""`ConversationSummaries`: a model sums up what no longer fits the prompts of a conversation, in the background."""

import time
from contextlib import suppress
from typing import Final

from aeon.application.background_models import BackgroundRuns, instructions_of, may_begin, open_runs, output_text
from aeon.application.reply_forms import default_reply_form
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject, json_digest
from aeon.platform.knowledge.settings import is_on
from aeon.platform.memory.compression import PlannedSummary
from aeon.platform.memory.estimate import estimate_tokens
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import Run
from aeon.platform.runs.service import RunView
from aeon.platform.summaries.checks import extract, fault_of
from aeon.platform.summaries.erasing import COMPRESS, SPAN_INPUT
from aeon.platform.summaries.model import CoveredSpan, NewSummary

__all__ = ["ConversationSummaries"]

_ATTEMPTS: Final = (1, 2)
"""A summary that cannot be used is asked for once more; then code makes one."""

_SHARES: Final = {1: 100, 2: 60}
"""Percent of the words that are asked for: most of what cannot be used is too long."""


class ConversationSummaries(BackgroundRuns):
    """Sums up conversations of one user by runs of the Process `compress`. Threads may share it.

    A run that fails or is cancelled makes no summary, and the same part is not tried again within a day. A failure is
    only in the run: these methods raise nothing but StoreError.
    """

    @property
    def is_immediate(self) -> bool:
        """Whether a summary may be made between two messages: not by a model that answers one request at a time."""
        return self._platform.compresses_conversations and self._platform.answers_at_once()

    def begin(self, conversation: str) -> str | None:
        """Start the run that sums up the next part of a conversation, or go on with the one that was started before.

        Returns None while the conversation fits its budget, while the model is busy for the user otherwise, and if they
        have switched it off.
        """
        if not is_on(self._platform.store, self._user, "compression") or not may_begin(self._platform, self._user):
            return None
        if begun := open_runs(self._platform, self._user, self._runs()):
            return next((each.id for each in begun if _made_for(each) == conversation), None)
        form = default_reply_form(self._platform, self._platform.context)
        while (planned := self._platform.compression.next_summary(self._user, conversation, form)) is not None:
            run = self._begun(planned)
            if run is None or run.ended_at is None:
                return None if run is None else run.id
        return None

    def finish(self, conversation: str, seconds: float) -> None:
        """Sum up a conversation now, as far as that takes no longer than `seconds`; a run that is not done goes on."""
        until = time.monotonic() + seconds
        while (run := self.begin(conversation)) is not None:
            left = until - time.monotonic()
            if left <= 0 or not self.settle(run, left):
                return

    def _begun(self, planned: PlannedSummary) -> Run | None:
        """Return the run that makes a summary; one that has ended has made it. Returns None if no run makes it now."""
        with suppress(AeonError):
            for attempt in _ATTEMPTS:
                view = self._runs().view(self._start(planned, attempt).id)
                if view.state.phase not in ENDED_PHASES or (view.state.phase == "completed" and self._take(view)):
                    return view.run
                if view.state.phase != "completed":
                    return None
        return None

    def _start(self, planned: PlannedSummary, attempt: int) -> Run:
        deleted = self._platform.summaries.count_deleted(self._user, planned.span)
        words = max(1, planned.words * _SHARES[attempt] // 100)
        inputs: JsonObject = {
            "text": planned.text,
            "words": words,
            "limits": {"maxTokens": 3 * words + 40},
            SPAN_INPUT: {**planned.span.as_json(), "size": planned.size, "attempt": attempt, "deletedBefore": deleted},
        }
        digest = json_digest(inputs)
        return self._runs().start(COMPRESS, inputs, key=f"compress:{digest}")

    def _take(self, view: RunView) -> bool:
        """Write the summary, by code if the second one cannot be used either; return whether one is there."""
        kept: JsonObject = view.run.inputs[SPAN_INPUT]
        text, source = output_text(view), str(view.run.inputs["text"])
        process_id: str | None = view.run.process_id
        if fault_of(text, source, instructions_of(self._platform, self._user, view)) is not None:
            if kept["attempt"] < _ATTEMPTS[-1]:
                return False
            parts = self._platform.compression.parts(self._user, CoveredSpan.from_json(kept))
            text, process_id = extract(parts, kept["size"]), None
        tokens = estimate_tokens(text)
        new = NewSummary(CoveredSpan.from_json(kept), text, tokens, process_id, view.run.id)
        return bool(text) and self._platform.summaries.add(self._user, new) is not None


def _made_for(run: Run) -> str | None:
    """Return the conversation for which a run makes a summary; None if it makes something else."""
    return run.inputs[SPAN_INPUT]["madeFor"] if run.process_name == COMPRESS else None
