"""Stores of the record: SQLite in the project's folder, and PostgreSQL for many machines."""
