"""How a run's entries are written."""

from aeon.base.json import JsonObject, canonical
from aeon.platform.processes.runs.claims import Results, checked_in, reference
from aeon.platform.processes.runs.model import Entry


def entry_row(results: Results, run: str, entry: Entry) -> JsonObject:
    """An entry's columns. A large one is kept by reference."""
    text = checked_in(results, canonical(entry.as_dict()))
    return {"run_id": run, "n": entry.n, "text": text, "reference": reference(text)}
