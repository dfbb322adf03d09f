"""The use cases that every door shares: runs, requests, and the project that they belong to."""
