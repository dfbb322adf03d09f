"""What every room stands on: errors, time, JSON, schemas and references. No I/O beyond the clock."""
