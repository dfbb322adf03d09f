"""The program of the how-to finds what is known, on a server of its own (style 15)."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from .conftest import Watched

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "use-graphiti.md"


@pytest.mark.server
def test_the_program_of_the_howto_finds_a_fact(store, falkordb_server, monkeypatch):
    falkordb_server.clear()
    watched = Watched(store, falkordb_server)
    watched.tell("Tove lives in Linz.", "Ida plays the oboe.")
    watched.sync()
    monkeypatch.setenv("GROUP", watched.group)
    monkeypatch.setenv("PORT", str(falkordb_server.port))
    monkeypatch.setenv("GRAPH_WORD", falkordb_server.password)
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    (program,) = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    with contextlib.redirect_stdout(io.StringIO()) as told:
        exec(compile(program, str(PAGE), "exec"), {})  # noqa: S102  # what a reader would run
    assert told.getvalue() == "['Tove lives in Linz.']\n"
