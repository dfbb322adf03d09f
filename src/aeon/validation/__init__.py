"""Checks every plan, call and result, and recovers JSON from model output without guessing."""
