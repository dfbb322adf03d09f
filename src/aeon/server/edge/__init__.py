"""What every door of the server stands on: the guard, the errors, the streams, the shared state."""
