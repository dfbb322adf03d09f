"""What carries out the operations of stored tools: HTTP requests, graph queries, model and MCP calls."""
