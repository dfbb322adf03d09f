"""The composition root: builds everything from settings. The only package that imports adapters."""
