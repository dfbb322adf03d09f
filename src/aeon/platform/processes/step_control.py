"""What a step may have beyond its call: a loop, a retry policy, a compensation, rules of its question (platform 41)."""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from aeon.base.json import Json
from aeon.platform.records import Record

VariableName = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
"""The name of an input or of a step's output. `step` cannot name an input."""

MAX_STEP_SECONDS = 300
"""Maximum timeout of one call of a tool, in seconds (platform 7)."""

MAX_WAIT_SECONDS = 30 * 24 * 3600
"""Maximum timeout of a question, and of a call of a Process that may ask one or wait, in seconds (platform 41)."""

MAX_ITEMS = 10_000
"""Maximum number of items of one loop (platform 41)."""

MAX_ITEM_CONCURRENCY = 100
"""Maximum number of items that one loop works on at once."""


FAILURE: Final = "failure"
"""The name under which steps after the main ones read why the run failed."""

RESULT: Final = "result"
"""The name under which a compensation reads the result of what it undoes."""


class ForEach(Record):
    """Repeats a step for each item of a list; the step's result is the list of the items' results, in its order.

    Each item has its own attempts and its own timeout. Without `failures`, the first item that fails ends the step.
    With it, the others go on, the result of a failed item is null, and the variable `failures` lists what failed:
    objects with `index`, `item`, `code` and `message`.
    """

    items: str | list[Json] = Field(description="a reference or an expression that gives a list, or a list")
    as_: VariableName = Field(default="item", alias="as", description="the name under which inputs read the item")
    concurrency: int = Field(default=1, ge=1, le=MAX_ITEM_CONCURRENCY, description="items worked on at once")
    failures: VariableName | None = Field(default=None, description="the variable that collects what failed")


FailureCode: TypeAlias = Annotated[str, Field(min_length=1, max_length=100)]


class RetryPolicy(Record):
    """How often a failed attempt is repeated, within the bounds of platform 10.

    Without `on`, failures that may pass are repeated; with it, those with these codes, and no others. A call that may
    have happened is repeated only if its tool's effect allows it.
    """

    attempts: int = Field(default=4, ge=1, le=4, description="attempts in all")
    delay: float = Field(default=1.0, ge=0.0, le=3600.0, description="seconds before the second attempt")
    factor: float = Field(default=4.0, ge=1.0, le=10.0, description="growth of the delay from attempt to attempt")
    on: list[FailureCode] | None = Field(
        default=None, min_length=1, max_length=20, description="codes of the failures that are repeated"
    )


class Compensation(Record):
    """The call that undoes a completed step when the run fails or is cancelled afterwards.

    Its inputs read `{result}`, the result of what it undoes, beside all that the step itself may read. For a loop it
    is called once for each completed item, the last one first.
    """

    tool: str | None = Field(default=None, description="the id of the tool that it calls")
    process: str | None = Field(default=None, description="the id of the process that it calls")
    inputs: dict[VariableName, Json] = Field(default={}, description="by parameter; `{result}` is what is undone")
    timeout: int = Field(default=60, ge=1, le=MAX_WAIT_SECONDS, description="seconds")
    retry: RetryPolicy | None = Field(default=None, description="how often a failed call is repeated, and when")


class Escalation(Record):
    """The next person who is asked if nobody has answered in time."""

    assignee: str = Field(min_length=1, max_length=200, description="a user, or a reference to one")
    timeout: int = Field(ge=1, le=MAX_WAIT_SECONDS, description="seconds")


class Reminder(Record):
    """A Process that is started while a question is open, as to send a mail to the person who is asked.

    It gets those of its inputs that are named `assignee`, `run`, `step` and `question`, the inputs of the step. The
    first start is `after` seconds after the question was asked; with `every`, more follow until it is answered.
    """

    process: str = Field(description="the id of the process that it starts")
    after: int = Field(default=0, ge=0, le=MAX_WAIT_SECONDS, description="seconds after the question was asked")
    every: int | None = Field(default=None, ge=60, le=MAX_WAIT_SECONDS, description="seconds between later starts")


REMINDER_INPUTS: Final = ("assignee", "run", "step", "question")
"""The inputs that a reminder can give."""


class QuestionRules(Record):
    """Who answers a manual step, and what happens when its time is over.

    `assignee` is a user, or a reference to one; without it the run's owner is asked. When the step's timeout is over,
    each person of `escalate` is asked in turn. When all of them had their time, `onTimeout` is `fail`, or `answer`
    with the answer that then counts.
    """

    assignee: str | None = Field(
        default=None, min_length=1, max_length=200, description="a user, or a reference to one; else the run's owner"
    )
    escalate: list[Escalation] = Field(default=[], max_length=10, description="who is asked next, in turn")
    on_timeout: Literal["fail", "answer"] = Field(default="fail", description="answer: `answer` counts in the end")
    answer: Json = Field(default=None, description="the answer that counts if nobody answers")
    remind: Reminder | None = Field(
        default=None, exclude_if=lambda value: value is None, description="a process that reminds who is asked"
    )
