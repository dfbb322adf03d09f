"""What speaks to the world outside. Only bootstrap names these adapters."""
