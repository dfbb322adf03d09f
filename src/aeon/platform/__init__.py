"""Services, secrets, tools and what is made of them, kept in one record; usable without the server."""
