"""What is to be done next in a run of a Process: pure, from its plan and what has happened so far."""
