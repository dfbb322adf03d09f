"""Who may use the doors of a server: sign-in links, sessions and tokens (platform 31)."""
