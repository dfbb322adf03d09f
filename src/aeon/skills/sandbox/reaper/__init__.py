"""The process that starts every script and ends it. Standard library only, so that it starts quickly."""
