"""The tools for files: what they do, and what they must not (a cloned folder, a link, a key, a text that gives orders)."""

import os

import pytest

from aeon.adapters.files.folders import FolderAccess
from aeon.adapters.files.tools import file_tools
from aeon.base.errors import ToolError
from aeon.tools.attachments import PART_CHARACTERS
from aeon.tools.invocation import ToolInvoker
from aeon.tools.registry import ToolRegistry


@pytest.fixture
def place(tmp_path):
    """A project's folder with files, beside one that is nobody's business."""
    project = tmp_path / "project"
    (project / "letters").mkdir(parents=True)
    (project / "notes.txt").write_text("Buy tea.\nCall the Plumber.\n")
    (project / "letters" / "ana.md").write_text("Dear Ana,\nthe plumber came.\n")
    (project / "photo.png").write_bytes(b"\x89PNG\0")
    (project / ".env").write_text("KEY=secret")
    (project / "server.pem").write_text("secret")
    (project / ".git").mkdir()
    (project / ".git" / "config.txt").write_text("secret plumber")
    (tmp_path / "other.txt").write_text("secret")
    (project / "out.txt").symlink_to(tmp_path / "other.txt")
    (project / "up").symlink_to(tmp_path)
    return project


@pytest.fixture
def call(place):
    """`call(tool, **arguments)`: with the project readable and `letters` writable."""
    registry = ToolRegistry(file_tools(FolderAccess(place, [place], [place / "letters"])))

    def calling(name, **arguments):
        return next(iter(ToolInvoker().invoke(registry.lookup(name), arguments).values()))

    return calling


def test_a_file_is_read(call):
    assert call("read_file", path="notes.txt") == "Buy tea.\nCall the Plumber.\n"


def test_a_long_file_is_never_read_in_part_without_a_word(call, place):
    (place / "long.txt").write_text("word " * PART_CHARACTERS)
    with pytest.raises(ToolError, match="too long to be read at once: it has 5 parts") as refused:
        call("read_file", path="long.txt")
    assert "--file long.txt" in refused.value.advice
    assert len(call("read_file", path="long.txt", part=5)) <= PART_CHARACTERS
    with pytest.raises(ToolError, match="no part 6"):
        call("read_file", path="long.txt", part=6)


def test_files_are_listed_without_hidden_ones_keys_and_links(call):
    listed = [line.split("  ")[0] for line in call("list_files").splitlines()]
    assert listed == ["notes.txt", "photo.png", "letters/ana.md"]
    assert call("list_files", pattern="*.md").startswith("letters/ana.md  28 bytes, changed 20")
    assert call("list_files", path="letters", pattern="*.txt") == "no file matches *.txt"


def test_lines_are_found_and_what_could_not_be_searched_is_said(call):
    assert call("search_files", text="plumber").splitlines() == [
        "notes.txt:2: Call the Plumber.",
        "letters/ana.md:2: the plumber came.",
        "not searched: photo.png",
    ]
    assert call("search_files", text="secret", path="letters") == "no line has 'secret'"


def test_more_than_is_shown_is_counted(call, place):
    for number in range(205):
        (place / f"{number}.log").write_text("tea\n")
    assert call("list_files", pattern="*.log").endswith("and 5 more")
    assert call("search_files", text="tea").splitlines()[-2] == "and 156 more"


@pytest.mark.parametrize(
    "path",
    ["../other.txt", "out.txt", "up/other.txt", "/etc/passwd", "~/x", ".env", "server.pem", ".git/config.txt", "up"],
)
@pytest.mark.parametrize("tool", ["read_file", "list_files", "write_file"])
def test_nothing_outside_hidden_or_secret_is_read_listed_or_written(call, tool, path):
    text = {"text": "x"} if tool == "write_file" else {}
    with pytest.raises(ToolError, match="may not be") as refused:
        call(tool, path=path, **text)
    assert "secret" not in str(refused.value)


def test_a_pipe_does_not_hang_a_tool(call, place):
    os.mkfifo(place / "pipe.txt")
    with pytest.raises(ToolError, match="is not a file"):
        call("read_file", path="pipe.txt")
    assert "pipe.txt" not in call("search_files", text="tea")


def test_a_file_is_written_whole_where_it_was_allowed(call, place):
    assert call("write_file", path="letters/bob.md", text="Dear Bob") == "letters/bob.md (8 characters)"
    assert (place / "letters" / "bob.md").read_text() == "Dear Bob"
    with pytest.raises(ToolError, match="exists already"):
        call("write_file", path="letters/bob.md", text="Hi")
    assert call("write_file", path="letters/bob.md", text="Hi", overwrite=True)
    assert sorted(each.name for each in (place / "letters").iterdir()) == ["ana.md", "bob.md"], "no part is left"


def test_a_file_is_written_nowhere_else_and_the_error_says_how_to_allow_it(call, place):
    with pytest.raises(ToolError, match="in no folder that you allowed") as refused:
        call("write_file", path="new.txt", text="x")
    assert f"--allow-write {place}" in refused.value.advice
    assert not (place / "new.txt").exists()
    with pytest.raises(ToolError, match="cannot be written"):
        call("write_file", path="letters/none/new.txt", text="x")


def test_without_a_grant_nothing_is_read(place):
    registry = ToolRegistry(file_tools(FolderAccess(place)))
    with pytest.raises(ToolError, match="in no folder that you allowed"):
        ToolInvoker().invoke(registry.lookup("read_file"), {"path": "notes.txt"})


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("What does notes.txt say?", ["read_file"]),
        ("What does lost.txt say?", ["read_file", "list_files"]),
        ("Which files are in this folder?", ["read_file", "list_files"]),
        ("Which file mentions the plumber?", ["read_file", "search_files"]),
        ("In welcher Datei steht etwas über Ana? Suche danach.", ["read_file", "search_files"]),
        ("Save the total in letters/sum.txt", ["read_file", "list_files", "write_file"]),
        ("Schreib Hallo in letters/a.txt", ["read_file", "list_files", "write_file"]),
        ("What is 15 * 23 plus 7?", []),
        ("Who wrote Faust?", []),
        ("What is 3.5 times 2?", []),
        ("What is on example.com, e.g. https://www.example.com/a?", []),
        ("Write a poem about the sea", []),
    ],
)
def test_the_tools_are_offered_for_requests_about_files_alone(place, request_text, names):
    offer = ToolRegistry(file_tools(FolderAccess(place, [place]))).offer(request_text)
    assert [tool["name"] for tool in offer.tools] == names


def test_the_one_file_that_a_request_names_is_read_out_of_it(place):
    def hint(request):
        return ToolRegistry(file_tools(FolderAccess(place, [place]))).offer(request).hints

    assert hint("What does notes.txt say?") == {"read_file": {"path": "notes.txt"}}
    assert hint("What does lost.txt say?") == {}
    assert hint("Delete notes.txt") == hint("Schick notes.txt an Ana") == {}, "reading is not what is asked for"
    assert hint("Compare notes.txt with letters/ana.md") == {}
    assert hint("What does .env say?") == {}


@pytest.mark.parametrize("answer", [True, False])
def test_the_user_is_asked_about_a_file_elsewhere_and_a_no_is_obeyed(place, answer):
    asked = []

    def confirm(path):
        asked.append(path)
        return answer

    registry = ToolRegistry(file_tools(FolderAccess(place, [place], confirm=confirm)))
    arguments = {"path": "new.txt", "text": "x"}
    if answer:
        ToolInvoker().invoke(registry.lookup("write_file"), arguments)
    else:
        with pytest.raises(ToolError, match="you did not allow it"):
            ToolInvoker().invoke(registry.lookup("write_file"), arguments)
    assert asked == [place.resolve() / "new.txt"]
    assert (place / "new.txt").exists() == answer


@pytest.mark.parametrize("path", [".ssh/authorized_keys", "~/.bashrc", "id.pem"])
def test_nobody_is_asked_about_a_hidden_file_or_a_key(place, path):
    def confirm(_path):
        raise AssertionError("a model must not make a user say yes to that")

    registry = ToolRegistry(file_tools(FolderAccess(place, [place], confirm=confirm)))
    with pytest.raises(ToolError, match="may not be written"):
        ToolInvoker().invoke(registry.lookup("write_file"), {"path": path, "text": "x"})


def test_a_question_about_one_file_is_planned_by_code_which_reads_it_and_answers_core_19(place):
    registry = ToolRegistry(file_tools(FolderAccess(place, [place])), plans_always=False)

    plan = registry.offer("What does notes.txt say about tea?").plan

    assert [(step.get("tool"), step.get("arguments")) for step in plan["steps"]] == [
        ("read_file", {"path": "notes.txt"}),
        (None, {"text": "{step.s1.text}"}),
    ]
    assert registry.offer("Delete notes.txt").plan is None
    assert registry.offer("Write the sum of notes.txt to sum.txt").plan is None
