"""The record in one SQLite file, which several local processes may have open."""
