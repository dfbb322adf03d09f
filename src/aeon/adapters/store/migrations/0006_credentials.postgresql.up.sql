-- Credentials: sign-in links, sessions and tokens of the doors of a server (platform 31). A secret is kept as its SHA-256.

CREATE TABLE credentials (
    digest     text COLLATE "C" PRIMARY KEY CHECK (length(digest) = 64),
    id         text COLLATE "C" NOT NULL UNIQUE,
    kind       text COLLATE "C" NOT NULL CHECK (kind IN ('link', 'session', 'token')),
    user_id    text COLLATE "C" NOT NULL REFERENCES users (id),
    name       text COLLATE "C",
    scope      text COLLATE "C" NOT NULL CHECK (scope IN ('read', 'write')),
    created_at text COLLATE "C" NOT NULL,
    expires_at text COLLATE "C" NOT NULL,
    used_at    text COLLATE "C"
);

CREATE INDEX credentials_user ON credentials (user_id, kind, created_at, id);
CREATE INDEX credentials_expiry ON credentials (expires_at);
