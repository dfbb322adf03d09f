"""Tools: what they are, how they are registered, made of functions, found in packages, and the few that ship."""
