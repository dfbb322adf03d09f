"""REST under /api/v1 (platform 20 and 29): thin, every use case is in `application`."""
