"""Tools: the interface, the registry, tools from functions and packages, invocation, and the built-in tools."""
