"""Who may use the doors of a server: accounts and roles, sign-in links, sessions, tokens, OpenID (platform 31)."""
