"""Making skills: new ones, a linter, export in the published standard's form."""
