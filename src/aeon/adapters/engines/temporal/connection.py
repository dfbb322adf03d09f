"""The connection to Temporal, with a thread for everything that this process does there."""

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ClassVar, Final, TypeVar

from temporalio.api.common.v1 import Payload
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.converter import DataConverter, PayloadCodec
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Worker

from aeon.base.errors import ConfigError
from aeon.base.event_loop import EventLoopThread
from aeon.platform.errors import PlatformError
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.ports import EngineUnavailableError

_OWNER_WORKFLOW: Final = "aeon.graph"
_UNSERVED_QUEUE: Final = "aeon-nobody"
_GRAPH: Final = "graph"


async def claim_namespace(client: Client, record: str) -> None:
    """Claim the client's namespace for the record; the first claim is permanent.

    Temporal stores only workflows: this one is never served, and its memo names the record. Raises ConfigError if the
    namespace holds the runs of another record, and RPCError.
    """
    handle = await client.start_workflow(
        _OWNER_WORKFLOW,
        id=_OWNER_WORKFLOW,
        task_queue=_UNSERVED_QUEUE,
        memo={_GRAPH: record},
        static_summary="Names the record whose runs this namespace holds. It stays open and runs nothing.",
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
    )
    owner = await (await handle.describe()).memo_value(_GRAPH)
    if owner != record:
        raise ConfigError(
            f"engine.address: the namespace {client.namespace!r} of Temporal holds the runs of another record "
            f"({owner}), and yours is {record}.",
            next_step="Give each record a namespace of its own: temporal operator namespace create --namespace NAME, "
            "and name it in engine.address.",
        )


MAX_INLINE_BYTES: Final = 16 * 1024
"""Maximum bytes of an inline payload.

The jobs that a run starts at once fit into one message of 4 MB.
"""

_ENCODING = "encoding"
_JSON = b"json/plain"
_CLAIM = b"aeon/sha256"


class ClaimCheckCodec(PayloadCodec):
    """Stores large JSON under its SHA-256 and sends the digest instead.

    All processes of a namespace share their results.
    """

    def __init__(self, results: ResultStore) -> None:
        self._results = results

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Return small payloads unchanged, and references to large ones."""
        return [await self._check_in(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Return the original payloads. Raises LostResultError."""
        return [await self._check_out(payload) for payload in payloads]

    async def _check_in(self, payload: Payload) -> Payload:
        if len(payload.data) <= MAX_INLINE_BYTES or payload.metadata.get(_ENCODING) != _JSON:
            return payload
        digest = hashlib.sha256(payload.data).hexdigest()
        await asyncio.to_thread(self._results.put, digest, payload.data.decode())
        return Payload(metadata={_ENCODING: _CLAIM}, data=digest.encode())

    async def _check_out(self, payload: Payload) -> Payload:
        if payload.metadata.get(_ENCODING) != _CLAIM:
            return payload
        text = await asyncio.to_thread(self._results.get, payload.data.decode())
        return Payload(metadata={_ENCODING: _JSON}, data=text.encode())


def data_converter(results: ResultStore) -> DataConverter:
    """Return a converter for JSON, without pickles; large payloads go by reference."""
    return DataConverter(payload_codec=ClaimCheckCodec(results))


T = TypeVar("T")


class TemporalError(PlatformError, EngineUnavailableError):
    """Temporal does not answer."""

    status: ClassVar[int] = 503
    next_step = "Start it, or look at `engine.address`; accepted runs are safe, and continue when it answers."


class TemporalConnection:
    """One connection, and the workers that serve queues over it. Thread-safe."""

    def __init__(self, address: str, namespace: str, results: ResultStore, record: str | None = None) -> None:
        """Connect. Raises TemporalError if the server or the namespace is missing.

        Raises ConfigError if the namespace holds the runs of another record than `record`.
        """
        self.address = address
        self.namespace = namespace
        self._thread = EventLoopThread("aeon-temporal")
        self._workers: list[tuple[Worker, asyncio.Task[None]]] = []
        self._background_tasks: list[asyncio.Task[None]] = []
        self._is_open = True
        try:
            self.client = self.run(self._connect(results, record))
        except BaseException:
            self._thread.close()
            raise

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in this connection's thread. Raises TemporalError during outages."""
        for _, task in self._workers:
            if task.done() and not task.cancelled() and (error := task.exception()) is not None:
                work.close()
                raise TemporalError(f"This process no longer serves Temporal: {error}") from error
        try:
            return self._thread.run(work)
        except RPCError as error:
            raise TemporalError(f"Temporal at {self.address} refused: {error.message}") from error

    def run_workers(self, workers: Sequence[Worker]) -> None:
        """Run these workers until the connection is closed."""
        self.run(self._start_workers(workers))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background until the connection is closed."""

        async def spawned() -> None:
            self._background_tasks.append(asyncio.create_task(work))

        self.run(spawned())

    def drain(self) -> None:
        """Take no work from now on, and wait for what is executed here, as long as each worker's own grace lasts."""
        self._thread.run(self._stop())

    def close(self, abandon: Callable[[], None] | None = None) -> None:
        """Stop serving; running work continues elsewhere. Calling it again does nothing.

        `abandon` is called first, in the loop: it ends what the workers would wait for.
        """
        if self._is_open:
            self._is_open = False
            try:
                self._thread.run(self._stop(abandon))
            finally:
                self._thread.close()

    async def _connect(self, results: ResultStore, record: str | None) -> Client:
        try:
            client = await Client.connect(
                self.address, namespace=self.namespace, data_converter=data_converter(results)
            )
        except (RuntimeError, ValueError) as error:
            raise TemporalError(f"No Temporal answers at {self.address}: {error}") from error
        try:
            await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=self.namespace))
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:
                raise
            raise TemporalError(
                f"Temporal at {self.address} has no namespace {self.namespace!r}.",
                next_step=f"Create it: temporal operator namespace create --namespace {self.namespace}",
            ) from None
        if record is not None:
            await claim_namespace(client, record)
        return client

    async def _start_workers(self, workers: Sequence[Worker]) -> None:
        self._workers += [(worker, asyncio.create_task(worker.run())) for worker in workers]

    async def _stop(self, abandon: Callable[[], None] | None = None) -> None:
        if abandon is not None:
            abandon()
        for task in self._background_tasks:
            task.cancel()
        await asyncio.gather(*(worker.shutdown() for worker, task in self._workers if not task.done()))
        await asyncio.gather(*(task for _, task in self._workers), return_exceptions=True)
