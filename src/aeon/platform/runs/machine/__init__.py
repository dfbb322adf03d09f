"""The state machine of a run: pure, from its plan and its events."""
