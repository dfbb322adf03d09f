"""Repair of model output by the model itself: at most two attempts, limits enforced by code, every attempt recorded."""
