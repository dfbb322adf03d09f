"""The queries and the schema of the vault's file.

Columns are always read as bytes: SQLite's errors would quote text that does not decode.
"""

APPLICATION_ID = 0x41454F56
"""`AEOV` in the file's header, which identifies a vault among SQLite files."""

FORMAT = 1

CREATE = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT};
CREATE TABLE vault (
    only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
    salt BLOB NOT NULL,
    check_value BLOB NOT NULL,
    digest BLOB NOT NULL
);
CREATE TABLE secrets (
    secret_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    type TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    at TEXT NOT NULL,
    wrapped_key BLOB NOT NULL,
    ciphertext BLOB NOT NULL,
    PRIMARY KEY (secret_id, version)
) WITHOUT ROWID;
"""

WRITE_HEAD = "INSERT OR REPLACE INTO vault (only_one, salt, check_value, digest) VALUES (1, ?, ?, ?)"

READ_HEAD = "SELECT CAST(salt AS BLOB), CAST(check_value AS BLOB), CAST(digest AS BLOB) FROM vault"

SETTINGS = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA secure_delete = ON",
    "PRAGMA synchronous = EXTRA",
)

IDENTITY = "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"

SIZE = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"

QUICK_CHECK = "PRAGMA quick_check(1)"

INSERT = """
INSERT INTO secrets (secret_id, owner_id, type, version, at, wrapped_key, ciphertext) VALUES (?, ?, ?, ?, ?, ?, ?)
"""

BELONGS_TO_ANOTHER = "SELECT 1 FROM secrets WHERE secret_id = ? AND (owner_id <> ? OR type <> ?) LIMIT 1"

HAS_VERSION = "SELECT 1 FROM secrets WHERE secret_id = ? AND version = ?"

READ = """
SELECT CAST(at AS BLOB), CAST(wrapped_key AS BLOB), CAST(ciphertext AS BLOB) FROM secrets
WHERE secret_id = ? AND owner_id = ? AND type = ? AND version = ?
"""

DELETE = "DELETE FROM secrets WHERE secret_id = ?1 AND (?2 IS NULL OR version = ?2)"

READ_ALL = """
SELECT CAST(secret_id AS BLOB), CAST(owner_id AS BLOB), CAST(type AS BLOB),
    CASE typeof(version) WHEN 'integer' THEN version END, CAST(at AS BLOB)
FROM secrets ORDER BY secret_id, version
"""

REWRAP = "UPDATE secrets SET wrapped_key = ? WHERE secret_id = ? AND version = ?"
