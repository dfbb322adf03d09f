"""The shared data that `aeon up` adds to every record, owned by the user `aeon`."""
