-- Credentials: sign-in links, sessions and tokens of the doors of a server (platform 31). A secret is kept as its SHA-256.

CREATE TABLE credentials (
    digest     TEXT PRIMARY KEY CHECK (length(digest) = 64),
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL CHECK (kind IN ('link', 'session', 'token')),
    user_id    TEXT NOT NULL REFERENCES users (id),
    name       TEXT,
    scope      TEXT NOT NULL CHECK (scope IN ('read', 'write')),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at    TEXT
) STRICT;

CREATE INDEX credentials_user ON credentials (user_id, kind, created_at, id);
CREATE INDEX credentials_expiry ON credentials (expires_at);
