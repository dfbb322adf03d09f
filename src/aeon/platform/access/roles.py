"""What each role may do on a server beyond its user's own things: the only place that decides it (platform 31)."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from aeon.platform.access.model import Role

Permission: TypeAlias = Literal["manage_users", "manage_folder", "see_workers", "read_others"]
"""What a role can allow.

`manage_users`: list, create, change and link users. `manage_folder`: the skills, models and settings of the project's
folder, which includes running programs on the server's machine. `see_workers`: the workers of all users. `read_others`:
another user's jobs, metrics and audit log; never their conversations, runs or secrets.
"""

PERMISSIONS: Final[Mapping[Role, frozenset[Permission]]] = {
    "user": frozenset(),
    "operator": frozenset({"manage_users", "manage_folder", "see_workers", "read_others"}),
}


def is_allowed(role: Role, permission: Permission) -> bool:
    """Return whether a role allows something that not everybody may do."""
    return permission in PERMISSIONS[role]
