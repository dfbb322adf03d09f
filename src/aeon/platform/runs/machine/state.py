"""The state of a run, derived from its events. Immutable, and convertible to JSON."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeAlias, TypeVar

from pydantic import Field

from aeon.base.json import Json, JsonObject
from aeon.platform.errors import RuleError
from aeon.platform.records import Record
from aeon.platform.runs.machine.events import AttemptFailure, RunFailure
from aeon.platform.runs.machine.plan import RunPlan

T = TypeVar("T")

_WIDTH = 100
"""The square root of the maximum number of steps: a change copies two tuples of that size."""


@dataclass(frozen=True, slots=True)
class PersistentArray(Generic[T]):
    """An immutable array. A change of one value copies about twice the square root of its length."""

    length: int
    _pieces: tuple[tuple[T, ...], ...]

    def __getitem__(self, place: int) -> T:
        return self._pieces[place // _WIDTH][place % _WIDTH]

    def __iter__(self) -> Iterator[T]:
        return (self[place] for place in range(self.length))

    def __repr__(self) -> str:
        return f"PersistentArray({list(self)!r})"

    def with_value(self, place: int, value: T) -> "PersistentArray[T]":
        """Return a copy with another value at that position."""
        number, offset = divmod(place, _WIDTH)
        piece = self._pieces[number]
        changed = (*piece[:offset], value, *piece[offset + 1 :])
        return PersistentArray(self.length, (*self._pieces[:number], changed, *self._pieces[number + 1 :]))


def filled_array(value: T, length: int) -> PersistentArray[T]:
    """Return an array that holds the same value at every position."""
    return PersistentArray(length, ((value,) * _WIDTH,) * -(-length // _WIDTH))


RunPhase: TypeAlias = Literal[
    "new", "running", "paused", "cancelling", "failing", "unwinding", "completed", "failed", "cancelled"
]
"""A run that fails or is cancelled stops its steps, is then `unwinding` while it runs what follows, and ends."""
RunStepStatus: TypeAlias = Literal[
    "waiting", "running", "retrying", "stopping", "completed", "failed", "skipped", "stopped"
]

MAIN_PHASES: frozenset[RunPhase] = frozenset({"running", "paused"})
"""The phases of the work itself."""
STARTING_PHASES: frozenset[RunPhase] = frozenset({"running", "unwinding"})
"""The phases in which steps start."""
ACTIVE_PHASES: frozenset[RunPhase] = MAIN_PHASES | STARTING_PHASES
"""The phases in which results of steps decide what comes next."""
CLOSING_PHASES: frozenset[RunPhase] = frozenset({"cancelling", "failing"})
ENDED_PHASES: frozenset[RunPhase] = frozenset({"completed", "failed", "cancelled"})
SETTLED_STATUSES: frozenset[RunStepStatus] = frozenset({"completed", "failed", "skipped", "stopped"})


class StepState(Record):
    """The state of one step. `value` is its variable once it is settled; `failures` what failed in its loop.

    `attempts` counts the attempts that were started. `asks` is the user whom the last one asks, if the plan names
    another or none.
    """

    status: RunStepStatus = "waiting"
    attempts: int = 0
    tokens: int = 0
    value: Json = None
    failures: Json = None
    error: AttemptFailure | None = None
    reason: str = ""
    asks: str | None = None


INITIAL_STEP_STATE = StepState()


@dataclass(frozen=True, slots=True)
class RunState:
    """The state of a run. Only the steps of one stage are ever running.

    Steps of earlier stages are settled for good. `ready`, `running` and `stopping` are sets of positions in that
    stage, as the bits of a number: steps that may start, steps that started and are not settled, and those of them
    that were asked to stop. A stage is over when the first two are empty. They follow from the steps, and are stored
    so that a decision never visits all steps.
    """

    phase: RunPhase
    steps: PersistentArray[StepState]
    inputs: JsonObject = field(default_factory=dict[str, Json])
    stage: int = 0
    ready: int = 0
    running: int = 0
    stopping: int = 0
    tokens: int = 0
    """Used by all steps."""
    shared: int = 0
    """Used by the steps without a budget of their own."""
    shared_before: int = 0
    """Used by those in earlier stages: limits must not depend on which step is faster."""
    error: RunFailure | None = None
    cancelled_by: str = ""
    output: Json = None
    switched_at: str = ""
    """When the run was last paused, or let go on."""
    paused_with: str | None = None
    """The id of the Process with all of whose runs it was paused; None if it was paused by itself, or is not."""
    has_unwound: bool = False
    """Whether what follows a failure or a cancel request has begun: it runs once."""

    def as_dict(self, plan: RunPlan) -> JsonObject:
        """Return the state as JSON data: steps by their id, without those that never started."""
        steps = zip(plan.steps, self.steps, strict=True)
        stored = _StoredState(
            phase=self.phase,
            inputs=self.inputs,
            stage=self.stage,
            steps={step.id: step_state for step, step_state in steps if step_state is not INITIAL_STEP_STATE},
            tokens=self.tokens,
            shared=self.shared,
            shared_before=self.shared_before,
            error=self.error,
            cancelled_by=self.cancelled_by,
            output=self.output,
            has_unwound=self.has_unwound,
            switched_at=self.switched_at,
            paused_with=self.paused_with,
        )
        return stored.model_dump(mode="json", by_alias=True, exclude_defaults=True)


class _StoredState(Record):
    """A state as it is stored."""

    phase: RunPhase
    inputs: JsonObject
    stage: int = Field(ge=0)
    steps: dict[str, StepState]
    tokens: int
    shared: int
    shared_before: int
    error: RunFailure | None
    cancelled_by: str
    output: Json
    has_unwound: bool = False
    switched_at: str = ""
    paused_with: str | None = None


def initial_state(plan: RunPlan) -> RunState:
    """Return the state before the first event."""
    return RunState("new", filled_array(INITIAL_STEP_STATE, len(plan.steps)))


def parse_state(plan: RunPlan, value: Json) -> RunState:
    """Parse a state from JSON. Raises RuleError if it is invalid, or belongs to another plan."""
    stored = _StoredState.parsed(value)
    if stored.stage > len(plan.stages) or not stored.steps.keys() <= plan.positions.keys():
        raise RuleError(
            "The state belongs to a run of another plan.",
            rule="schema",
            field="$.steps",
            next_step="Replay the run's events with the plan that is stored with them.",
        )
    steps = filled_array(INITIAL_STEP_STATE, len(plan.steps))
    for step, step_state in stored.steps.items():
        steps = steps.with_value(plan.positions[step], step_state)
    return RunState(
        phase=stored.phase,
        steps=steps,
        inputs=stored.inputs,
        stage=stored.stage,
        ready=_ready_places(plan, stored, steps),
        running=_places(plan, stored.stage, steps, frozenset({"running", "stopping"})),
        stopping=_places(plan, stored.stage, steps, frozenset({"stopping"})),
        tokens=stored.tokens,
        shared=stored.shared,
        shared_before=stored.shared_before,
        error=stored.error,
        cancelled_by=stored.cancelled_by,
        output=stored.output,
        has_unwound=stored.has_unwound,
        switched_at=stored.switched_at,
        paused_with=stored.paused_with,
    )


def asked_user(plan: RunPlan, state: RunState, position: int) -> str | None:
    """Return the one user who may answer a manual step now; None for any."""
    return state.steps[position].asks or plan.call_of(plan.steps[position].id).asks


def bit_of(plan: RunPlan, state: RunState, position: int) -> int:
    """Return a step of the current stage as a set with one position."""
    return 1 << (position - plan.stages[state.stage].start)


def positions_of(plan: RunPlan, stage: int, places: int) -> Iterator[int]:
    """Yield the positions of a set of places in a stage, in the order of the steps."""
    while places:
        lowest = places & -places
        yield plan.stages[stage].start + lowest.bit_length() - 1
        places ^= lowest


def _ready_places(plan: RunPlan, stored: _StoredState, steps: PersistentArray[StepState]) -> int:
    is_open = stored.phase in ACTIVE_PHASES
    return _places(plan, stored.stage, steps, frozenset({"waiting", "retrying"})) if is_open else 0


def _places(plan: RunPlan, stage: int, steps: PersistentArray[StepState], statuses: frozenset[RunStepStatus]) -> int:
    if stage == len(plan.stages):
        return 0
    return sum(1 << place for place, position in enumerate(plan.stages[stage]) if steps[position].status in statuses)
