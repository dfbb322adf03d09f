-- Accounts: the role of a user, and whether they may use the doors of a server (platform 31). A user without one has the
-- role `user` and is enabled. Identities: as whom a user is known to an OpenID provider.

CREATE TABLE accounts (
    user_id    TEXT PRIMARY KEY REFERENCES users (id),
    role       TEXT NOT NULL CHECK (role IN ('user', 'operator')),
    enabled    INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    version    INTEGER NOT NULL CHECK (version >= 1),
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE identities (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    user_id    TEXT NOT NULL REFERENCES users (id),
    created_at TEXT NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT;

CREATE INDEX identities_user ON identities (user_id);
