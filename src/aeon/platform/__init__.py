"""Services, secrets, tools, processes and runs in one record; usable without the server."""
