"""Installs skills from a folder, an archive or a git address, with a lock file of digests (skills 17)."""

import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import NamedTuple, cast

from aeon.base.errors import InputError, SkillError
from aeon.base.json import JsonObject, canonical_json, parse_strict
from aeon.base.next_steps import NextStep
from aeon.base.project_folder import make_folder
from aeon.skills.bounded_files import UnreadableFileError
from aeon.skills.discovery.search import SkillRoot, discover
from aeon.skills.launch.trust_store import skill_digest
from aeon.skills.models import Skill
from aeon.skills.plugins import Plugin, plugins_of

LOCK_FILE = "skills.lock.json"
_LARGEST = 256 * 1024 * 1024
_GIT_SECONDS = 300
_MESSAGE = 500
_MOST_NAMED = 20
_NOT_COPIED = frozenset({".git", "__pycache__", "node_modules", ".venv"})
_USERS = ("data", "config.json")
"""What a skill's folder holds of the user's, kept when the skill is updated."""
_FOR_GIT = frozenset(("PATH", "HOME", "USER", "LANG", "TMPDIR", "XDG_CONFIG_HOME"))
_FOR_GIT_PREFIXES = ("GIT_", "SSH_", "SSL_CERT_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")
_BRANCH = re.compile(r"[0-9a-f]+\t(?:not-for-merge)?\tbranch '")
"""The line of FETCH_HEAD about a branch; a tag has `tag` there, a commit nothing."""
_GIT_PREFIXES = ("https://", "http://", "ssh://", "git://", "file://", "git@")


class InstalledSkill(NamedTuple):
    """An entry of the lock file.

    `source` is an absolute path or a git address; only a git address has a `commit`, and a `ref` if one was requested.
    """

    name: str
    source: str
    digest: str
    commit: str = ""
    is_pinned: bool = False
    ref: str = ""

    def as_dict(self) -> JsonObject:
        return {
            "source": self.source,
            "digest": self.digest,
            "commit": self.commit,
            "pinned": self.is_pinned,
            "ref": self.ref,
        }


class FetchedSource(NamedTuple):
    """The files of a source, with its commit if it is a git address; `is_branch`: the requested ref is a branch."""

    folder: Path
    commit: str = ""
    is_branch: bool = True


class SkillInstaller:
    """The installed skills of one folder."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self.folder = folder
        self._environ = environ

    def installed(self) -> dict[str, InstalledSkill]:
        """Returns the entries of the lock file by name. Raises SkillError if it cannot be read."""
        try:
            written = cast(JsonObject, parse_strict((self.folder / LOCK_FILE).read_text("utf-8")))
            return {name: _entry(name, cast(JsonObject, fields)) for name, fields in written.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, AttributeError) as error:
            raise SkillError(f"The lock file {self.folder / LOCK_FILE} cannot be read: {error}.") from None

    def install(self, source: str, names: Sequence[str], taken: Mapping[str, Skill], commit: str = "") -> list[Skill]:
        """Installs these skills of a source, all of them if none is named, and returns them.

        `taken` are the skills that exist already. Raises InputError for an unknown or taken name, SkillError for a
        source that cannot be read.
        """
        with fetched(source, self._environ, commit) as fetch:
            skills = _chosen(fetch.folder, source, names)
            for skill in skills:
                if skill.name in taken:
                    raise InputError(
                        f"There is a skill {skill.name!r} already, in {taken[skill.name].directory_path}.",
                        next_step=NextStep("skills.update_or_remove", skill=skill.name),
                    )
            return [self._copy(skill, _lasting(source), fetch.commit, commit) for skill in skills]

    def update(self, name: str, ref: str = "") -> tuple[InstalledSkill, InstalledSkill]:
        """Fetches a skill's source again, at `ref` or at the ref of before; returns the entries before and after.

        Changes of the installed files are lost. Raises InputError for a skill that is pinned or was not installed, and
        for a tag that names another commit now.
        """
        before = self.entry(name)
        if before.is_pinned:
            raise InputError(f"The skill {name!r} is pinned.", next_step=NextStep("skills.unpin", skill=name))
        if not before.source.startswith(_GIT_PREFIXES) and not Path(before.source).is_absolute():
            raise InputError(
                f"The skill {name!r} was installed from {before.source!r}, which is another place in each folder.",
                next_step=NextStep("skills.reinstall", skill=name, folder=str(self.folder / name)),
            )
        with fetched(before.source, self._environ, ref or before.ref) as fetch:
            if not ref and not fetch.is_branch and fetch.commit != before.commit:
                raise InputError(
                    f"{before.ref!r} of {before.source} names another commit since the skill {name!r} was installed.",
                    next_step=NextStep("skills.update_to", skill=name, ref=before.ref),
                )
            [skill] = _chosen(fetch.folder, before.source, [name])
            self._copy(skill, before.source, fetch.commit, ref or before.ref)
        return before, self.entry(name)

    def pin(self, name: str, *, is_pinned: bool) -> None:
        """Keeps a skill at its digest, or lets it be updated again. Raises InputError."""
        self._write({**self.installed(), name: self.entry(name)._replace(is_pinned=is_pinned)})

    def remove(self, name: str) -> None:
        """Removes a skill's folder and its entry. Raises InputError."""
        self.entry(name)
        shutil.rmtree(self.folder / name)
        self._write({key: value for key, value in self.installed().items() if key != name})

    def entry(self, name: str) -> InstalledSkill:
        """Returns the entry of a skill. Raises InputError if it was not installed here."""
        installed = self.installed()
        if name not in installed:
            raise InputError(f"The skill {name!r} was not installed.", next_step=NextStep("skills.list"))
        return installed[name]

    def digest_of(self, skill: Skill) -> str | None:
        """The digest that a skill had when it was installed here; None if it was not. Raises SkillError."""
        entry = self.installed().get(skill.name) if skill.directory_path.parent == self.folder else None
        return entry and entry.digest

    def is_changed(self, skill: Skill) -> bool:
        """Whether an installed skill is not as it was installed (skills 17). Raises SkillError."""
        installed = self.digest_of(skill)
        return installed is not None and installed != skill_digest(skill)

    def has_changes(self, name: str) -> bool:
        """Whether the files of an installed skill are no longer those that were installed. Raises SkillError."""
        folder = self.folder / name
        skill = _skills_in([folder]).get(name)
        return folder.exists() and (skill is None or skill_digest(skill) != self.entry(name).digest)

    def has_user_files(self, name: str) -> bool:
        """Whether the skill's folder holds data or settings of the user."""
        return any((self.folder / name / each).exists() for each in _USERS)

    def _copy(self, skill: Skill, source: str, commit: str, ref: str) -> Skill:
        """Puts the skill into the folder in one step, keeps the user's files, and writes the lock file."""
        target = self.folder / skill.name
        make_folder(self.folder)
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=".install-") as place:
            fresh = Path(place) / skill.name
            _copy_tree(skill.directory_path, fresh, skill.directory_path.resolve())
            if target.exists():
                for name in _USERS:
                    if (target / name).exists():
                        (target / name).rename(fresh / name)
                target.rename(Path(place) / "old")
            fresh.rename(target)
        installed = next(each for each in discover([SkillRoot(self.folder, "user")]).skills if each.name == skill.name)
        entry = InstalledSkill(skill.name, source, skill_digest(installed), commit, ref=ref)
        self._write({**self.installed(), skill.name: entry})
        return installed

    def _write(self, entries: Mapping[str, InstalledSkill]) -> None:
        text = canonical_json({name: entry.as_dict() for name, entry in sorted(entries.items())})
        beside = self.folder / f".{LOCK_FILE}.{os.getpid()}"
        beside.write_text(f"{text}\n", "utf-8")
        beside.replace(self.folder / LOCK_FILE)


def _entry(name: str, fields: JsonObject) -> InstalledSkill:
    commit, ref, is_pinned = str(fields.get("commit", "")), str(fields.get("ref", "")), fields.get("pinned") is True
    return InstalledSkill(name, str(fields["source"]), str(fields["digest"]), commit, is_pinned, ref)


def _lasting(source: str) -> str:
    """Returns the source as it can be found from any folder: a path that is absolute, or the git address."""
    return source if source.startswith(_GIT_PREFIXES) else str(Path(source).resolve())


def _chosen(tree: Path, source: str, names: Sequence[str]) -> list[Skill]:
    """Returns the skills of a source with these names, which may also be those of plugins; all if none is named."""
    plugins = _plugins(tree, source)
    folders = [folder for plugin in plugins for folder in plugin.folders]
    found = _skills_in([tree, *folders])
    if not found:
        raise _no_skill_error(source, plugins)
    by_plugin = {plugin.name: list(_skills_in(plugin.folders).values()) for plugin in plugins if plugin.folders}
    chosen: list[Skill] = []
    for name in names:
        if name not in found and not by_plugin.get(name):
            raise _unknown_name_error(source, name, list(found), plugins)
        chosen += [found[name]] if name in found else by_plugin[name]
    return list({skill.name: skill for skill in chosen or found.values()}.values())


def _skills_in(folders: Sequence[Path]) -> dict[str, Skill]:
    roots = [SkillRoot(folder, "user") for folder in folders]
    return {skill.name: skill for skill in discover(roots, environ={}).skills}


def _plugins(tree: Path, source: str) -> list[Plugin]:
    try:
        return plugins_of(tree)
    except UnreadableFileError as error:
        raise SkillError(f"The manifest in {source} cannot be used: {error.message}.") from None


def _no_skill_error(source: str, plugins: Sequence[Plugin]) -> InputError:
    elsewhere = [f"{plugin.name} at {plugin.address}" for plugin in plugins if plugin.address]
    if not elsewhere:
        return InputError(f"There is no skill in {source}.", next_step="A skill is a folder with a SKILL.md.")
    return InputError(
        f"There is no skill in {source}; its plugins are elsewhere: {', '.join(elsewhere[:_MOST_NAMED])}.",
        next_step="Install one of these addresses.",
    )


def _unknown_name_error(source: str, name: str, found: Sequence[str], plugins: Sequence[Plugin]) -> InputError:
    if address := next((plugin.address for plugin in plugins if plugin.name == name), ""):
        return InputError(f"The plugin {name!r} of {source} is elsewhere.", next_step=f"Install {address}.")
    named = [plugin.name for plugin in plugins if plugin.folders]
    also = f"; and the plugins {', '.join(named[:_MOST_NAMED])}" if named else ""
    return InputError(
        f"{source} has no skill {name!r}; it has {', '.join(found[:_MOST_NAMED])}{also}.",
        next_step="Name one of these.",
    )


def _copy_tree(source: Path, target: Path, root: Path) -> None:
    """Copies files and folders, but no link that leads out of `root` and none to a folder."""
    target.mkdir()
    for entry in sorted(source.iterdir()):
        if entry.name in _NOT_COPIED or (source == root and entry.name in _USERS):
            continue
        if entry.is_symlink() and (entry.is_dir() or not entry.resolve().is_relative_to(root)):
            raise SkillError(f"The skill contains a link that cannot be installed: {entry.relative_to(root)}.")
        if entry.is_dir():
            _copy_tree(entry, target / entry.name, root)
        elif entry.is_file():
            shutil.copy(entry, target / entry.name)


@contextmanager
def fetched(source: str, environ: Mapping[str, str], ref: str = "") -> Generator[FetchedSource]:
    """Yields the files of a source, of a git address at a ref. Raises InputError, SkillError."""
    if source.startswith("-"):
        raise InputError(f"{source!r} is not a source.", next_step="Give a folder, an archive or a git address.")
    with tempfile.TemporaryDirectory(prefix="aeon-skill-") as place:
        folder = Path(place) / "source"
        if source.startswith(_GIT_PREFIXES):
            yield _clone(source, folder, environ, ref)
        elif ref:
            raise InputError(
                f"{source} is not a git address, so it has no {ref!r}.",
                next_step="Leave the commit out, or give a git address.",
            )
        elif Path(source).is_dir():
            yield FetchedSource(Path(source).resolve())
        elif Path(source).is_file():
            folder.mkdir()
            _extract(Path(source), folder)
            yield FetchedSource(folder)
        else:
            raise InputError(
                f"{source} is neither a folder, an archive, nor a git address.", next_step="Check the path."
            )


def _clone(address: str, folder: Path, environ: Mapping[str, str], ref: str) -> FetchedSource:
    """Fetches one commit, without history, hooks or questions."""
    if ref.startswith("-"):
        raise InputError(f"{ref!r} is not a commit.", next_step="Give a commit, a branch or a tag.")
    folder.mkdir()
    _git(["init", "--quiet", str(folder)], environ)
    inside = ["-C", str(folder), "-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never"]
    _git([*inside, "fetch", "--quiet", "--depth", "1", "--", address, ref or "HEAD"], environ)
    _git([*inside, "checkout", "--quiet", "FETCH_HEAD"], environ)
    fetched_ref = (folder / ".git" / "FETCH_HEAD").read_text("utf-8", "replace")
    is_branch = not ref or _BRANCH.match(fetched_ref) is not None
    return FetchedSource(folder, _git([*inside, "rev-parse", "HEAD"], environ).strip(), is_branch)


def _git(arguments: Sequence[str], environ: Mapping[str, str]) -> str:
    passed_on = {name: value for name, value in environ.items() if _is_for_git(name)}
    own = {**passed_on, "GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
    try:
        ended = subprocess.run(  # noqa: S603  # arguments as a list
            ["git", *arguments],  # noqa: S607  # git of the user's PATH
            env=own,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SkillError(f"git failed: {error}.", next_step="Install git, or check the address.") from None
    if ended.returncode != 0:
        output = ended.stderr.decode(errors="replace").strip()[-_MESSAGE:]
        raise SkillError(f"git failed: {output}", next_step="Check the address and the commit.")
    return ended.stdout.decode(errors="replace")


def _is_for_git(name: str) -> bool:
    """Whether git gets a variable; the keys of models are not its business."""
    return name in _FOR_GIT or name.upper().startswith(_FOR_GIT_PREFIXES)


def _extract(archive: Path, folder: Path) -> None:
    """Extracts a zip or tar file. Raises SkillError for one that leads out of the folder, or is too large."""
    try:
        if zipfile.is_zipfile(archive):
            _extract_zip(archive, folder)
        else:
            _extract_tar(archive, folder)
    except (tarfile.TarError, zipfile.BadZipFile, OSError, EOFError, RuntimeError) as error:
        raise SkillError(f"The archive {archive} cannot be used: {error}.") from None


def _extract_zip(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        _check_size(sum(member.file_size for member in opened.infolist()), archive)
        for member in opened.infolist():
            path = PurePosixPath(member.filename.replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts:
                raise SkillError(f"The archive {archive} leads out of its folder: {member.filename}.")
        opened.extractall(folder)  # noqa: S202  # the names were checked


def _extract_tar(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as opened:
        _check_size(sum(member.size for member in opened.getmembers()), archive)
        opened.extractall(folder, filter="data")  # refuses .., absolute names, links out of the folder, devices


def _check_size(size: int, archive: Path) -> None:
    if size > _LARGEST:
        raise SkillError(f"The archive {archive} is larger than {_LARGEST // 1024**2} MiB when it is unpacked.")
