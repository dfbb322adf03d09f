"""What carries out the operations of stored tools: HTTP requests, graph queries, questions to a model."""
