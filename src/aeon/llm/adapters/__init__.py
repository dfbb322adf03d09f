"""Adapters to real backends. The kernel never imports them; they are imported where they are used."""
