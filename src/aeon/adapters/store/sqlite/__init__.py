"""The record in one SQLite file, which several processes of one machine may have open at once."""
