"""The ground floor of every package: errors, time, JSON, schemas and references. No I/O beyond the clock."""
