"""Conditions of steps: CEL, typed when they are saved, true or false when asked, within budgets (platform 6)."""
