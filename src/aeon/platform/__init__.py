"""Services, secrets, tools and what is made of them, as nodes and edges of one graph; usable without the server."""
