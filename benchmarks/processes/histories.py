"""Long runs to their end, the engine and the record in SQLite: whether time and what is kept grow linearly."""

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from aeon.platform.exports.transfer import export
from aeon.platform.store import Store

LENGTHS = (1000, 3000, 10_000)
_PATIENCE = 1800.0


def measured_histories() -> list[str]:
    """A table, each row from a process and a folder of its own."""
    rows = ["| shape | steps | s | ms a step | entries | record, bytes a step | runs.db, bytes a step |"]
    rows.append("|---|---|---|---|---|---|---|")
    for kind in ("chain", "fan"):
        for length in LENGTHS:
            with tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, __file__, kind, str(length), folder]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
            found = json.loads(done.stdout.splitlines()[-1])
            each = [round(found[name] / length) for name in ("record", "database")]
            seconds, entries = found["seconds"], found["entries"]
            shown = f"{seconds:.1f} | {seconds / length * 1e3:.2f} | {entries:,} | {each[0]:,} | {each[1]:,}"
            rows.append(f"| {kind} | {length:,} | {shown} |")
            print(rows[-1], file=sys.stderr)
    return rows


def carried_out(kind: str, length: int, folder: Path) -> dict[str, float]:
    """Seconds from accepted to ended, entries, and the bytes by which the record, exported, and the database grew."""
    from aeon.adapters.engines.sql import RunDatabase, SqlEngine
    from aeon.testing.engines.world import EngineWorld, echo, step
    from aeon.testing.records import new_record

    with closing(new_record(folder / "record")) as store:
        world = EngineWorld(store, folder, lambda *parts: SqlEngine(RunDatabase(f"sqlite:///{folder}/runs.db"), *parts))
        tool, mode = world.tool("echo", echo), "sequential" if kind == "chain" else "parallel"
        process = world.process(kind, [step(f"s{number}", tool, mode=mode) for number in range(length)])
        before = _size(store)
        began = time.perf_counter()
        run = world.start_run(process)
        assert world.engine.wait(run.id, _PATIENCE)
        seconds = time.perf_counter() - began
        seen = world.view_of(run)
        assert seen.state.phase == "completed"
        assert world.tools.jobs.total() == length
        grown = _size(store) - before
        world.close()
    return {"seconds": seconds, "entries": seen.run.events, "record": grown, "database": _database(folder / "runs.db")}


def _size(store: Store) -> int:
    return sum(len(json.dumps(record)) for record in export(store))


def _database(file: Path) -> int:
    """Without what its own journal still holds."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file.stat().st_size


if __name__ == "__main__":
    shape, count, where = sys.argv[1:]
    print(json.dumps(carried_out(shape, int(count), Path(where))))
