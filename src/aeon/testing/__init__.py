"""Test doubles and one conformance suite per port, for Aeon's own tests and its users' tests."""
