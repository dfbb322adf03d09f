"""Checks Processes that call each other: recursion without a condition is refused.

A call without a condition is made in every run, so a circle of such calls never ends by itself: each run would use up
its depth and fail. With one condition on the way the circle can end, and the run's own limit guards it (platform 7).
Likewise a chain of unconditional calls must fit into the depth; one that a condition may cut short is left to the
run.
"""

from collections.abc import Iterator, Mapping
from functools import cache

from aeon.platform.processes.checks.problems import DefinitionProblem
from aeon.platform.processes.checks.targets import ProcessTarget, TargetLookup
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.processes.sections import paths_of


def find_callees(definition: ProcessDefinition) -> Mapping[str, bool]:
    """Return the Processes that a definition calls, by id.

    The value says whether every step that calls the Process has a condition, or only runs after the main ones. What
    reminds of a question is among them: a run is pinned to it, too.
    """
    callees: dict[str, bool] = {}
    main = len(definition.steps)
    for place, step in enumerate(definition.all_steps):
        if step.process is not None:
            is_conditional = step.execution.condition is not None or place >= main
            callees[step.process] = callees.get(step.process, True) and is_conditional
        if step.question is not None and step.question.remind is not None:
            callees.setdefault(step.question.remind.process, True)
    return callees


def check_recursion(
    definition: ProcessDefinition, targets: TargetLookup, process_id: str | None
) -> Iterator[DefinitionProblem]:
    """Yield unconditional calls that go deeper than the limit (platform 7), with their stack.

    `process_id` is that of the Process being saved, None for a new one, which nothing can call back. A Process that
    the user cannot see ends a chain: the run's own limit guards the calls behind it.
    """
    calls = _Calls(definition, targets, process_id)
    for path, step in zip(paths_of(definition), definition.all_steps, strict=True):
        if step.process is None:
            continue
        chain = calls.too_deep(step.process)
        if chain is None:
            continue
        is_circle = process_id in chain
        if is_circle and (step.execution.condition is not None or not path.startswith("$.steps")):
            continue
        yield _problem(path, definition, calls.names(chain), is_circle)


def _problem(path: str, definition: ProcessDefinition, names: list[str], is_circle: bool) -> DefinitionProblem:
    stack = " -> ".join([definition.name, *names])
    if is_circle:
        return DefinitionProblem(
            f"{path}.process",
            "recursion_can_end",
            f"the Process always calls itself again: {stack}; give one of these steps a condition",
        )
    return DefinitionProblem(
        f"{path}.process",
        "recursion_depth",
        f"the Processes would call each other deeper than maxRecursionDepth {definition.max_recursion_depth}: {stack}",
    )


class _Calls:
    """The unconditional calls that start at the Process being saved."""

    def __init__(self, definition: ProcessDefinition, targets: TargetLookup, process_id: str | None) -> None:
        self._deepest = definition.max_recursion_depth
        self._own = process_id
        self._name = definition.name
        self._found: dict[str, ProcessTarget | None] = {}
        self._targets = targets
        own = [callee for callee, is_conditional in find_callees(definition).items() if not is_conditional]
        self._unconditional: dict[str | None, list[str]] = {process_id: own}
        self._chain = cache(self._uncached_chain)

    def too_deep(self, process: str) -> list[str] | None:
        """Return a chain from this call on that is too deep or returns to the start, or None."""
        chain = self._chain(process, self._deepest)
        if chain is None:
            return None
        processes = list(chain)
        return (
            processes[: processes.index(self._own) + 1]
            if self._own is not None and self._own in processes
            else processes
        )

    def names(self, processes: list[str]) -> list[str]:
        return [self._name_of(process) for process in processes]

    def _name_of(self, process: str) -> str:
        if process == self._own:
            return self._name
        target = self._target(process)
        return target.name if target else process

    def _uncached_chain(self, process: str, left: int) -> tuple[str, ...] | None:
        """Return a chain of more than `left` unconditional calls that starts with this Process."""
        if left == 0:
            return (process,)
        for callee in self._unconditional_callees(process):
            if (rest := self._chain(callee, left - 1)) is not None:
                return (process, *rest)
        return None

    def _unconditional_callees(self, process: str) -> list[str]:
        if process not in self._unconditional:
            target = self._target(process)
            callees = target.callees if target else ()
            self._unconditional[process] = [callee.process for callee in callees if not callee.is_conditional]
        return self._unconditional[process]

    def _target(self, process: str) -> ProcessTarget | None:
        if process not in self._found:
            self._found[process] = self._targets.process(process)
        return self._found[process]
