"""The composition root: from settings to wired parts. The only room that names adapters."""
