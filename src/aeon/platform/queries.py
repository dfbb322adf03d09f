"""Queries that all rooms of the platform share: users, remembered requests, the audit log."""

from typing import Final

from aeon.platform.store import DialectQuery

RUN_STORE: Final = "SELECT value AS identity FROM meta WHERE key = 'runs'"
CLAIM_RUN_STORE: Final = "INSERT INTO meta (key, value) VALUES ('runs', :identity) ON CONFLICT (key) DO NOTHING"
MOVE_RUN_STORE: Final = "UPDATE meta SET value = :identity WHERE key = 'runs'"
RECORD_ID: Final = "SELECT value AS id FROM meta WHERE key = 'record'"

ADD_USER: Final = """
INSERT INTO users (id, audit_seq, audit_hash, created_at) VALUES (:user, 0, :genesis, :at)
ON CONFLICT (id) DO NOTHING
"""

HAS_USER: Final = "SELECT 1 AS found FROM users WHERE id = :user"

HEAD: Final = "SELECT audit_seq AS seq, audit_hash AS hash FROM users WHERE id = :user"

LOCKED_HEAD: Final = DialectQuery(sqlite=HEAD, postgresql=f"{HEAD} FOR UPDATE")
"""Locks the user until the unit of work ends. SQLite has only one writer at a time."""

MOVE_HEAD: Final = "UPDATE users SET audit_seq = :seq, audit_hash = :hash WHERE id = :user_id"

ADD_ENTRY: Final = """
INSERT INTO audit_entries (user_id, seq, at, action, subject, actor_id, owner_id, details, previous, hash)
VALUES (:user_id, :seq, :at, :action, :subject, :actor_id, :owner_id, :details, :previous, :hash)
"""

AUDIT_PAGE: Final = """
SELECT user_id, seq, at, action, subject, actor_id, owner_id, details, previous, hash FROM audit_entries
WHERE user_id = :user AND seq > :after ORDER BY seq LIMIT :limit
"""

EARLIER_REQUEST: Final = "SELECT at, body, answer FROM requests WHERE id = :id"

FORGET_REQUEST: Final = "DELETE FROM requests WHERE id = :id"

REMEMBER_REQUEST: Final = """
INSERT INTO requests (id, at, body, answer) VALUES (:id, :at, :body, :answer) ON CONFLICT (id) DO NOTHING
"""

FORGET_REQUESTS: Final = """
DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE at <= :since ORDER BY at LIMIT :limit)
"""

USERS: Final = "SELECT id FROM users ORDER BY id"

VERSION: Final = "SELECT value AS number FROM meta WHERE key = 'version'"
