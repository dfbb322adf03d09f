"""Executors of the operations of stored tools: HTTP requests, graph queries, model and MCP calls."""
