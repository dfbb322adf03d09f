"""`aeon conversation search`, `/search`, and opening a hit (platform 26)."""

from pathlib import Path

import pytest

from aeon.cli.platform.session import runtime_session
from aeon.cli.session import load_cli_settings


@pytest.fixture
def branches(aeon, double):
    """A conversation whose first answer stands on another branch; the ids of that answer and of the visible one."""
    double("500 g of flour for four.", "1.5 kg of flour for twelve.")
    aeon("chat", "How much flour for 4 guests?")
    edit_the_first_message()
    tree = {each["content"]: each["id"] for each in aeon("conversation", "tree", "last", "--json").json}
    return tree["500 g of flour for four."], tree["1.5 kg of flour for twelve."]


def edit_the_first_message():
    """Say it in another way, and have that answered, as `/edit` does."""
    with runtime_session("me", load_cli_settings()) as workspace:
        service = workspace.conversations
        message = service.path(service.find("last").id)[0]
        edited = service.edit(message.id, "How much flour for 12 guests?")
        for _ in service.reply(edited.id):
            pass


def test_a_search_shows_where_each_hit_is_and_says_what_is_off_the_path(aeon, branches):
    old, _ = branches
    found = aeon("conversation", "search", "FLOUR four")
    assert found.code == 0
    assert f"{old[:8]}  " in found.out
    assert "answer, on another branch, in: How much flour for 12 guests?" in found.out
    assert "    500 g of flour for four.\n" in found.out
    assert "\x1b" not in found.out
    assert "open one with: aeon conversation show " in found.err


def test_a_search_as_json_has_the_marks_as_offsets(aeon, branches):
    old, shown = branches
    hits = {hit["id"]: hit for hit in aeon("conversation", "search", "kg", "twelve", "--json").json}
    assert list(hits) == [shown]
    hit = hits[shown]
    assert [hit["snippet"][start:end] for start, end in hit["marks"]] == ["kg", "twelve"]
    assert (hit["isOnPath"], hit["speaker"], hit["alternativeId"]) == (True, "agent", shown)
    off = aeon("conversation", "search", "flour", "--off-path", "--in", "last", "-o", "name").out.split()
    assert old in off
    assert shown not in off
    for nothing in (["--archived"], ["--tag", "x"], ["--until", "1h"], ["--since", "2999-01-01"]):
        assert aeon("conversation", "search", "flour", *nothing, "-o", "name").out == ""


def test_a_hit_opens_on_its_branch_and_nothing_is_switched(aeon, branches):
    old, shown = branches
    opened = aeon("conversation", "show", old[:8])
    assert "How much flour for 4 guests?" in opened.out
    assert "another branch" in opened.err
    path = aeon("conversation", "show", "last", "--json").json["path"]
    assert path[-1]["id"] == shown
    assert "another branch" not in aeon("conversation", "show", shown).err
    assert aeon("conversation", "show", "nothing").code == 2


@pytest.mark.parametrize("text", ["", "  ", '"', "a AND (", "-x", "\x1b[31m", "%", "*"])
def test_any_text_is_a_query_on_the_command_line(aeon, branches, text):
    assert aeon("conversation", "search", "--json", "--", text).code == 0


def test_what_is_not_found_says_how_a_search_works(aeon, branches):
    nothing = aeon("conversation", "search", "zebra")
    assert (nothing.code, nothing.out) == (0, "")
    assert "nothing found" in nothing.err


def test_other_users_find_nothing(aeon, branches):
    assert aeon("conversation", "search", "flour", "--user", "eve", "--json").json == []


def test_a_restored_or_imported_record_finds_the_same(aeon, branches):
    before = aeon("conversation", "search", "flour guests", "--json").json
    assert len(before) == 4
    aeon("store", "backup", "before.db")
    aeon("store", "restore", "--yes", "before.db")
    assert aeon("conversation", "search", "flour guests", "--json").json == before
    aeon("store", "export", "record.jsonl")
    for file in Path(".aeon").glob("aeon.db*"):
        file.unlink()
    assert aeon("store", "import", "record.jsonl").code == 0
    assert aeon("conversation", "search", "flour guests", "--json").json == before
    assert aeon("store", "rebuild").out == "4 titles, messages and answers can be searched\n"
    assert aeon("conversation", "search", "flour guests", "--json").json == before


@pytest.mark.slow
def test_a_terminal_shows_the_found_words_in_bold_and_a_chat_searches_too(aeon, branches, terminal):
    code, screen = terminal("conversation", "search", "kg")
    assert code == 0, screen
    assert "1.5 \x1b[1mkg\x1b[0m of flour" in screen
    _, plain = terminal("conversation", "search", "kg", env={"TERM": "dumb"})
    assert "\x1b[1m" not in plain
    code, screen = terminal("chat", "--continue", typed="/search twelve\r/quit\r", env={"TERM": "dumb"})
    assert code == 0, screen
    assert "1.5 kg of flour for twelve." in screen.partition("/search")[2]
