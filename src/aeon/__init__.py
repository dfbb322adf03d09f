"""Aeon: a request becomes a declarative plan, run step by step, validated, repaired within limits, and logged."""

__version__ = "0.1.0"
