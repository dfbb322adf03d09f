"""How a run's entries are written."""

from aeon.base.json import JsonObject, canonical_json
from aeon.platform.processes.runs.claims import ResultStore, check_in, reference_of
from aeon.platform.processes.runs.model import RunEntry


def run_entry_row(results: ResultStore, run: str, entry: RunEntry) -> JsonObject:
    """An entry's columns. A large one is kept by reference."""
    text = check_in(results, canonical_json(entry.as_dict()))
    return {"run_id": run, "n": entry.n, "text": text, "reference": reference_of(text)}
