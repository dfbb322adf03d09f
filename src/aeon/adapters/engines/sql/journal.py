"""The journal of runs: which execution owns each, and the results of all attempts (decisions 28 and 41)."""

import time
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from aeon.adapters.engines.sql import queries
from aeon.adapters.engines.sql.database import RunDatabase
from aeon.adapters.engines.sql.group_commit import GroupCommit
from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.runs.claim_check import REFERENCE_PREFIX, ResultStore, check_in, check_out, reference_of
from aeon.platform.runs.lease import LeaseLostError
from aeon.platform.runs.model import JobResult

AttemptKey: TypeAlias = tuple[int, int]
"""A step's position, and the number of the attempt at it."""

UNKNOWN_CALL = ""
"""The digest of a call that was stored before there were digests."""


class Journal:
    """The runs of one database, each with the token of its owner, and the results of their attempts. Thread-safe.

    Methods about runs raise EngineUnavailableError. Methods about attempts block while the database is unavailable.
    All raise HaltError once the database is closed.
    """

    def __init__(self, database: RunDatabase, results: ResultStore) -> None:
        """Large results are stored in `results`, and here by reference."""
        self._database = database
        self._results = results
        self._saves = GroupCommit(database, queries.SAVE_ATTEMPT)

    def start(self, run: str, token: str) -> bool:
        """Give a new run its first owner; return False if it was started before."""
        params: JsonObject = {"run": run, "token": token}
        is_new = self._database.update(lambda unit: unit.write(queries.START_RUN, params)) == 1
        return is_new or self.is_owner(run, token)  # the answer to an earlier commit may have been lost

    def adopt(self, tokens: Mapping[str, str]) -> None:
        """Give runs new owners. From then on the executions that owned them store nothing more."""
        rows: list[JsonObject] = [{"run": run, "token": token} for run, token in tokens.items()]
        self._database.update(lambda unit: unit.write_each(queries.ADOPT_RUN, rows))

    def release(self, run: str, token: str) -> None:
        """Take a run from its owner, if that still owns it; somebody must adopt it next."""
        self._database.update(lambda unit: unit.write(queries.RELEASE_RUN, {"run": run, "token": token}))

    def is_owner(self, run: str, token: str) -> bool:
        """Return whether the execution with that token owns the run."""
        return bool(self._database.read(queries.IS_OWNER, {"run": run, "token": token}))

    def forget(self, runs: Sequence[str]) -> None:
        """Delete all that is stored of runs that have ended."""
        params: JsonObject = {"runs": list[Json](runs)}
        self._database.update(lambda unit: [unit.write(query, params) for query in queries.FORGET_RUNS])

    def erase(self, runs: Sequence[str], others: Sequence[str]) -> None:
        """Delete all that is stored of runs that have ended, beyond recovery: large results first, which rows name.

        A result that one of `others` has, too, stays.
        """
        began = time.time()
        asked: JsonObject = {"runs": list[Json](runs), "others": list[Json](others), "prefix": REFERENCE_PREFIX}
        rows = self._database.read(queries.LARGE_RESULTS, asked)
        for digest in filter(None, (reference_of(row["text"]) for row in rows)):
            self._results.remove_unused(digest, began)
        self.forget(runs)
        self._database.compact()

    def completed_attempts(self, run: str) -> dict[AttemptKey, str]:
        """Return all attempts of a run that are stored, each with the digest of what it called."""
        rows = self._database.until_available(lambda: self._database.read(queries.COMPLETED_ATTEMPTS, {"run": run}))
        return {(row["step"], row["attempt"]): row["call"] for row in rows}

    def load(self, run: str, key: AttemptKey) -> JobResult:
        """Return the result of a stored attempt. Raises LostResultError."""
        return JobResult.parsed(parse_strict(check_out(self._results, self._text(run, key))))

    def save(self, run: str, key: AttemptKey, result: JobResult, token: str, call: str = UNKNOWN_CALL) -> None:
        """Store the result of an attempt at a call with that digest, if the execution with that token owns the run.

        It replaces the result of another call, which a run made before a backup of its record was restored. Raises
        LeaseLostError if another execution owns the run, or stored another result.
        """
        text = check_in(self._results, canonical_json(result.as_dict()))
        is_new = self._saves.write({**_params(run, key), "token": token, "result": text, "call": call})
        if not is_new and self._text(run, key) != text:  # the same text may be of a commit whose answer was lost
            step, attempt = key
            raise LeaseLostError(
                f"The run {run} is now executed by another executor: step {step}, attempt {attempt} is not stored."
            )

    def _text(self, run: str, key: AttemptKey) -> str:
        """Return the stored text of an attempt; empty if it is not stored."""
        rows = self._database.until_available(lambda: self._database.read(queries.RESULT_OF_ATTEMPT, _params(run, key)))
        return rows[0]["result"] if rows else ""


def _params(run: str, key: AttemptKey) -> JsonObject:
    step, attempt = key
    return {"run": run, "step": step, "attempt": attempt}
