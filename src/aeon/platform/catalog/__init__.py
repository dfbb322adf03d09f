"""Services, secrets, tools and templates: their owners, visibility, changes and uses."""
