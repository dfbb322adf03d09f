"""Servers through which other programs use Aeon: one package per protocol, independent of the others."""
