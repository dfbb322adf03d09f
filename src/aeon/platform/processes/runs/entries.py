"""How a run's entries stand in the graph."""

from aeon.base.json import JsonObject, canonical
from aeon.platform.processes.runs.claims import Results, checked_in, reference
from aeon.platform.processes.runs.model import Entry
from aeon.platform.records import KEY_SEPARATOR


def entry_node(results: Results, run: str, entry: Entry) -> JsonObject:
    """An entry's properties. A large one is kept by reference; its key lets nobody write the same number twice."""
    text = checked_in(results, canonical(entry.as_dict()))
    key = f"{run}{KEY_SEPARATOR}{entry.n}"
    return {"key": key, "runId": run, "n": entry.n, "text": text, "reference": reference(text) or ""}
