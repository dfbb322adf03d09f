"""Accepts runs: fixes the definition, the targets and the pins that a run will use."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, TypeAlias

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.next_steps import NextStep
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import AuditAction, Ledger, Mutation, MutationRequest
from aeon.platform.processes.model import Process, ProcessDefinition
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs import queries
from aeon.platform.runs.claim_check import ResultStore, check_in, reference_of, run_entry_row
from aeon.platform.runs.machine.commands import StartLoop, StartProcess
from aeon.platform.runs.machine.events import HistoryEvent
from aeon.platform.runs.machine.plan import LoopPlan, RunPlan, plan_run
from aeon.platform.runs.model import DETACHED, Priority, Run, RunEntry, RunTrigger
from aeon.platform.runs.process_pauses import pause_signal
from aeon.platform.runs.run_inputs import require_tags, runnable_inputs
from aeon.platform.runs.run_targets import Pins, RunTargets
from aeon.platform.store import DuplicateError, GuardError, Store, UnitOfWork, write_one


class NewRun(NamedTuple):
    """A run to accept. An empty `id` is generated.

    The run fails if it has not ended after `timeout` seconds. `executor` is the executor that will execute it at
    once, if known.
    """

    inputs: JsonObject
    trigger: RunTrigger = "user"
    id: str = ""
    timeout: float | None = None
    executor: str = ""
    tags: Mapping[str, str] = {}  # never mutated
    origin: Mapping[str, str] = {}
    """What started it, for the audit log."""
    priority: Priority = "normal"


class PlannedRun(NamedTuple):
    """A run and its plan."""

    run: Run
    plan: RunPlan


class InheritedWork(NamedTuple):
    """What an earlier run, by id, has done of another one: the events with which that one begins.

    `call_keys` are those of calls that it made and that the other one makes again.
    """

    run: str
    events: Sequence[HistoryEvent]
    call_keys: dict[str, str]


_OF_DEFINITION = tuple(
    name for name in ProcessDefinition.model_fields if name not in ("name", "description", "enabled", "retention_days")
)
"""The fields of a Process that a version decides."""

InheritWork: TypeAlias = Callable[[Run, RunPlan], InheritedWork | None]
"""Returns the work that a called run need not repeat; None if there is none."""


class RunAdmission:
    """Stores accepted runs. Thread-safe."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        processes: ProcessRepository,
        results: ResultStore,
        new_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._ledger = ledger
        self._processes = processes
        self._results = results
        self._new_id = new_id
        self._targets = RunTargets(store)
        self._fresh: dict[str, PlannedRun] = {}

    def now(self) -> str:
        """Return the current time, as recorded for accepted runs."""
        return self._ledger.now()

    def require_user(self, user: str) -> None:
        """Raise UnknownUserError if the user does not exist."""
        self._ledger.require_user(user)

    def take_fresh(self, run: str, executor: str) -> PlannedRun | None:
        """Return, once, a run that was just accepted here for that executor and not changed since."""
        planned = self._fresh.pop(run, None)
        return planned if planned is not None and planned.run.executor == executor else None

    def accept(self, process: Process, new: NewRun, request: MutationRequest) -> Run:
        """Accept a run of a Process in its current version.

        The same id or request again returns the same run (platform 20). Raises RuleError for a disabled Process and
        for missing or unknown inputs, all at once.
        """
        parameters: list[Json] = [new.inputs, new.trigger, new.id, new.timeout, *([dict(new.tags)] if new.tags else [])]
        if new.priority != "normal":
            parameters.append(new.priority)
        mutation = request.mutation("process.start", process.id, parameters)
        if (earlier := self._ledger.earlier_answer(mutation)) is not None:
            return Run.parsed(earlier)
        new = new._replace(inputs=runnable_inputs(process, new.inputs))
        require_tags(new.tags)
        id_ = new.id or self._new_id()
        pins = self._targets.pins(process)
        calls = self._targets.calls(process.definition, request.user)
        plan = plan_run(id_, process.definition, calls, deadline=self._deadline(new))
        run = self._run(plan, process, request.user, new, pins)
        return self._store_run(run, plan, mutation, process.owner_id, origin=new.origin)

    def accept_reminder(self, asking: Run, process: str, new: NewRun) -> Run:
        """Accept a run that reminds of a question of another run, in the version to which that one is pinned.

        It gets those of the inputs that this version has. The same id again returns the same run. Raises NotFoundError,
        and RuleError as `accept` does.
        """
        current = self._processes.get(asking.owner_id, process)
        digest = asking.pins.get(process, current.digest)
        definition = self._processes.get_definition(digest)
        pinned = current.model_copy(update={name: getattr(definition, name) for name in _OF_DEFINITION})
        given = {name: value for name, value in new.inputs.items() if name in pinned.input_names}
        new = new._replace(inputs=runnable_inputs(pinned, given))
        plan = plan_run(new.id, pinned.definition, self._targets.calls(pinned.definition, asking.owner_id))
        run = self._run(plan, pinned, asking.owner_id, new, Pins(asking.pins, asking.language))
        mutation = MutationRequest(asking.owner_id).mutation("process.start", process)
        return self._store_run(run, plan, mutation, current.owner_id)

    def accept_child(self, parent: Run, command: StartProcess, inherit: InheritWork) -> Run:
        """Accept the run that a step of another run starts; calling it again returns the same run.

        It uses the definition that the root run was pinned to. Raises NotFoundError, RuleError if the owner may no
        longer run that Process (platform 4).
        """
        process = self._processes.get(parent.owner_id, command.process)
        inputs = runnable_inputs(process, command.inputs)
        digest = parent.pins[process.id]
        definition = self._processes.get_definition(digest).model_copy(update={"name": process.name})
        plan = plan_run(
            command.job,
            definition,
            self._targets.calls(definition, parent.owner_id),
            depth_left=command.depth_left,
            token_budget=command.tokens,
            deadline=None if command.is_closing else parent.deadline,
            callers=tuple(command.callers),
        )
        new = NewRun(inputs, "process", command.job, executor=parent.executor)
        run = self._run(plan, process, parent.owner_id, new, Pins(parent.pins, parent.language), parent)
        mutation = MutationRequest(parent.owner_id).mutation("process.start", process.id)
        return self._store_run(run, plan, mutation, process.owner_id, inherit=inherit)

    def accept_loop(self, caller: PlannedRun, command: StartLoop, items: list[Json], inherit: InheritWork) -> Run:
        """Accept the run of a step's loop over these items; calling it again returns the same run.

        It has the definition and the targets of its caller.
        """
        parent, plan = caller
        loop_plan = RunPlan(
            run=command.job,
            definition=plan.definition,
            digest=plan.digest,
            calls={command.step: plan.call_of(command.step)},
            depth_left=command.depth_left,
            token_budget=command.tokens,
            deadline=None if command.is_closing else parent.deadline,
            call_stack=plan.call_stack,
            loop=LoopPlan(step=command.step, count=len(items)),
        )
        run = parent.model_copy(
            update={
                "id": command.job,
                "inputs": {**command.inputs, "items": items},
                "trigger": "process",
                "parent_id": parent.id,
                "retry_of": None,
                "accepted_at": self._ledger.now(),
                "deadline": loop_plan.deadline,
                "phase": "new",
                "events": 0,
                "tokens": 0,
                "failure": None,
                "tags": {},
            }
        )
        mutation = MutationRequest(parent.owner_id).mutation("process.start", parent.process_id)
        return self._store_run(run, loop_plan, mutation, parent.owner_id, inherit=inherit)

    def plan_retry(
        self, before: PlannedRun, process: Process | None = None, id_: str = "", deadline: float | None = None
    ) -> PlannedRun:
        """Return a run that continues another one, in its version, or as `process` is now.

        An empty `id_` is generated. Raises RuleError for inputs that do not fit that version, and if it is disabled.
        """
        id_ = id_ or self._new_id()
        changes: dict[str, object] = {
            "id": id_,
            "root_id": id_,
            "parent_id": None,
            "trigger": "retry",
            "retry_of": before.run.id,
            "accepted_at": self._ledger.now(),
            "deadline": deadline,
            "executor": "",
            "tokens": 0,
            "ended_at": None,
            "failure": None,
        }
        if process is None:
            plan = before.plan.model_copy(update={"run": id_, "deadline": deadline})
            return PlannedRun(before.run.model_copy(update=changes), plan)
        calls = self._targets.calls(process.definition, before.run.owner_id)
        plan = plan_run(id_, process.definition, calls, deadline=deadline)
        pins = self._targets.pins(process)
        changes |= {"digest": plan.digest, "pins": pins.digests, "language": pins.language}
        changes |= {"process_name": process.name}
        changes |= {"inputs": runnable_inputs(process, before.run.inputs)}
        return PlannedRun(before.run.model_copy(update=changes), plan)

    def accept_retry(
        self, planned: PlannedRun, work: InheritedWork, request: MutationRequest, *, paused: bool = False
    ) -> Run:
        """Accept a run of `plan_retry` that begins with this work, paused if wanted.

        Raises NotFoundError, and RuleError if another run continues the same one already: both would call what is left.
        """
        run = planned.run
        entries = [RunEntry(n=n, at=run.accepted_at, event=event) for n, event in enumerate(work.events, 1)]
        run = run.model_copy(update={"events": len(entries), "phase": "running" if entries else "new"})
        mutation = request.mutation("run.retry", run.retry_of or "", [run.digest])
        signals = [pause_signal(run.id, None, run.owner_id, run.accepted_at)] if paused else []
        plan = planned.plan.model_copy(update={"call_keys": work.call_keys})
        return self._store_run(run, plan, mutation, run.owner_id, entries, signals=signals)

    def _deadline(self, new: NewRun) -> float | None:
        """Return the deadline in seconds since 1970."""
        if new.timeout is None:
            return None
        return datetime.fromisoformat(self._ledger.now()).timestamp() + new.timeout

    def _run(
        self,
        plan: RunPlan,
        process: Process,
        user: str,
        new: NewRun,
        pins: Pins,
        parent: Run | None = None,
    ) -> Run:
        return Run(
            id=plan.run,
            owner_id=user,
            process_id=process.id,
            process_name=process.name,
            digest=plan.digest,
            inputs=new.inputs,
            trigger=new.trigger,
            pins=pins.digests,
            parent_id=parent.id if parent else None,
            root_id=parent.root_id if parent else plan.run,
            accepted_at=self._ledger.now(),
            deadline=plan.deadline,
            executor=new.executor,
            tags=dict(new.tags),
            priority=parent.priority if parent else new.priority,
            weight=parent.weight if parent else self._weight(user),
            language=pins.language,
        )

    def _weight(self, user: str) -> int:
        rows = self._store.read(queries.WEIGHT, {"user": user})
        return rows[0]["weight"] if rows else 1

    def _store_run(
        self,
        run: Run,
        plan: RunPlan,
        mutation: Mutation,
        process_owner: str,
        entries: Sequence[RunEntry] = (),
        *,
        inherit: InheritWork | None = None,
        signals: Sequence[JsonObject] = (),
        origin: Mapping[str, str] = {},
    ) -> Run:
        """Store a run with its first entries, or those that it inherits, and its first signals."""
        if inherit is not None and (work := inherit(run, plan)) is not None:
            entries = [RunEntry(n=n, at=run.accepted_at, event=event) for n, event in enumerate(work.events, 1)]
            run = run.model_copy(update={"retry_of": work.run, "events": len(entries), "phase": "running"})
            plan = plan.model_copy(update={"call_keys": work.call_keys})
        wanted: list[JsonObject] = [*signals]
        insertion = self._insert_run(run, plan, entries, wanted)
        if run.parent_id is None and run.retry_of is not None:
            insertion = _if_not_continued(run.retry_of, run.id, insertion)
        try:
            if run.parent_id is None or process_owner != run.owner_id:
                action = AuditAction(
                    "run.start", run.id, run.owner_id, process_owner, {"name": run.process_name, **origin}
                )
                run = Run.parsed(self._ledger.commit(insertion, mutation, [action], run.as_dict()))
            else:
                self._store.update(insertion)
        except DuplicateError:
            return run
        except GuardError:
            raise NotFoundError(f"The process {run.process_name!r} was deleted in the meantime.") from None
        if run.executor not in ("", DETACHED) and run.id == plan.run and not entries and not wanted:
            self._fresh[run.id] = PlannedRun(run, plan)
        return run

    def _insert_run(
        self, run: Run, plan: RunPlan, entries: Sequence[RunEntry], signals: list[JsonObject]
    ) -> Callable[[UnitOfWork], None]:
        """Raises GuardError if the Process is gone, DuplicateError if there is a run with the same id.

        The run of a paused Process begins paused: `signals` gets that one, too.
        """
        insert = write_one(queries.ACCEPT, self._row(run, plan))
        rows = [run_entry_row(self._results, run.id, entry) for entry in entries]
        given, own_pause = [*signals], pause_signal(run.id, run.process_id, run.owner_id, run.accepted_at)

        def work(unit: UnitOfWork) -> None:
            is_paused = any(row["paused"] for row in unit.read(queries.IS_PAUSED, {"process": run.process_id}))
            insert(unit)
            unit.write_each(queries.ADD_ENTRY, rows)
            signals[:] = given or ([own_pause] if is_paused else [])
            unit.write_each(queries.WANT, signals)

        return work

    def _row(self, run: Run, plan: RunPlan) -> JsonObject:
        fields = {name: value for name, value in plan.as_dict().items() if name != "definition"}
        plan_text = check_in(self._results, canonical_json(fields))
        inputs_text = check_in(self._results, canonical_json(run.inputs))
        return {
            **run.as_row(),
            "plan": plan_text,
            "inputs": inputs_text,
            "plan_reference": reference_of(plan_text),
            "inputs_reference": reference_of(inputs_text),
        }


def _if_not_continued(run: str, by: str, insert: Callable[[UnitOfWork], None]) -> Callable[[UnitOfWork], None]:
    """Insert the run `by` that continues `run`, unless another one does. The user's audit log serializes both."""

    def work(unit: UnitOfWork) -> None:
        for row in unit.read(queries.RETRY_OF, {"run": run, "by": by}):
            has_failed = row["phase"] in ("failed", "cancelled")
            raise RuleError(
                f"The run {run} was retried already, as the run {row['id']}, which is {row['phase']}.",
                rule="run_failed",
                next_step=NextStep("runs.retry" if has_failed else "runs.view", run=row["id"]),
            )
        insert(unit)

    return work
