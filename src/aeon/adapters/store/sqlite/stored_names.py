"""Names in a record's file for the completion of a shell: read without a write, a lock or a migration."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, Literal, TypeAlias

NameKind: TypeAlias = Literal[
    "process", "run", "schedule", "secret", "service", "service template", "tool", "tool template"
]

_BEGINS: Final = "substr({0}, 1, length(:prefix)) = :prefix"
_VISIBLE: Final = f"(owner_id = :user OR shared = 1) AND {_BEGINS.format('name')} ORDER BY name LIMIT :limit"
_OWN: Final = f"owner_id = :user AND {_BEGINS.format('name')} ORDER BY name LIMIT :limit"

_QUERIES: Final[dict[NameKind, str]] = {
    "process": f"SELECT DISTINCT name FROM processes WHERE {_VISIBLE}",  # noqa: S608  # constants alone, here and below
    "run": f"""SELECT id FROM runs WHERE owner_id = :user AND parent_id IS NULL AND {_BEGINS.format("id")}
ORDER BY accepted_at DESC LIMIT :limit""",  # noqa: S608
    "schedule": f"SELECT DISTINCT name FROM schedules WHERE {_OWN}",  # noqa: S608
    "secret": f"SELECT DISTINCT name FROM secrets WHERE {_OWN}",  # noqa: S608
    "service": f"SELECT DISTINCT name FROM services WHERE {_VISIBLE}",  # noqa: S608
    "service template": f"SELECT DISTINCT name FROM service_templates WHERE archived = 0 AND {_VISIBLE}",  # noqa: S608
    "tool": f"SELECT DISTINCT name FROM tools WHERE {_VISIBLE}",  # noqa: S608
    "tool template": f"SELECT DISTINCT name FROM tool_templates WHERE archived = 0 AND {_VISIBLE}",  # noqa: S608
}


def read_names(file: Path, kind: NameKind, user: str, prefix: str, limit: int) -> list[str]:
    """The names of a kind that begin with `prefix`: the user's own and shared ones; of runs, the newest ids.

    Empty if the file cannot be read or has other tables.
    """
    # Without a journal nobody else writes, and an immutable file is read without one being made.
    mode = "mode=ro" if Path(f"{file}-wal").exists() else "mode=ro&immutable=1"
    params = {"user": user, "prefix": prefix, "limit": limit}
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?{mode}", uri=True, timeout=0.1)) as record:
            return [str(name) for (name,) in record.execute(_QUERIES[kind], params)]
    except sqlite3.Error:
        return []
