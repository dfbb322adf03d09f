"""The OpenID provider by which people sign in to a server (platform 31)."""
