"""What is kept of output (skills 1, 4), and what a problem is called."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from aeon.skills.invocation import Invocation, ScriptAccess
from aeon.skills.sandbox.isolation import _outermost_folders, build_spawn_request
from aeon.skills.sandbox.output_buffers import PlainOutputReader, TailBuffer
from aeon.skills.sandbox.script_process import asset_check


@given(st.lists(st.binary(max_size=40), max_size=20), st.integers(0, 50))
def test_a_tail_is_the_end_of_all_that_came(chunks, limit):
    """Law (skills 1): the last bytes, however they came."""
    tail = TailBuffer(limit)
    for chunk in chunks:
        tail.feed(chunk)
    whole = b"".join(chunks)
    assert tail.text == whole[len(whole) - min(limit, len(whole)) :].decode(errors="replace")


@given(st.lists(st.binary(max_size=40), max_size=20), st.integers(0, 200))
def test_plain_output_is_kept_up_to_its_limit(chunks, limit):
    """Law (skills 4): whole when it fits, else its beginning and a word about it."""
    output = PlainOutputReader(limit)
    for chunk in chunks:
        output.feed(chunk)
    whole = b"".join(chunks)
    assert output.stdout == whole[:limit]
    assert (output.overflow is not None) == (len(whole) > limit)


def test_assets_are_found_from_the_working_folder(tmp_path):
    """Skills 2."""
    data, outside = tmp_path / "data", tmp_path / "outside"
    for folder in (data, outside):
        folder.mkdir()
        (folder / "a").touch()
    (data / "link").symlink_to(outside / "a")
    check = asset_check(data, [data])
    assert check("a") is None
    assert check(f"{data}/a") is None
    assert check("../data/a") is None
    for path, fault in [
        ("../outside/a", "outside"),
        ("link", "outside"),
        ("b", "not a readable file"),
        ("", "not a readable file"),
        ("\0", "not a path"),
    ]:
        assert fault in check(path)


def test_a_script_is_given_what_its_level_allows():
    """Skills 11: what may be written is put over what may be read."""
    access = ScriptAccess(read=(Path("/skill"),), write=(Path("/skill/data"),))
    invocation = Invocation(
        ("/skill/run",), b"", Path("/skill/data"), {"PATH": "/usr/bin:relative:/srv/x"}, access=access
    )
    plain, fenced, boxed = (
        build_spawn_request(invocation, level, "t") for level in ("plain", "landlock", "bubblewrap")
    )
    assert plain.policy is None
    assert plain.env == {"PATH": "/usr/bin:relative:/srv/x", "AEON_INVOCATION": "t"}
    assert "/usr" in fenced.policy.system
    assert fenced.policy.read == ("/srv/x", "/skill")
    assert "relative" not in fenced.policy.read
    assert "/skill/data" in fenced.policy.write
    assert boxed.command.index("/skill/data") > boxed.command.index("/skill")
    assert "--unshare-net" in boxed.command


def test_a_folder_inside_another_is_not_named_twice(tmp_path):
    outer, inner, link = tmp_path / "outer", tmp_path / "outer/inner", tmp_path / "link"
    inner.mkdir(parents=True)
    link.symlink_to(inner)
    beside = tmp_path / "outer-beside"
    folders = [str(each) for each in (inner, outer, link, beside, outer)]
    assert sorted(_outermost_folders(folders)) == [str(outer), str(beside)]
    assert len(_outermost_folders([str(link), str(inner)])) == 1
