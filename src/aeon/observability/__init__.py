"""The events and records of a run: the log, the live display and the trace are rendered from them."""
