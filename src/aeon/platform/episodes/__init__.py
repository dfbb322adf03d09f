"""Episodes: what was said, noted or summed up, one unit of memory each, and what goes with one that is erased."""
