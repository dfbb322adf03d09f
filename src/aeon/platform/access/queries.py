"""The queries of credentials."""

from typing import Final

_COLUMNS: Final = "id, kind, user_id, name, scope, created_at, expires_at, used_at"

ADD: Final = f"""
INSERT INTO credentials (digest, {_COLUMNS})
VALUES (:digest, :id, :kind, :user_id, :name, :scope, :created_at, :expires_at, NULL)
"""  # noqa: S608  # constants alone

BY_DIGEST: Final = f"SELECT {_COLUMNS} FROM credentials WHERE digest = :digest AND expires_at > :now"  # noqa: S608  # constants alone

IS_VALID: Final = "SELECT 1 FROM credentials WHERE id = :id AND expires_at > :now"

OF_USER: Final = f"""
SELECT {_COLUMNS} FROM credentials
WHERE user_id = :user AND kind = :kind AND expires_at > :now ORDER BY created_at, id
"""  # noqa: S608  # constants alone

USE: Final = "UPDATE credentials SET used_at = :now WHERE id = :id"

TAKE: Final = "DELETE FROM credentials WHERE digest = :digest AND kind = :kind AND expires_at > :now"

REVOKE: Final = "DELETE FROM credentials WHERE id = :id AND user_id = :user"

REMOVE_EXPIRED: Final = "DELETE FROM credentials WHERE expires_at <= :now"
