"""What a workflow asks of the book: answers that are the same whenever they are asked for."""

import asyncio
from datetime import timedelta
from typing import Any, Final

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import FailureError

TAKES: Final = timedelta(seconds=60)
UNTIL_IT_WORKS: Final = RetryPolicy(initial_interval=timedelta(seconds=0.2), maximum_interval=timedelta(seconds=10))

_A_FEW_TIMES = RetryPolicy(initial_interval=timedelta(seconds=0.2), maximum_attempts=3)


async def asked(activity: str, told: Any) -> Any:
    """What the book answers, however long the record is away; `told` and the answer are JSON.

    It is asked in this process first, which costs least. A process that kept trying could not be stopped
    (temporalio/sdk-rust#709), so what does not work at once is left to Temporal to have tried again, wherever.
    """
    stopped_before = times_stopped()
    try:
        return await workflow.execute_local_activity(
            activity, told, start_to_close_timeout=TAKES, retry_policy=_A_FEW_TIMES
        )
    except FailureError:
        if times_stopped() > stopped_before:
            raise asyncio.CancelledError from None
    return await workflow.execute_activity(activity, told, start_to_close_timeout=TAKES, retry_policy=UNTIL_IT_WORKS)


def times_stopped() -> int:
    """How often the run itself wanted this attempt stopped; a worker that is stopped looks the same from outside."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()
