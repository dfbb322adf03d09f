"""What lies in a record's folder is its user's alone, on this machine (platform 21)."""

import os

import pytest

from aeon.adapters.store.sqlite import record_files as places
from aeon.adapters.store.sqlite.record_files import is_mounted_alone, remote_file_system
from aeon.platform.store import DamagedStoreError, StoreUnavailableError

from .sqlite_world import Project, add_user, users

MOUNTS = """\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
41 27 0:44 / /home/me/share\\040one rw,relatime shared:7 - {kind} server:/share rw,vers=4.2
42 27 0:45 / /run/user/1000/doc rw,nosuid - fuse.portal portal rw
43 27 254:0 /x/aeon.db /home/me/p\\040q/.aeon/aeon.db rw - ext4 /dev/vda rw
"""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path).make()


def refused(project, kind=StoreUnavailableError):
    with pytest.raises(kind) as raised:
        project.open()
    return str(raised.value)


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o604, 0o620])
def test_a_file_that_others_may_read_or_write_is_refused(project, mode):
    project.path.chmod(mode)
    assert f"Other users may read or write to {project.path}. Run: chmod 600 {project.path}" in refused(project)


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_folder_that_others_may_write_to_is_refused(project, mode):
    project.place.folder.chmod(mode)
    assert f"Other users may write to {project.place.folder}. Run: chmod 700" in refused(project)


def test_a_folder_that_others_may_read_is_not_refused(project):
    """A folder of a project may be there before Aeon; what counts is who may change it."""
    project.place.folder.chmod(0o755)
    assert project.users() == []


@needs_root
@pytest.mark.parametrize("which", ["path", "folder", "lock"])
def test_what_belongs_to_another_user_is_refused(project, which):
    path = getattr(project.place, which)
    os.chown(path, 12345, 12345)
    assert f"{path} belongs to another user. If you trust its content, run: sudo chown 0 {path}" in refused(project)


@pytest.mark.parametrize("which", ["path", "folder"])
def test_a_symbolic_link_is_refused(project, which, tmp_path):
    path = getattr(project.place, which)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert f"{path} is a symbolic link" in refused(project)


def test_a_link_to_nothing_is_refused_and_not_written_through(project, tmp_path):
    project.path.unlink()
    project.path.symlink_to(tmp_path / "elsewhere.db")
    assert "is a symbolic link" in refused(project)
    assert not (tmp_path / "elsewhere.db").exists()


def test_a_lock_that_is_a_symbolic_link_is_refused(project, tmp_path):
    project.place.lock.unlink()
    project.place.lock.symlink_to(tmp_path / "elsewhere")
    assert str(project.place.lock) in refused(project)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("which", ["path", "lock"])
def test_a_hard_link_is_refused(project, which, tmp_path):
    path = getattr(project.place, which)
    os.link(path, tmp_path / "other name")
    said = refused(project)
    assert f"{path} has 2 names (hard links)" in said
    assert f"cp {path} {path}.copy && mv {path}.copy {path}" in said


@pytest.mark.parametrize("which", ["wal", "shm"])
def test_what_lies_beside_the_record_is_checked_too(project, which, tmp_path):
    path = getattr(project.place, which)
    (tmp_path / "elsewhere").write_bytes(b"x")
    path.symlink_to(tmp_path / "elsewhere")
    assert f"{path} is a symbolic link" in refused(project)


def test_a_rollback_journal_is_refused(project):
    """SQLite would carry out what stands in it, and that may name another file to delete."""
    project.place.journal.write_bytes(b"x" * 1000)
    assert "aeon.db-journal does not come from Aeon" in refused(project, DamagedStoreError)
    assert project.place.journal.exists()


@needs_root
def test_a_file_of_a_special_kind_is_refused(project):
    project.path.unlink()
    os.mkfifo(project.path, 0o600)
    assert "is not a plain file" in refused(project)


def test_a_file_in_the_folders_place_is_refused(tmp_path):
    project = Project(tmp_path)
    project.place.folder.parent.mkdir()
    project.place.folder.write_bytes(b"")
    assert f"{project.place.folder} is not a folder" in refused(project)


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph", "vboxsf", "fuse.rclone"])
def test_a_network_file_system_is_told_by_its_device(kind):
    mountinfo = MOUNTS.format(kind=kind)
    assert remote_file_system("0:44", mountinfo) == kind
    assert remote_file_system("254:0", mountinfo) is None
    assert remote_file_system("0:45", mountinfo) is None


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "tmpfs", "overlay", "xfs", "zfs", "fuse.portal", "fuseblk"])
def test_a_local_file_system_is_none(kind):
    assert remote_file_system("0:44", MOUNTS.format(kind=kind)) is None


def test_a_line_that_is_not_understood_is_passed_over():
    assert remote_file_system("0:44", "\n- \nx\n41 27 0:44\n") is None


def test_a_file_that_is_a_mount_of_its_own_is_seen(tmp_path):
    from pathlib import Path

    assert is_mounted_alone(Path("/home/me/p q/.aeon/aeon.db"), MOUNTS)
    assert not is_mounted_alone(Path("/home/me/p q/.aeon"), MOUNTS)


def mounted(project, monkeypatch, tmp_path, kind):
    """Have the record's folder lie on a file system of a kind."""
    device = project.place.folder.stat().st_dev
    line = f"1 0 {os.major(device)}:{os.minor(device)} / / rw - {kind} x rw\n"
    (tmp_path / "mountinfo").write_text(line)
    monkeypatch.setattr(places, "_MOUNTS", tmp_path / "mountinfo")


def test_a_record_on_a_network_file_system_is_refused_with_what_to_do(project, monkeypatch, tmp_path):
    mounted(project, monkeypatch, tmp_path, "nfs4")
    said = refused(project)
    assert f"{project.place.folder} is on a network file system (nfs4), where SQLite's locks are not safe." in said
    assert "Keep the project in a local folder, or use PostgreSQL: set [store] address." in said


def test_a_record_is_not_made_on_a_network_file_system(project, monkeypatch, tmp_path):
    project.path.unlink()
    mounted(project, monkeypatch, tmp_path, "cifs")
    refused(project)
    assert not project.path.exists()


def test_a_system_that_does_not_tell_its_mounts_is_taken_as_local(project, monkeypatch, tmp_path):
    monkeypatch.setattr(places, "_MOUNTS", tmp_path / "none")
    assert project.users() == []


@pytest.mark.parametrize("name", ["a b", "ä", "50%?#&x=y", "it's", 'say "x"', "new\nline"])
def test_a_folder_may_have_any_name(tmp_path, name):
    project = Project(tmp_path / name)
    (tmp_path / name).mkdir()
    store = project.open()
    add_user(store, "me")
    assert users(store) == ["me"]
    store.close()
    assert project.path.exists()
