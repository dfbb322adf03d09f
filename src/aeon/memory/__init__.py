"""Key/value memory behind one interface: in process, or a SQLite file."""
