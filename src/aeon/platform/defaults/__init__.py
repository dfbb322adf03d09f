"""The shared data that `aeon init` adds to every record, owned by the user `aeon`."""
