"""One event vocabulary and one record of a run: the log, the live display and the trace are renderings of it."""
