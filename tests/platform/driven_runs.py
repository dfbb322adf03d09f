"""Plans, small real semantics, and somebody who carries commands out as they ask to be: record first, then act."""

import random
from collections.abc import Callable

from aeon.base.binding import bind as bind_steps
from aeon.base.errors import AeonError
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.processes.wait_times import WaitTime
from aeon.platform.runs.machine.apply import apply_event
from aeon.platform.runs.machine.commands import (
    AskPerson,
    CancelStep,
    StartJob,
    StartLoop,
    StartProcess,
    StartWait,
    event_of_command,
)
from aeon.platform.runs.machine.decide import Semantics, decide
from aeon.platform.runs.machine.events import (
    AnswerGiven,
    AttemptFailure,
    RunStarted,
    StepCompleted,
    StepFailed,
    StepStopped,
    StepTimedOut,
)
from aeon.platform.runs.machine.plan import StepCall, plan_run
from aeon.platform.runs.machine.state import ENDED_PHASES, initial_state

STARTS = (StartJob, StartProcess, StartLoop, StartWait, AskPerson)


def holds(condition, values):
    """`name` or `step.variable`, each after a `not` if need be: whether it is there and true."""
    is_negated, name = condition.startswith("not "), condition.removeprefix("not ")
    space, _, variable = name.rpartition(".")
    found = values[space] if space else values
    if variable not in found:
        raise AeonError(f"the condition names {name!r}, which there is not")
    return bool(found[variable]) != is_negated


def bind(inputs, values):
    whole = {f"{{{name}}}": value for name, value in values.items() if name != "step"}
    bound = bind_steps(inputs, values["step"])
    return {name: whole.get(value, value) if isinstance(value, str) else value for name, value in bound.items()}


def render(template, values):
    return bind_steps(template, values["step"])


def list_items(loop, values):
    return bind({"items": loop.items}, values)["items"]


def select(step, values):
    return {**values, "step": dict(values["step"])}


def wait_time(wait, values):
    return WaitTime(seconds=float(bind({"wait": wait}, values)["wait"]))


SEMANTICS = Semantics(holds, bind, render, list_items, select, wait_time)


def step(id_, *, calls="tool", mode="sequential", required=True, variable=None, budget=None, **fields):
    """A step of a definition, in JSON. Its tool or Process is called as the step, its variable as well."""
    execution = {name: fields.pop(name) for name in ("condition", "timeout", "interactionMode") if name in fields}
    output = {"variable": variable or id_, "required": required, "tokenBudget": budget}
    target = {} if "wait" in fields else {calls: f"{calls}-{id_}"}
    return {"id": id_, **target, "output": output, "execution": {"mode": mode, **execution}, **fields}


def together(id_, **fields):
    return step(id_, mode="parallel", **fields)


def plan_of(*steps, effects=None, asks=None, run="r", limits=None, **fields):
    """A plan of these steps. Every tool is idempotent but for `effects`, by step."""
    definition = ProcessDefinition.parsed({"name": "work", "steps": list(steps), **fields})
    calls = {
        each.id: StepCall(
            kind="tool" if each.tool else "process" if each.process else "wait",
            id=each.tool or each.process or "",
            name=f"the {each.id}",
            worker="rest_api" if each.tool else "",
            effect=(effects or {}).get(each.id, "idempotent"),
            asks=(asks or {}).get(each.id),
        )
        for each in definition.all_steps
    }
    return plan_run(run, definition, calls, **(limits or {}))


class Run:
    """A run that is driven by hand. `events` are those that were taken, `acted` the commands that were carried out."""

    def __init__(self, plan, inputs=None, semantics=SEMANTICS):
        self.plan, self.semantics = plan, semantics
        self.state = initial_state(plan)
        self.events, self.acted = [], []
        self.record(RunStarted(inputs=inputs or {}))

    def record(self, event):
        """Whether the state took it."""
        before, self.state = self.state, apply_event(self.plan, self.state, event)
        if self.state is not before:
            self.events.append(event)
        return self.state is not before

    def decided(self):
        return decide(self.plan, self.state, self.semantics)

    def advance(self):
        """Carry commands out until there are none; gives those that something was done for."""
        acted = []
        while commands := self.decided():
            taken = [command for command in commands if self.record(event_of_command(command))]
            assert taken[:1] == commands[:1], "what is asked for must be possible, until it ends the run"
            acted += taken
        self.acted += acted
        return acted

    def started(self):
        return [command for command in self.acted if isinstance(command, STARTS)]

    def completes(self, id_, output="done", *, tokens=0):
        attempt = self.state.steps[self.plan.positions[id_]].attempts
        assert self.record(StepCompleted(step=id_, attempt=attempt, output=output, tokens=tokens))
        return self.advance()

    def fails(self, id_, *, tokens=0, **error):
        attempt = self.state.steps[self.plan.positions[id_]].attempts
        failure = AttemptFailure(**{"code": "broken", "message": "connection refused", **error})
        assert self.record(StepFailed(step=id_, attempt=attempt, error=failure, tokens=tokens))
        return self.advance()

    def of(self, id_):
        return self.state.steps[self.plan.positions[id_]]


def carried_out(run, outcome: Callable, chance: random.Random, between=lambda: None):
    """Drive a run to its end: what is under way ends in an order of chance, as `outcome(command)` says.

    `between` is called before each thing that happens. Fails when the run takes more events than any run can.
    """
    pending = []
    for _ in range(20 * len(run.plan.steps) + 20):
        pending = underway_after(pending, run.advance())
        between()
        pending = underway_after(pending, run.advance())
        if run.state.phase in ENDED_PHASES:
            return run
        run.record(outcome(pending.pop(chance.randrange(len(pending)))))
    raise AssertionError(f"the run does not end: {run.state.phase}, {pending}")


def underway_after(pending, commands):
    """What will end by itself, or because it was told to, when these commands were carried out too."""
    for command in commands:
        if isinstance(command, CancelStep):
            pending = [each for each in pending if each.step != command.step]
        if isinstance(command, (*STARTS, CancelStep)):
            pending = [*pending, command]
    return pending


def chancy(seed):
    """Outcomes by chance, but the same for the same attempt at the same step whatever else happened.

    In some runs hardly anything goes wrong, in others much does.
    """
    harm = random.Random(seed).choice([0.0, 0.03, 0.1, 0.3])

    def outcome(command):
        if isinstance(command, CancelStep):
            return StepStopped(step=command.step)
        chance = random.Random(f"{seed}:{command.job}")
        is_harmed = chance.random() < harm
        lot = chance.random() if is_harmed else 0.0
        empty = chance.choice(["", None, [], {}])
        if lot < 0.2 and isinstance(command, AskPerson):
            return AnswerGiven(step=command.step, by="ann", answer=empty if is_harmed else "yes")
        if lot < 0.2:
            output = empty if is_harmed else chance.choice(["text", 0, False, {"n": chance.randrange(9)}, [1, 2]])
            tokens = chance.randrange(20)
            return StepCompleted(step=command.step, attempt=command.attempt, output=output, tokens=tokens)
        if lot < 0.8:
            error = AttemptFailure(code="broken", message="it broke", transient=chance.random() < 0.8)
            return StepFailed(step=command.step, attempt=command.attempt, error=error, tokens=chance.randrange(3))
        return StepTimedOut(step=command.step, attempt=command.attempt)

    return outcome
