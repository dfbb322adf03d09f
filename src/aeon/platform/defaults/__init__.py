"""The data that `aeon up` adds to every record, owned by the user `aeon` and shared with all users."""
