"""All SQL queries of webhooks."""

from typing import Final

from aeon.platform.catalog.queries import page_of_own

_WEBHOOK: Final = """
SELECT id, owner_id, name, process_id AS process, scheme, secret_id, secret_generated, input, enabled, priority,
       trusted_digest, old_secret_until, refusal, refused_at, shared, version, created_at, updated_at
FROM webhooks
"""

WEBHOOK: Final = f"{_WEBHOOK} WHERE id = :id AND owner_id = :user"

WEBHOOK_NAMED: Final = "SELECT id FROM webhooks WHERE owner_id = :user AND name = :name"

OWN_WEBHOOKS: Final = f"{_WEBHOOK} WHERE owner_id = :user AND name > :after ORDER BY name LIMIT :limit"

VISIBLE_WEBHOOKS: Final = page_of_own(_WEBHOOK)

USERS_OF_WEBHOOK: Final = """
SELECT '' AS kind, id, name, owner_id, 0 AS visible FROM webhooks WHERE id = :id AND 1 = 0
"""
"""Nothing depends on a webhook."""

ADDRESSED: Final = f"""{_WEBHOOK}
WHERE id = :id AND enabled = 1
  AND NOT EXISTS (SELECT 1 FROM accounts AS a WHERE a.user_id = webhooks.owner_id AND a.enabled = 0)
"""  # noqa: S608  # constants alone
"""An enabled webhook of a user whom the server lets in."""

CREATE_WEBHOOK: Final = """
INSERT INTO webhooks (id, owner_id, name, process_id, scheme, secret_id, secret_generated, input, enabled,
                      priority, trusted_digest, old_secret_until, refusal, refused_at, shared, version, created_at,
                      updated_at)
SELECT :id, :owner_id, :name, p.id, :scheme, s.id, :secret_generated, :input, :enabled,
       :priority, :trusted_digest, :old_secret_until, :refusal, :refused_at, :shared, :version, :created_at, :updated_at
FROM processes p JOIN secrets s ON s.id = :secret_id AND s.owner_id = :owner_id
WHERE p.id = :process AND (p.owner_id = :owner_id OR p.shared = 1) AND p.version = :process_version
"""

CHANGE_WEBHOOK: Final = """
UPDATE webhooks
SET name = :name, input = :input, enabled = :enabled, priority = :priority, trusted_digest = :trusted_digest,
    old_secret_until = :old_secret_until, version = :version, updated_at = :updated_at
WHERE id = :id AND owner_id = :owner_id AND version = :before
"""

DELETE_WEBHOOK: Final = "DELETE FROM webhooks WHERE id = :id AND owner_id = :user"

NOTE_REFUSAL: Final = "UPDATE webhooks SET refusal = :refusal, refused_at = :at WHERE id = :id"
