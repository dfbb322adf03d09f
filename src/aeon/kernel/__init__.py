"""The kernel: makes a plan, runs its steps in order, keeps the state, writes the log. Start at `orchestrator.py`."""
