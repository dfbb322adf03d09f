"""`aeon conversation import` and `export`: files as services write them, and files as they should not be (platform 27)."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.chaos_sizes import print_counts, size_of

from aeon.application.conversation_transfer import ImportReport
from aeon.application.project import Project

DATA = Path(__file__).parents[2] / "data" / "conversations"


@pytest.fixture
def chatgpt():
    """The conversations of ChatGPT's test file."""
    return json.loads((DATA / "chatgpt.json").read_text("utf-8"))


@pytest.fixture
def listed(aeon):
    """`listed()`: the titles of the user's conversations."""

    def titles(*argv):
        found = [aeon("conversation", "list", *more, *argv, "--json").json for more in ((), ("--archived",))]
        return sorted(each["title"] or "" for page in found for each in page)

    return titles


def test_every_form_is_recognized_and_what_was_not_kept_is_listed_platform_27(aeon, listed):
    done = aeon("conversation", "import", *(DATA / f"{name}.json" for name in ("chatgpt", "claude", "open_webui")))
    assert done.code == 0, done.err
    assert "imported 8 conversation(s) with 45 message(s); recognized: ChatGPT: 3, Claude: 3, Open WebUI: 2" in done.out
    assert "not everything was kept of 5 conversation(s):" in done.out
    assert "  3 x image" in done.out
    assert "whose parent is missing" in done.out
    assert "Weather with tools\u202e" in listed()


def test_the_report_of_fields_that_were_not_kept_stays_short_platform_27(aeon, chatgpt, tmp_path):
    """The most frequent come first; --json has all."""
    for number in range(30):
        chatgpt[0][f"new_{number:02}"] = "x"
    chatgpt[0]["mapping"]["u1"]["message"]["seen"] = chatgpt[0]["mapping"]["a1"]["message"]["seen"] = "x"
    (tmp_path / "some.json").write_text(json.dumps(chatgpt[:1]), "utf-8")
    done = aeon("conversation", "import", tmp_path / "some.json", "--dry-run")
    listed = done.out.splitlines()[2:]
    assert listed[0] == "  2 x field `seen` of messages"
    assert listed[1] == "  1 x field `new_00` of conversations"
    assert listed[20:] == ["  and 11 kinds more, which --json lists"]
    whole = aeon("conversation", "import", tmp_path / "some.json", "--dry-run", "--json").json
    assert len(whole["notKept"]) == 31


def test_what_was_imported_twice_is_there_once_platform_27(aeon, listed):
    first = aeon("conversation", "import", DATA / "chatgpt.json", "--json").json
    assert (first["imported"], first["alreadyThere"]) == (3, 0)
    again = aeon("conversation", "import", DATA / "chatgpt.json", "--json")
    assert (again.code, again.json["imported"], again.json["alreadyThere"]) == (0, 0, 3)
    assert len(listed()) == 3
    other = aeon("conversation", "import", DATA / "chatgpt.json", "--user", "eve", "--json").json
    assert other["imported"] == 3


def test_a_newer_export_adds_what_is_new_and_says_how_much_platform_27(aeon, chatgpt, tmp_path):
    aeon("conversation", "import", DATA / "chatgpt.json")
    mapping = chatgpt[0]["mapping"]
    content = {"content_type": "text", "parts": ["And for 7?"]}
    message = {"author": {"role": "user"}, "content": content, "create_time": 1700009000}
    mapping["u3"] = {"id": "u3", "parent": "a3", "children": [], "message": message}
    chatgpt[0]["current_node"] = "u3"
    (tmp_path / "newer.json").write_text(json.dumps(chatgpt), "utf-8")
    dry = aeon("conversation", "import", tmp_path / "newer.json", "--dry-run")
    assert "grown since: 1; would be added: 1 message(s)" in dry.out
    done = aeon("conversation", "import", tmp_path / "newer.json")
    assert "already there: 2\ngrown since: 1; added: 1 message(s)\n" in done.out
    text = exported(aeon, "Flour for guests")
    assert text.endswith("> And for 7?\n")


def test_a_dry_run_writes_nothing(aeon, listed):
    dry = aeon("conversation", "import", DATA / "claude.json", "--dry-run")
    assert dry.out.startswith("would import 3 conversation(s) with 7 message(s); recognized: Claude: 3")
    assert listed() == []


def test_archives_and_folders_with_split_files_are_read_as_they_are(aeon, chatgpt, tmp_path, listed):
    folder = tmp_path / "export"
    folder.mkdir()
    for number, each in enumerate(chatgpt):
        (folder / f"conversations-{number:03}.json").write_text(json.dumps([each]), "utf-8")
    (folder / "user.json").write_text("{}", "utf-8")
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("../../user.json", "{}")
        for path in folder.glob("conv*"):
            archive.write(path, f"../../outside/{path.name}")
    assert aeon("conversation", "import", folder, "--json").json["imported"] == 3
    assert aeon("conversation", "import", tmp_path / "export.zip", "--json").json["alreadyThere"] == 3
    assert not (tmp_path.parent / "outside").exists()
    assert len(listed()) == 3


def test_a_broken_conversation_is_listed_and_the_others_come_platform_27(aeon, chatgpt, tmp_path, listed):
    first, second, third = map(json.dumps, chatgpt)
    broken = '{"title": "Broken\\u001b[31m one", "mapping": {"a": 7}}'
    (tmp_path / "some.json").write_text(f'[{first}, {broken}, {{"a": nope}}, 17, {second}, {third}]', "utf-8")
    done = aeon("conversation", "import", tmp_path / "some.json", "--json")
    assert (done.code, done.json["imported"], done.json["failed"]) == (1, 3, 3)
    assert [each["number"] for each in done.json["failures"]] == [2, 3, 4]
    said = " ".join(done.err.split())
    assert "conversation 2 (Broken\\x1b[31m one): mapping.a is not an object" in said
    assert "\x1b" not in done.err
    assert len(listed()) == 3


def test_of_a_file_that_was_cut_off_the_whole_ones_come_and_the_cut_is_said(aeon, tmp_path, listed):
    text = (DATA / "chatgpt.json").read_text("utf-8")
    (tmp_path / "cut.json").write_text(text[: len(text) - 200], "utf-8")
    done = aeon("conversation", "import", tmp_path / "cut.json")
    assert done.code == 1
    assert "imported 2 conversation(s)" in done.out
    assert "the file ends in the middle of it" in " ".join(done.err.split())
    assert len(listed()) == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file has no conversations"),
        (b"[]", "the file has no conversations"),
        (b"hello", "it is not an object"),
        (b'[{"title": "\xff", "mapping": {}}]', "bytes that are not UTF-8"),
        (b'[{"what": 1}]', "its form is not known"),
    ],
)
def test_a_file_that_is_none_says_why(aeon, tmp_path, content, reason):
    (tmp_path / "bad.json").write_bytes(content)
    done = aeon("conversation", "import", tmp_path / "bad.json")
    assert done.code == 1
    assert reason in " ".join(done.err.split())


def test_a_byte_order_mark_is_no_problem(aeon, tmp_path):
    (tmp_path / "marked.json").write_bytes(b"\xef\xbb\xbf" + (DATA / "claude.json").read_bytes())
    assert aeon("conversation", "import", tmp_path / "marked.json").code == 0


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_read_as_that(aeon, listed, tmp_path, encoding):
    text = "\ufeff" + (DATA / "claude.json").read_text("utf-8")
    (tmp_path / "wide.json").write_bytes(text.encode(encoding))
    assert aeon("conversation", "import", tmp_path / "wide.json").code == 0
    assert len(listed()) == 3


def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_read(aeon, tmp_path):
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"[" + b" " * (20 << 20))
    refused = aeon("conversation", "import", tmp_path / "bomb.zip")
    assert (refused.code, refused.out) == (2, "")
    assert "over 200 times its packed size" in " ".join(refused.err.split())


def test_a_damaged_archive_says_so(aeon, tmp_path):
    target = tmp_path / "export.zip"
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("conversations.json", (DATA / "claude.json").read_bytes())
    damaged = bytearray(target.read_bytes())
    damaged[200] ^= 1
    target.write_bytes(damaged)
    done = aeon("conversation", "import", target)
    assert done.code == 1
    assert "cannot be read: Bad CRC-32" in " ".join(done.err.split())


def test_a_path_without_an_export_says_what_is_there(aeon, tmp_path):
    (tmp_path / "users.json").write_text("{}", "utf-8")
    for path, reason in ((tmp_path, "its JSON files: users.json"), (tmp_path / "no.json", "cannot be read")):
        refused = aeon("conversation", "import", path)
        assert refused.code == 2
        assert reason in " ".join(refused.err.split())


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_what_may_never_end_is_refused_before_it_is_read(aeon, tmp_path, kind):
    path = Path("/dev/null") if kind == "device" else tmp_path / "pipe"
    if kind == "pipe":
        os.mkfifo(path)
    refused = aeon("conversation", "import", path)
    assert (refused.code, refused.out) == (2, "")
    assert "is a device, a pipe or a socket" in " ".join(refused.err.split())


def test_an_import_that_is_stopped_keeps_what_came_and_goes_on_later_platform_27(tmp_path):
    with Project.open(tmp_path) as project:
        transfer = project.conversations.transfer
        outcomes = transfer.import_files([DATA / "chatgpt.json"])
        assert next(outcomes).state == "new"
        outcomes.close()
        states = [each.state for each in transfer.import_files([DATA / "chatgpt.json"])]
        assert states == ["present", "new", "new"]


def test_an_export_of_all_imports_to_the_same_export_platform_27(aeon, tmp_path):
    aeon("conversation", "import", DATA / "chatgpt.json", DATA / "open_webui.json")
    wrote = aeon("conversation", "export", "--all", "--to", tmp_path / "all.json")
    assert (wrote.code, wrote.out) == (0, "")
    again = aeon("conversation", "import", tmp_path / "all.json", "--user", "eve", "--json")
    assert (again.code, again.json["imported"], again.json["formats"]) == (0, 5, {"aeon": 5})
    exports = [
        json.loads((tmp_path / "all.json").read_text()),
        aeon("conversation", "export", "--all", "--user", "eve").json,
    ]
    plain = [re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", json.dumps(each, sort_keys=True)) for each in exports]
    assert sorted(plain[0]) == sorted(plain[1])  # turns of one depth are in the order of their ids
    here = aeon("conversation", "import", tmp_path / "all.json", "--json").json
    assert here["alreadyThere"] == 5


def test_a_file_is_never_overwritten_unless_asked(aeon, tmp_path):
    aeon("conversation", "import", DATA / "claude.json")
    target = tmp_path / "mine.json"
    target.write_text("mine", "utf-8")
    refused = aeon("conversation", "export", "--all", "--to", target)
    assert refused.code == 2
    assert "exists already" in " ".join(refused.err.split())
    assert target.read_text("utf-8") == "mine"
    assert aeon("conversation", "export", "--all", "--to", target, "--force").code == 0
    assert len(json.loads(target.read_text("utf-8"))) == 3
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".aeon-export")] == []


@pytest.mark.parametrize(
    "argv", [[], ["last", "--all"], ["last", "--branches", "path"], ["last", "--to", "no/such/folder/x"]]
)
def test_an_export_of_what_is_not_clear_says_what_to_do(aeon, argv):
    aeon("conversation", "import", DATA / "claude.json")
    refused = aeon("conversation", "export", *argv)
    assert (refused.code, refused.out) == (2, "")
    assert "next:" in refused.err


def test_an_export_of_nothing_is_an_empty_list(aeon):
    assert aeon("conversation", "export", "--all").json == []


def exported(aeon, title, *argv):
    id_ = next(each["id"] for each in aeon("conversation", "list", "--json").json if each["title"] == title)
    return aeon("conversation", "export", id_, "--format", "markdown", *argv).out


def headings(text):
    return [line for line in text.splitlines() if line.startswith("#")]


def test_markdown_of_the_path_says_which_messages_have_alternatives(aeon):
    aeon("conversation", "import", DATA / "chatgpt.json")
    text = exported(aeon, "Flour for guests")
    assert [line.partition(" · ")[0] for line in headings(text)] == [
        "# Flour for guests",
        "### [1] System",
        "### [2] System",
        "### [3] User",
        "### [4] Assistant",
    ]
    assert "### [3] User · 2023-11-14T22:13:25.000000+00:00 (2 of 2)\n\n> How much flour for 6 guests?\n" in text


def test_markdown_of_all_branches_has_every_message_once(aeon):
    aeon("conversation", "import", DATA / "chatgpt.json")
    text = exported(aeon, "Flour for guests", "--branches", "all")
    assert [line.partition(" · ")[0] for line in headings(text)][5:] == [
        "## Branch 2: another continuation of [2]",
        "### [5] User",
        "### [6] Assistant",
        "### [7] User",
        "### [8] Assistant",
        "## Branch 3: another continuation of [3]",
        "### [9] Assistant",
    ]


def test_markdown_calls_an_imported_message_by_its_own_role_as_the_tree_does(aeon, chatgpt, tmp_path):
    """A message whose parent is missing stands in a turn of the system, whoever said it."""
    chatgpt[0]["mapping"]["lost"] = {
        "id": "lost",
        "parent": "gone",
        "children": [],
        "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Who said this?"]}},
    }
    (tmp_path / "x.json").write_text(json.dumps(chatgpt[:1]), "utf-8")
    aeon("conversation", "import", tmp_path / "x.json")
    lines = exported(aeon, "Flour for guests", "--branches", "all").splitlines()
    above = lines[lines.index("> Who said this?") - 2]
    assert "] User ·" in above


def test_a_message_that_looks_like_markdown_is_no_part_of_the_document(aeon, chatgpt, tmp_path):
    aeon("conversation", "import", DATA / "chatgpt.json")
    chatgpt[0]["mapping"]["a3"]["message"]["content"]["parts"] = ["# No heading\r```\n---\n<!--\n\n## None either"]
    chatgpt[0] |= {"conversation_id": "other", "title": "# A *title* <b>\n[x](y)"}
    (tmp_path / "x.json").write_text(json.dumps(chatgpt[:1]), "utf-8")
    aeon("conversation", "import", tmp_path / "x.json")
    text = exported(aeon, "# A *title* <b> [x](y)")
    assert headings(text)[0] == r"# \# A \*title\* \<b\> \[x\]\(y\)"
    assert len(headings(text)) == 5
    assert text.endswith("> # No heading\n> ```\n> ---\n> <!--\n>\n> ## None either\n")


def test_an_imported_conversation_goes_on(aeon, double):
    server = double("1 kg.")
    aeon("conversation", "import", DATA / "chatgpt.json")
    id_ = next(
        each["id"] for each in aeon("conversation", "list", "--json").json if each["title"] == "Flour for guests"
    )
    assert aeon("chat", "And for 8?", "-c", id_).out == "1 kg.\n"
    sent = [each["content"] for each in server.requests[-1].body["messages"]][1:]
    assert sent == ["How much flour for 6 guests?", "750 g.", "And for 8?"]
    shown = aeon("conversation", "show", id_).out
    assert [line for line in shown.splitlines() if line.startswith("[")] == [
        "[1] system:",
        "[2] system (hidden):",
        "[3] you (2 of 2):",
        "[4] answer (2 of 2):",
        "[5] you:",
        "[6] answer:",
    ]


@pytest.mark.slow
def test_a_terminal_sees_how_far_it_is(terminal):
    code, screen = terminal("conversation", "import", DATA / "chatgpt.json")
    assert code == 0, screen
    assert "3 conversations" in screen


def test_ten_thousand_conversations_are_counted_in_a_report_that_does_not_grow(tmp_path):
    with Project.open(tmp_path) as project:
        (tmp_path / "many.json").write_text("[" + ",".join(['{"mapping": 1}'] * 10_000) + "]", "utf-8")
        report = ImportReport()
        for outcome in project.conversations.transfer.import_files([tmp_path / "many.json"]):
            report.add(outcome)
    assert (report.states["failed"], len(report.failed)) == (10_000, 1_000)


MANY = size_of("AEON_IMPORTS", in_ci=400)
"""Conversations of twelve messages; 10,000 before a release."""


def claude_export(file, conversations):
    """Writes an export of so many conversations, each of 12 messages of 1,500 characters."""
    with file.open("w") as out:
        for number in range(conversations):
            messages = [
                {
                    "uuid": f"{number}-{place}",
                    "sender": ("human", "assistant")[place % 2],
                    "text": f"{number} {place} " + "word " * 300,
                    "created_at": "2026-01-01T00:00:00Z",
                }
                for place in range(12)
            ]
            talk = {"uuid": f"c{number}", "name": f"Talk {number}", "created_at": "2026-01-01T00:00:00Z"}
            out.write(("," if number else "[") + json.dumps({**talk, "chat_messages": messages}))
        out.write("]")


def peak_of_import(folder, conversations):
    """The largest memory in MB of `aeon conversation import` of an export in a new folder."""
    folder.mkdir()
    claude_export(folder / "export.json", conversations)
    command = [sys.executable, "-m", "aeon", "conversation", "import", "export.json", "--json"]
    with (folder / "report.json").open("w") as report:
        process = subprocess.Popen(command, cwd=folder, stdout=report, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert json.loads((folder / "report.json").read_text())["imported"] == conversations
    return used.ru_maxrss // 1024


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_more_conversations_take_no_more_memory_platform_27(tmp_path):
    few, many = peak_of_import(tmp_path / "few", MANY // 8), peak_of_import(tmp_path / "many", MANY)
    print_counts(f"{MANY // 8} conversations: {few} MB; {MANY}: {many} MB")
    assert many - few <= 12


def test_the_test_files_are_read_from_a_copy_without_a_name_of_their_own(aeon, tmp_path):
    shutil.copy(DATA / "claude.json", tmp_path / "any name.txt")
    assert aeon("conversation", "import", tmp_path / "any name.txt", "--format", "claude").code == 0
    refused = aeon("conversation", "import", tmp_path / "any name.txt", "--format", "chatgpt", "--json")
    assert (refused.code, refused.json["failed"]) == (1, 3)


def test_a_conversation_that_was_erased_is_not_imported_again_and_the_report_says_why(aeon, double):
    """It was counted as already there, and shown as erased."""
    double("Hello.")
    assert aeon("chat", "Good morning").code == 0
    assert aeon("conversation", "export", "last", "--to", "kept.json").code == 0
    assert aeon("conversation", "forget", "last", "--yes").code == 0
    ended = aeon("conversation", "import", "kept.json")
    assert "not brought back, because you erased them: 1" in ended.out
    assert "already there" not in ended.out
    report = aeon("conversation", "import", "kept.json", "--json").json
    assert (report["imported"], report["alreadyThere"], report["erased"]) == (0, 0, 1)
