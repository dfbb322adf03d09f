"""Which file systems a record cannot lie on: locks of files do not work, or not surely, over a network."""

from pathlib import Path

# fmt: off
_REMOTE = frozenset({
    "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "9p", "afs", "beegfs", "ceph", "coda", "davfs", "drvfs",
    "glusterfs", "gpfs", "lustre", "ncpfs", "vboxsf",
})
_REMOTE_IN_USER_SPACE = frozenset({
    "ceph", "ceph-fuse", "curlftpfs", "davfs", "davfs2", "gcsfuse", "glusterfs", "goofys", "gvfsd-fuse", "rclone",
    "s3fs", "smbnetfs", "sshfs",
})
# fmt: on

_DEVICE, _MOUNT_POINT = 2, 4
"""Fields of a line in mountinfo, as proc(5) numbers them, less one."""


def remote_file_system(device: str, mountinfo: str) -> str | None:
    """The type of the file system on a device (`8:1`) if it lies on another machine, else None.

    `mountinfo` is the text of /proc/self/mountinfo.
    """
    for line in mountinfo.splitlines():
        mount, _, source = line.partition(" - ")
        if mount.split()[_DEVICE : _DEVICE + 1] == [device] and _is_remote(kind := source.partition(" ")[0]):
            return kind
    return None


def is_mounted_alone(path: Path, mountinfo: str) -> bool:
    """Whether a file is a mount of its own, as containers do it: what SQLite puts beside it then lies elsewhere."""
    name = str(path).replace(" ", r"\040")
    return any(line.split()[_MOUNT_POINT : _MOUNT_POINT + 1] == [name] for line in mountinfo.splitlines())


def _is_remote(kind: str) -> bool:
    if kind.startswith("fuse."):
        return kind.removeprefix("fuse.") in _REMOTE_IN_USER_SPACE
    return kind in _REMOTE
