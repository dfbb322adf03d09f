"""Reads OpenAPI 3.0 and 3.1 documents and describes their operations as a service and tools. Pure: opens nothing."""
