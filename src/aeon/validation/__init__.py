"""Validation of plans, calls and results, and recovery of JSON from model output without guessing."""
