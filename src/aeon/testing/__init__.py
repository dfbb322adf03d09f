"""Shipped doubles and one conformance suite per port, for Aeon's tests and its users'."""
