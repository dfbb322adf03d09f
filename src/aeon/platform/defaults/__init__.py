"""What `aeon up` gives every record: data like a user's, owned by the user `aeon`, shared with all."""
