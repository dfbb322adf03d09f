"""Large payloads travel to Temporal by reference: it refuses those of 2 MB, and runs whose record grows to 50 MB."""

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Final

from temporalio.api.common.v1 import Payload
from temporalio.converter import DataConverter, PayloadCodec

from aeon.platform.processes.runs.claims import ResultStore

MAX_INLINE_BYTES: Final = 16 * 1024
"""Bytes of a payload that still travels itself: as many jobs as a run begins at once fit into one message of 4 MB."""

_ENCODING = "encoding"
_JSON = b"json/plain"
_CLAIM = b"aeon/sha256"


class ClaimCheckCodec(PayloadCodec):
    """Keeps large JSON under its SHA-256 and sends that instead: all processes of a namespace share their results."""

    def __init__(self, results: ResultStore) -> None:
        self._results = results

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Small payloads as they are, large ones kept and named."""
        return [await self._check_in(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """The payloads themselves. Raises LostResultError."""
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
    """JSON, never a pickle; what is large goes by reference."""
    return DataConverter(payload_codec=ClaimCheckCodec(results))
