"""One immutable catalog at a time, read anew when files change: real files, a real watcher, no sleeping."""

import queue
import threading
from contextlib import contextmanager

import pytest

from aeon.base.errors import MissingExtraError
from aeon.skills.discovery.library import SkillLibrary
from aeon.skills.discovery.search import SkillRoot


def write(folder, description="d"):
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / ".SKILL.md.new"
    temporary.write_text(f"---\nname: {folder.name}\ndescription: {description}\n---\nbody\n")
    temporary.replace(folder / "SKILL.md")


@contextmanager
def watched(library):
    """Catalogs as they are told, while a watch runs."""
    told, stop = queue.Queue(), threading.Event()
    thread = threading.Thread(target=library.watch, args=(told.put, stop))
    thread.start()
    try:
        yield told
    finally:
        stop.set()
        thread.join(20)
        assert not thread.is_alive()


def until(told, is_reached):
    """The first catalog for which this holds; a watcher may tell of a half-way state before."""
    while True:
        catalog = told.get(timeout=20)
        if is_reached(catalog):
            return catalog


def names(catalog):
    return [skill.name for skill in catalog.skills]


def test_a_reload_swaps_the_catalog_and_leaves_the_old_one_whole(tmp_path):
    """A running plan keeps the catalog that it was checked against."""
    write(tmp_path / "a", "old")
    library = SkillLibrary([SkillRoot(tmp_path, "project")], environ={})
    kept = library.catalog
    write(tmp_path / "a", "new")
    write(tmp_path / "b")

    assert library.catalog is kept
    assert library.reload() is library.catalog
    assert [skill.description for skill in kept.skills] == ["old"]
    assert [skill.description for skill in library.catalog.skills] == ["new", "d"]


def test_files_that_change_are_seen_and_told(tmp_path):
    """Hot reload: added, changed, removed."""
    root = tmp_path / "skills"
    write(root / "a", "old")
    library = SkillLibrary([SkillRoot(root, "project")], environ={}, cache_folder=tmp_path / "cache")
    write(root / "early")  # before the watch is in place
    with watched(library) as told:
        until(told, lambda catalog: names(catalog) == ["a", "early"])
        write(root / "a", "new")
        until(told, lambda catalog: catalog.by_name["a"].description == "new")
        (root / "a" / "SKILL.md").unlink()
        last = until(told, lambda catalog: names(catalog) == ["early"])
    assert library.catalog is last


@pytest.mark.slow
def test_a_root_that_comes_into_being_is_seen(tmp_path):
    library = SkillLibrary([SkillRoot(tmp_path / "skills", "project")], environ={})
    with watched(library) as told:
        write(tmp_path / "skills" / "a")
        until(told, lambda catalog: names(catalog) == ["a"])
        write(tmp_path / "skills" / "b")
        until(told, lambda catalog: names(catalog) == ["a", "b"])


def test_what_scripts_write_into_their_data_is_no_change(tmp_path):
    library = SkillLibrary([SkillRoot(tmp_path, "project", tmp_path / "home")], environ={})

    assert not library._is_relevant(1, str(tmp_path / "a" / "data" / "x"))
    assert library._is_relevant(1, str(tmp_path / "a" / "config.json"))


def test_without_watchfiles_the_extra_is_named(tmp_path, monkeypatch):
    """Discovery works without the extra; watching says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "watchfiles", None)
    library = SkillLibrary([SkillRoot(tmp_path, "project")], environ={})
    with pytest.raises(MissingExtraError, match=r"aeon-orchestrator\[skills\]"):
        library.watch(print, threading.Event())
