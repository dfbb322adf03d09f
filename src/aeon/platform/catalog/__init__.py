"""Services, secrets, tools and templates: who owns them, who sees them, what may change, who uses what."""
