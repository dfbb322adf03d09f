"""Stores of the record: SQLite in the project's folder, PostgreSQL for many machines."""
