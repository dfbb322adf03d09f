"""`ConversationNotes`: a model keeps notes for its own later answers, for users who let it, in the background."""

import re
from contextlib import suppress
from typing import Final

from aeon.application.background_models import BackgroundRuns, instructions_of, may_begin, open_runs, output_text
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.llm.material import without_end_mark
from aeon.platform.episodes.background_runs import SOURCES_INPUT
from aeon.platform.introspection.erasing import INTROSPECT
from aeon.platform.introspection.model import MAX_NOTE, NewNote, NoteSources
from aeon.platform.knowledge.settings import is_on
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import Run
from aeon.platform.runs.service import RunView
from aeon.platform.summaries.checks import repeats

__all__ = ["ConversationNotes"]

_RECENT: Final = 5
"""The newest summaries of a conversation of which a note is made."""

_MAX_TOKENS: Final = 120
_SENTENCE: Final = re.compile("[^.!?\u2026\u3002\uff01\uff1f]+[.!?\u2026\u3002\uff01\uff1f]*")


class ConversationNotes(BackgroundRuns):
    """Makes notes of conversations of one user by runs of the Process `introspect` (platform 39). Threads may share it.

    A failure is only in the run: these methods raise nothing but StoreError.
    """

    def begin(self, conversation: str) -> str | None:
        """Start the run that makes a note of a conversation's newest summaries, or go on with the one started before.

        Returns None until it was compressed often enough since the last note, while the model is busy for the user
        otherwise, and unless they have switched it on.
        """
        if not is_on(self._platform.store, self._user, "introspection"):
            return None
        number, since = self._platform.notes.compressions(conversation)
        if since < self._platform.introspects_after or not may_begin(self._platform, self._user):
            return None
        if begun := open_runs(self._platform, self._user, self._runs()):
            return next((each.id for each in begun if _made_for(each) == conversation), None)
        inputs = self._inputs(conversation, number, since)
        if inputs is None:
            return None
        with suppress(AeonError):
            run = self._runs().start(INTROSPECT, inputs, key=f"introspect:{conversation}:{number}")
            view = self._runs().view(run.id)
            if view.state.phase not in ENDED_PHASES:
                return run.id
            if view.state.phase == "completed":
                self._take(view)
        return None

    def _inputs(self, conversation: str, number: int, since: int) -> JsonObject | None:
        """Return what the model gets; None without summaries."""
        alive = [
            each for each in self._platform.summaries.list_of(self._user, conversation) if each.deleted_at is None
        ][-_RECENT:]
        if not alive:
            return None
        texts = self._platform.summaries.texts(self._user, [each.id for each in alive])
        notes = self._platform.notes.carousel(self._user)
        own = NoteSources(frozenset({conversation}), frozenset(each.id for each in alive))
        sources = NoteSources.joined([own, *(each.sources for each in notes)])
        shown = "\n".join(f"{each.position}: {each.text}" for each in notes) or "(none)"
        recent = "\n\n".join(texts[each.id].text or "" for each in alive)
        first = number - since + 1
        about: JsonObject = {"conversation": conversation, "compressions": [first, number]}
        return {
            "notes": without_end_mark("notes", shown),
            "summaries": without_end_mark("summaries", recent),
            "position": self._platform.notes.next_position(self._user),
            "limits": {"maxTokens": _MAX_TOKENS},
            SOURCES_INPUT: {**sources.as_json(), **about},
        }

    def _take(self, view: RunView) -> bool:
        kept: JsonObject = view.run.inputs[SOURCES_INPUT]
        text = note_from(output_text(view))
        if not text or repeats(text, instructions_of(self._platform, self._user, view)):
            return False
        first, last = kept["compressions"]
        new = NewNote(
            view.run.inputs["position"],
            text,
            NoteSources.from_json(kept),
            view.run.process_id,
            view.run.id,
            kept["conversation"],
            f"conversation {kept['conversation']}, compressions {first}-{last}",
        )
        return self._platform.notes.replace(self._user, new) is not None


def _made_for(run: Run) -> str | None:
    """Return the conversation for which a run makes a note; None if it makes something else."""
    return run.inputs[SOURCES_INPUT]["conversation"] if run.process_name == INTROSPECT else None


def note_from(reply: str) -> str:
    """Returns the note in a model's reply: as many whole sentences as a note may have, on one line."""
    text = " ".join(reply.split())
    note = ""
    for sentence in _SENTENCE.findall(text):
        if len(note) + len(sentence) > MAX_NOTE:
            break
        note += sentence
    return note.strip() if any(each.isalnum() for each in note) else ""
