"""Tools for skill authors: a scaffold, a linter, export in the published standard's form."""
