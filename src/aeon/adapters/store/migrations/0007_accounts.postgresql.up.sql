-- Accounts: the role of a user, and whether they may use the doors of a server (platform 31). A user without one has the
-- role `user` and is enabled. Identities: as whom a user is known to an OpenID provider.

CREATE TABLE accounts (
    user_id    text COLLATE "C" PRIMARY KEY REFERENCES users (id),
    role       text COLLATE "C" NOT NULL CHECK (role IN ('user', 'operator')),
    enabled    bigint NOT NULL CHECK (enabled IN (0, 1)),
    version    bigint NOT NULL CHECK (version >= 1),
    updated_at text COLLATE "C" NOT NULL
);

CREATE TABLE identities (
    issuer     text COLLATE "C" NOT NULL,
    subject    text COLLATE "C" NOT NULL,
    user_id    text COLLATE "C" NOT NULL REFERENCES users (id),
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (issuer, subject)
);

CREATE INDEX identities_user ON identities (user_id);
