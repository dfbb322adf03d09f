"""Fetches weights from the official hub: one HTTPS download that continues where it was interrupted."""

import hashlib
import re
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import httpx2

from aeon.adapters.weights.catalog import Weights
from aeon.adapters.weights.fetch import CHUNK, WeightsDelivery, WeightsSourceError
from aeon.adapters.weights.progress import WeightsPhase, WeightsProgress, WeightsProgressCallback

HUB_URL = "https://huggingface.co"
_MAX_REQUESTS = 6
"""The most requests of one fetch: the first, and more if a connection was cut after it delivered some bytes."""
_CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")


@dataclass(frozen=True, slots=True)
class HubSource:
    """The official hub. Timeouts are seconds; connecting is short so that a closed network fails over soon."""

    base_url: str = HUB_URL
    connect_timeout: float = 5.0
    read_timeout: float = 20.0
    name: str = "hub"

    def space_needed(self, spec: Weights) -> int:
        return spec.size

    def deliver(self, spec: Weights, work: Path, report: WeightsProgressCallback) -> WeightsDelivery:
        part = work / "download.part"
        timeout = httpx2.Timeout(self.read_timeout, connect=self.connect_timeout)
        with httpx2.Client(timeout=timeout, follow_redirects=True) as client:
            url = f"{self.base_url}/{spec.repository}/resolve/main/{spec.file}"
            download = _Download(client, url, spec, part, report)
            return WeightsDelivery(part, download.run())


class _Download:
    """A download in progress. Invariant: `part` has `done` bytes, and `digest` is their hash."""

    def __init__(
        self, client: httpx2.Client, url: str, spec: Weights, part: Path, report: WeightsProgressCallback
    ) -> None:
        self.client, self.url, self.spec, self.part, self.report = client, url, spec, part, report
        self.digest, self.done = hashlib.sha256(), 0

    def run(self) -> str:
        """Download the file and return its SHA-256. Raises WeightsSourceError."""
        self.resume()
        for _ in range(_MAX_REQUESTS):
            if self.done == self.spec.size:
                break
            self.request_rest()
        if self.done < self.spec.size:
            raise WeightsSourceError(
                f"{self.url} ended at {self.done} of {self.spec.size} bytes after {_MAX_REQUESTS} requests."
            )
        return self.digest.hexdigest()

    def resume(self) -> None:
        """Count and hash the bytes that an earlier call left."""
        if not self.part.exists():
            return
        if self.part.stat().st_size > self.spec.size:
            self.part.unlink()
            return
        with self.part.open("rb") as file:
            while chunk := file.read(CHUNK):
                self.digest.update(chunk)
                self.done += len(chunk)

    def request_rest(self) -> None:
        """Request the missing bytes. A cut connection is an error only if it delivered nothing."""
        before = self.done
        try:
            self.receive()
        except httpx2.HTTPError as error:
            if self.done <= before:
                raise WeightsSourceError(f"{self.url}: {type(error).__name__}: {error}") from error

    def receive(self) -> None:
        headers = {"Accept-Encoding": "identity"}
        if self.done:
            headers["Range"] = f"bytes={self.done}-"
        with self.client.stream("GET", self.url, headers=headers) as response:
            self.accept(response)
            with self.part.open("ab") as file:
                for chunk in response.iter_raw():
                    self.write(file.write(chunk), chunk)

    def accept(self, response: httpx2.Response) -> None:
        """Check that the response continues at `done`, or start over if the server sends the whole file.

        Raises WeightsSourceError if the declared length is not this file's: a login page is not a model.
        """
        start = 0
        if response.status_code == HTTPStatus.PARTIAL_CONTENT:
            start = self.done
        elif response.status_code != HTTPStatus.OK:
            raise WeightsSourceError(f"{self.url} answered {response.status_code} {response.reason_phrase}.")
        if _declared_range(response) not in (None, (start, self.spec.size)):
            raise WeightsSourceError(f"{self.url} does not offer bytes {start} to {self.spec.size} of this file.")
        if start != self.done:
            self.part.unlink()
            self.digest, self.done = hashlib.sha256(), 0

    def write(self, written: int, chunk: bytes) -> None:
        """Hash and count a written chunk. Raises WeightsSourceError for more bytes than published."""
        self.digest.update(chunk)
        self.done += written
        if self.done > self.spec.size:
            raise WeightsSourceError(f"{self.url} sends more than the {self.spec.size} bytes that were published.")
        self.report(WeightsProgress(WeightsPhase.DOWNLOADING, self.spec.name, "hub", self.done, self.spec.size))


def _declared_range(response: httpx2.Response) -> tuple[int, int] | None:
    """Return where the body starts and the whole file's length, from the headers; None if they do not declare it."""
    if match := _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", "")):
        return int(match[1]), int(match[2])
    length = response.headers.get("Content-Length", "")
    return (0, int(length)) if length.isdecimal() else None
