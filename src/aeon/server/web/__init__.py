"""The page: HTML for browsers, readable without JavaScript; every use case is in `application`."""
