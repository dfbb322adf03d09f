"""A file is hashed once; a changed file is found out."""

import os

import pytest

from aeon.adapters.weights.fetch import find_verified, mark_verified, marker_path


@pytest.fixture
def file(tmp_path, spec, content):
    path = tmp_path / spec.file
    path.write_bytes(content)
    return path


def test_nothing_there_is_nothing_found(tmp_path, spec, events):
    assert find_verified(spec, tmp_path, events) is None
    assert events == []


def test_a_good_file_is_hashed_the_first_time_only(file, tmp_path, spec, events):
    assert find_verified(spec, tmp_path, events) == file
    assert set(events.phases) == {"verifying"}
    events.clear()
    assert find_verified(spec, tmp_path, events) == file
    assert events == []


@pytest.mark.parametrize("damage", [lambda raw: raw[:-1], lambda raw: raw[:-1] + b"?"])
def test_a_changed_file_is_not_the_published_one(file, tmp_path, spec, events, damage):
    mark_verified(file, spec)
    file.write_bytes(damage(file.read_bytes()))
    os.utime(file, ns=(1, 1))
    assert find_verified(spec, tmp_path, events) is None
    assert events.phases[-1] == "rejected"


def test_a_touched_file_is_hashed_again_and_accepted(file, tmp_path, spec, events):
    mark_verified(file, spec)
    os.utime(file, ns=(1, 1))
    assert find_verified(spec, tmp_path, events) == file
    assert "verifying" in events.phases


@pytest.mark.parametrize("text", ["", "{", "[]", '{"sha256": "other"}'])
def test_a_broken_marker_means_hashing_again(file, tmp_path, spec, events, text):
    marker_path(file).write_text(text)
    assert find_verified(spec, tmp_path, events) == file
    assert "verifying" in events.phases


def test_a_folder_where_no_marker_can_be_kept_still_serves(file, tmp_path, spec, events):
    marker_path(file).mkdir()
    assert find_verified(spec, tmp_path, events) == file
