"""After each test of conversations, the prompt of every answer in the folder's record is made again."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from tests.remade_prompts import remake_prompts

from aeon.application.project import Project
from aeon.base.errors import AeonError
from aeon.bootstrap.platform import open_project_platform
from aeon.cli.conversations.chat import Chat
from aeon.cli.conversations.slash_commands import SlashCommands
from aeon.settings import load_settings


@pytest.fixture(autouse=True)
def remade(request, monkeypatch):
    """`remade()` makes them again now, and returns how many answers there were; it is called after each test, too."""
    del monkeypatch  # which is undone after this: the test's environment and folder are still there

    def remake():
        folder = Path.cwd()
        if not (folder / ".aeon").is_dir() or folder == Path(request.config.rootpath):
            return 0
        loaded = load_settings({}, os.environ, folder)
        with open_project_platform(folder, loaded.settings, os.environ, loaded.from_project) as platform:
            return remake_prompts(platform)

    yield remake
    with suppress(AeonError):  # a folder from elsewhere, or a server that the test has stopped
        remake()


@pytest.fixture
def slash(capsys):
    """`slash(line)`: a command in a chat that goes on with the last conversation; what it prints."""
    with Project.open() as project:
        service = project.conversations
        newest = service.list(limit=1).items
        chat = Chat(service, project.knowledge, newest[0] if newest else None, None)
        commands = SlashCommands(chat)

        def run(line):
            capsys.readouterr()
            draft = commands.run(line)
            told = capsys.readouterr()
            return (draft or "") + told.out + told.err

        yield run
