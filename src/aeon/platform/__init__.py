"""Services, secrets, tools, processes and their runs, stored in one record; usable without the server."""
