"""Calls of a workflow to the run repository, whose answers do not change."""

import asyncio
from datetime import timedelta
from typing import Any, Final

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import FailureError

ACTIVITY_TIMEOUT: Final = timedelta(seconds=20)
"""The time of one call. A call whose process was killed is made again after it; each may be made twice."""

RETRY_FOREVER: Final = RetryPolicy(initial_interval=timedelta(seconds=0.2), maximum_interval=timedelta(seconds=10))

_RETRY_BRIEFLY = RetryPolicy(initial_interval=timedelta(seconds=0.2), maximum_attempts=3)


async def call_activity(activity: str, argument: Any) -> Any:
    """Return an activity's answer, retried during outages; argument and answer are JSON.

    A local activity is tried first, because it costs least. A process that kept retrying could not be stopped
    (temporalio/sdk-rust#709), so after a failure Temporal retries it on any process.
    """
    stopped_before = cancellation_count()
    try:
        return await workflow.execute_local_activity(
            activity, argument, start_to_close_timeout=ACTIVITY_TIMEOUT, retry_policy=_RETRY_BRIEFLY
        )
    except FailureError:
        if cancellation_count() > stopped_before:
            raise asyncio.CancelledError from None
    return await workflow.execute_activity(
        activity, argument, start_to_close_timeout=ACTIVITY_TIMEOUT, retry_policy=RETRY_FOREVER
    )


def cancellation_count() -> int:
    """Return how often the run itself cancelled this attempt.

    The cancellation of an attempt because its worker stops looks the same from outside.
    """
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()
