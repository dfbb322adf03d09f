"""`EntityDescriptions`: a model describes what a user mentions often, for users who let it, in the background."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from aeon.application.background_models import BackgroundRuns, instructions_of, may_begin, open_runs
from aeon.application.default_catalog import NEWEST_TOOL, ensure_default_tool
from aeon.application.run_reader import value_of
from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject, json_digest
from aeon.llm.material import without_end_mark
from aeon.platform.episodes.background_runs import ENRICHING, SOURCES_INPUT, given_alternatives
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.knowledge.descriptions import Description, checked_description
from aeon.platform.knowledge.enrichment import EntityMaterial
from aeon.platform.knowledge.model import Entity, name_key
from aeon.platform.knowledge.settings import is_on
from aeon.platform.ledger import AuditAction, MutationRequest
from aeon.platform.memory.estimate import estimate_tokens
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import Run
from aeon.platform.runs.service import RunView
from aeon.platform.summaries.checks import repeats

__all__ = ["EntityDescriptions"]

_TOKENS: Final = 900
"""The most estimated tokens of statements that a model is given; the oldest are left out."""

_NO_NEIGHBOURS: Final = "nothing"


class EntityDescriptions(BackgroundRuns):
    """Describes entities of one user by runs of the Process `enrich` (platform 17). Threads may share it.

    A failure is only in the run: these methods raise nothing but StoreError.
    """

    def begin(self, conversation: str) -> str | None:
        """Start the run that describes something a conversation names, or go on with the one started before.

        Returns None while nothing is mentioned often enough, while the model is busy for the user otherwise, and if
        they have switched it off.
        """
        if not is_on(self._platform.store, self._user, "enrichment") or not may_begin(self._platform, self._user):
            return None
        if begun := open_runs(self._platform, self._user, self._runs()):
            return next((each.id for each in begun if _made_for(each) == conversation), None)
        for material in self._platform.descriptions.list_due(self._user, conversation):
            with suppress(AeonError):
                run = self._start(material, conversation)
                view = self._runs().view(run)
                if view.state.phase not in ENDED_PHASES:
                    return run
                if view.state.phase == "completed":
                    self._take(view)
        return None

    def describe(self, name: str, seconds: float) -> None:
        """Describe an entity now. A run that is not done within `seconds` goes on.

        Raises NotFoundError, RuleError if it has too few statements, ConflictError if what the model says cannot be
        used or is not done, and what starting a run raises.
        """
        entity = self._platform.entities.get(self._user, name)
        run = self._start_now(entity)
        self._runs().settle(run, seconds)
        view = self._runs().view(run)
        if view.state.phase != "completed" or not self._take(view):
            raise ConflictError(
                f"The model gave no description of {entity.name} that your statements support.",
                next_step="Write yourself what it is, or try it with another model.",
            )

    def request(self, name: str, request: MutationRequest) -> str:
        """Start the run that describes an entity now, and return its id; `settle` takes over what it has made.

        Repeating the request returns the same run. Raises NotFoundError, RuleError if it has too few statements, and
        what starting a run raises.
        """
        entity = self._platform.entities.get(self._user, name)
        ledger = self._platform.catalog.ledger
        mutation = request.mutation("entity.enrich", entity.id)
        if (earlier := ledger.earlier_answer(mutation)) is not None:
            return str(earlier["run"])
        run = self._start_now(entity)
        action = AuditAction("entity.enrich", entity.id, self._user, self._user, {"run": run})
        return str(ledger.commit(lambda _: None, mutation, [action], {"run": run})["run"])

    def list_completed(self, since: str) -> list[str]:
        """Return the runs that have made a description, of those that were started after an instant."""
        return [each.id for each in self._runs().list(phase="completed", process=ENRICHING, since=since).items]

    def _start_now(self, entity: Entity) -> str:
        material = self._platform.descriptions.material(self._user, entity)
        if material is None:
            raise RuleError(
                f"There is too little about {entity.name} to describe it: two statements are needed.",
                rule="enrichment",
                next_step="Say more about it, or write yourself what it is.",
            )
        ensure_default_tool(self._platform, NEWEST_TOOL)
        return self._start(material, None)

    def _start(self, material: EntityMaterial, conversation: str | None) -> str:
        sources: JsonObject = {
            **given_alternatives(material.alternatives),
            "entity": material.entity.id,
            "episodes": list[Json](material.episodes),
            "conversation": conversation,
        }
        inputs: JsonObject = {
            "name": material.entity.name or "",
            "neighbours": ", ".join(material.neighbours) or _NO_NEIGHBOURS,
            "said": _shown([*_fitting(material.said)]),
            SOURCES_INPUT: sources,
        }
        digest = json_digest({**inputs, SOURCES_INPUT: material.episodes})
        return self._runs().start(ENRICHING, inputs, key=f"enrich:{material.entity.id}:{digest}").id

    def _take(self, view: RunView) -> bool:
        inputs = view.run.inputs
        named = ("summary", "category", "domain", "status", "sentiment")
        found = {name: value_of(view, name) for name in named}
        checked = checked_description(found, inputs["said"], inputs["name"])
        if checked is None or repeats(checked.text, instructions_of(self._platform, self._user, view)):
            return False
        if not self._is_still_stated(inputs):
            return False
        sources: JsonObject = inputs[SOURCES_INPUT]
        made_at = view.run.ended_at or self._platform.catalog.ledger.now()
        new = Description(*checked, sources["episodes"], view.run.process_id, view.run.id, made_at)
        return self._platform.descriptions.add(self._user, sources["entity"], new)

    def _is_still_stated(self, inputs: JsonObject) -> bool:
        """Whether what a run was given still holds: nothing of it was forgotten, called wrong or unmerged since."""
        with suppress(NotFoundError):
            entity = self._platform.entities.get(self._user, inputs[SOURCES_INPUT]["entity"])
            material = self._platform.descriptions.material(self._user, entity)
            statements = [] if material is None else _shown(material.said).splitlines()
            named: str = inputs["neighbours"]
            names = [] if named == _NO_NEIGHBOURS else named.split(", ")
            are_known = all(self._platform.entities.list_known(self._user, [name_key(each)]) for each in names)
            return are_known and set(inputs["said"].splitlines()) <= {*statements}
        return False


def _shown(statements: Sequence[str]) -> str:
    """Return statements as a model is shown them."""
    return without_end_mark("said", "\n".join(statements))


def _made_for(run: Run) -> str | None:
    """Return the conversation for which a run describes something; None if it makes something else."""
    return run.inputs[SOURCES_INPUT].get("conversation") if run.process_name == ENRICHING else None


def _fitting(lines: Sequence[str]) -> Iterator[str]:
    """Yield the newest lines that fit what a model is given, oldest first."""
    room, first = _TOKENS, len(lines)
    while first and (room := room - estimate_tokens(lines[first - 1])) >= 0:
        first -= 1
    yield from lines[first:]
