"""Adapters to real backends. Each is imported where it is used, never by the kernel."""
