"""What a workflow asks of the book: answers that are the same whenever they are asked for."""

import asyncio
from datetime import timedelta
from typing import Any, Final

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import FailureError

ACTIVITY_TIMEOUT: Final = timedelta(seconds=60)
RETRY_FOREVER: Final = RetryPolicy(initial_interval=timedelta(seconds=0.2), maximum_interval=timedelta(seconds=10))

_RETRY_BRIEFLY = RetryPolicy(initial_interval=timedelta(seconds=0.2), maximum_attempts=3)


async def call_activity(activity: str, told: Any) -> Any:
    """What the book answers, however long the record is away; `told` and the answer are JSON.

    It is asked in this process first, which costs least. A process that kept trying could not be stopped
    (temporalio/sdk-rust#709), so what does not work at once is left to Temporal to have tried again, wherever.
    """
    stopped_before = cancellation_count()
    try:
        return await workflow.execute_local_activity(
            activity, told, start_to_close_timeout=ACTIVITY_TIMEOUT, retry_policy=_RETRY_BRIEFLY
        )
    except FailureError:
        if cancellation_count() > stopped_before:
            raise asyncio.CancelledError from None
    return await workflow.execute_activity(
        activity, told, start_to_close_timeout=ACTIVITY_TIMEOUT, retry_policy=RETRY_FOREVER
    )


def cancellation_count() -> int:
    """How often the run itself wanted this attempt stopped; a worker that is stopped looks the same from outside."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()
