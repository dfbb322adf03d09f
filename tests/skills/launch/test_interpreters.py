"""Which program runs a script: shebang, then suffix, exec bit or not (skills 9)."""

import sys

import pytest

from aeon.base.errors import SkillError
from aeon.skills.launch.interpreters import has_interpreter, interpreter_for


@pytest.fixture
def programs(tmp_path):
    """A PATH with these programs and no others."""
    place = tmp_path / "bin"
    place.mkdir()

    def made(*names):
        for name in names:
            (place / name).touch(mode=0o755)
        return str(place)

    return made


@pytest.mark.parametrize(
    ("name", "text", "there", "command"),
    [
        ("a.py", "", [], (sys.executable, "-s", "-B")),
        ("a", "#!/usr/bin/env python3\n", [], (sys.executable, "-s", "-B")),
        ("a", "#!/opt/python3.12 -u\n", [], (sys.executable, "-s", "-B", "-u")),
        ("a.sh", "", ["bash", "sh"], ("bash",)),
        ("a.sh", "", ["sh"], ("sh",)),
        ("a.SH", "", ["sh"], ("sh",)),
        ("a.sh", "#!/nowhere/zsh -e\r\n", ["zsh", "bash"], ("zsh", "-e")),
        ("a.sh", "#!/nowhere/zsh\n", ["bash"], ("bash",)),
        ("a.py", "#!/usr/bin/env -S uv run --script\n", ["uv"], (sys.executable, "-s", "-B")),
        ("a.py", "#!/usr/bin/env -S uv run --script\n", [], (sys.executable, "-s", "-B")),
        ("a.mjs", "", ["node"], ("node",)),
        ("a.ts", "", ["deno"], ("deno", "run", "--allow-all")),
        ("a.rb", "", ["ruby"], ("ruby",)),
        ("a.pl", "", ["perl"], ("perl",)),
        ("a.ps1", "", ["pwsh"], ("pwsh", "-NoProfile", "-NonInteractive", "-File")),
        ("a", "#!./evil.sh\n", ["evil.sh"], ("evil.sh",)),
    ],
)
def test_the_shebang_says_then_the_suffix(tmp_path, programs, name, text, there, command):
    """Skills 9."""
    path = tmp_path / name
    path.write_text(text)
    place = programs(*there)
    found = interpreter_for(path, place)

    assert (found[0].removeprefix(f"{place}/"), *found[1:]) == command
    assert has_interpreter(path)


def test_a_missing_interpreter_is_named(tmp_path, programs):
    path = tmp_path / "a.ts"
    path.touch()
    with pytest.raises(SkillError, match=r"needs tsx or bun or deno, which is not installed. Install tsx"):
        interpreter_for(path, programs())


@pytest.mark.parametrize("data", [b"", b"text", b"\0\1\2", b"#!", b"#!\n", b"#!'unclosed\n", b"#!/usr/bin/env\n"])
def test_a_file_of_no_known_kind_says_so(tmp_path, data):
    path = tmp_path / "a.bin"
    path.write_bytes(data)

    assert not has_interpreter(path)
    with pytest.raises(SkillError, match="No interpreter is known"):
        interpreter_for(path, "/bin")


def test_a_program_of_its_own_needs_none(tmp_path):
    path = tmp_path / "tool"
    path.write_bytes(b"\x7fELF")
    path.chmod(0o755)
    assert interpreter_for(path, "/bin") == ()
