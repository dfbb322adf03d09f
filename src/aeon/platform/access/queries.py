"""The queries of credentials, accounts and identities."""

from typing import Final

_COLUMNS: Final = "id, kind, user_id, name, scope, created_at, expires_at, used_at"

ADD: Final = f"""
INSERT INTO credentials (digest, {_COLUMNS})
VALUES (:digest, :id, :kind, :user_id, :name, :scope, :created_at, :expires_at, NULL)
"""  # noqa: S608  # constants alone

_ENABLED: Final = "NOT EXISTS (SELECT 1 FROM accounts AS a WHERE a.user_id = credentials.user_id AND a.enabled = 0)"

BY_DIGEST: Final = f"""
SELECT {_COLUMNS} FROM credentials WHERE digest = :digest AND expires_at > :now AND {_ENABLED}
"""  # noqa: S608  # constants alone

IS_VALID: Final = f"SELECT 1 FROM credentials WHERE id = :id AND expires_at > :now AND {_ENABLED}"  # noqa: S608  # constants alone

OF_USER: Final = f"""
SELECT {_COLUMNS} FROM credentials
WHERE user_id = :user AND kind = :kind AND expires_at > :now ORDER BY created_at, id
"""  # noqa: S608  # constants alone

USE: Final = "UPDATE credentials SET used_at = :now WHERE id = :id"

TAKE: Final = "DELETE FROM credentials WHERE digest = :digest AND kind = :kind AND expires_at > :now"

REVOKE: Final = "DELETE FROM credentials WHERE id = :id AND user_id = :user"

REMOVE_EXPIRED: Final = "DELETE FROM credentials WHERE expires_at <= :now"

REVOKE_ALL: Final = "DELETE FROM credentials WHERE user_id = :user"

_ACCOUNT: Final = """
SELECT u.id AS name, coalesce(a.role, 'user') AS role, coalesce(a.enabled, 1) AS enabled,
       coalesce(a.weight, 1) AS weight, coalesce(a.version, 0) AS version, u.created_at AS created_at
FROM users AS u LEFT JOIN accounts AS a ON a.user_id = u.id
"""

ACCOUNT: Final = f"{_ACCOUNT} WHERE u.id = :user"

ACCOUNTS: Final = f"{_ACCOUNT} WHERE u.id > :after AND u.id <> :hidden ORDER BY u.id LIMIT :limit"

IS_DISABLED: Final = "SELECT 1 FROM accounts WHERE user_id = :user AND enabled = 0"

VERSION: Final = "SELECT version FROM accounts WHERE user_id = :user"

ADD_ACCOUNT: Final = """
INSERT INTO accounts (user_id, role, enabled, weight, version, updated_at)
VALUES (:user, :role, :enabled, :weight, :version, :at)
"""

SET_ACCOUNT: Final = f"""{ADD_ACCOUNT}
ON CONFLICT (user_id) DO UPDATE
SET role = excluded.role, enabled = excluded.enabled, weight = excluded.weight,
    version = excluded.version, updated_at = excluded.updated_at
"""

USER_OF: Final = "SELECT user_id FROM identities WHERE issuer = :issuer AND subject = :subject"

IDENTITIES: Final = "SELECT issuer, subject FROM identities WHERE user_id = :user ORDER BY issuer, subject"

LINK: Final = """
INSERT INTO identities (issuer, subject, user_id, created_at) VALUES (:issuer, :subject, :user, :at)
"""

UNLINK: Final = "DELETE FROM identities WHERE issuer = :issuer AND subject = :subject AND user_id = :user"
