"""The compared systems: Aeon's command, the same model asked directly, and the command `llm` with that model."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from questions import Question
from score import Answer
from watch import watch

from aeon.kernel.marks import untrusted_marks
from aeon.llm.adapters.llama_cpp import LlamaCppAdapter
from aeon.llm.interface import LLMRequest
from aeon.memory.sqlite import SQLiteMemory
from aeon.testing.llama_server import LlamaEndpoint, llama_server

System = Callable[[Question], Answer]

LIMIT = 180.0
"""Seconds after which a command is ended, and its answer counts as none."""
_MAX_TOKENS = 512
_CONTEXT = 4096
_SHORT = "Answer shortly. End with the answer itself."
_MODEL_OF_LLM = "local"


@contextmanager
def aeon(name: str, _weights: Path) -> Iterator[System]:
    """The command `aeon run`, as a user has it: a process of its own for each request, in a fresh folder.

    The marks of ownership of these folders are kept in a folder that is removed at the end.
    """

    def ask(question: Question) -> Answer:
        with TemporaryDirectory(prefix="requests-") as place:
            folder = Path(place)
            _fill(folder, question)
            _store(folder, question)
            piped = _piped(question)
            command = [sys.executable, "-m", "aeon", "run", "--json", "--model", name]
            if piped is None:
                command.append("--no-input")  # with it, a text on stdin would be left alone
            if question.file is not None and question.file.given == "option":
                command += ["--file", question.file.name]
            return _watched_aeon([*command, "--", question.request], folder, piped)

    with TemporaryDirectory(prefix="state-") as state, patch.dict(os.environ, {"XDG_STATE_HOME": state}):
        yield ask


def _watched_aeon(command: Sequence[str], folder: Path, piped: str | None) -> Answer:
    seen = watch(command, folder, os.environ, piped, LIMIT)
    try:
        report = json.loads(seen.stdout)
    except ValueError:
        report = {"status": "crashed", "error": {"message": seen.failure or seen.stderr[-500:]}}
    answer = answer_of_report(report)
    answer.seconds, answer.first_output, answer.plan = seen.seconds, seen.first_output, seen.first_line("plan: ")
    return answer


def answer_of_report(report: dict[str, Any]) -> Answer:
    """The answer in what `aeon run --json` prints."""
    untrusted = [mark for _, mark in untrusted_marks(report.get("marks") or {})]
    doubts = [mark for mark in untrusted if not mark.startswith("declined")]
    failure = None
    if report["status"] != "completed":
        failure = str((report.get("error") or {}).get("message") or report["status"])
    return Answer(
        report.get("answer"),
        failure,
        marks=doubts or ([] if report.get("trusted", True) or untrusted else ["not trusted"]),
        is_declined=len(doubts) < len(untrusted),
        tools=[step.get("tool") or "llm" for step in (report.get("plan") or {}).get("steps", [])],
    )


@contextmanager
def direct(_name: str, weights: Path) -> Iterator[System]:
    """The same model in one call, without tools: it is told the stored values and the text of the file."""
    with LlamaCppAdapter(weights, context=_CONTEXT) as model:

        def ask(question: Question) -> Answer:
            start = time.perf_counter()
            firsts: list[float] = []

            def note(_text: str) -> None:
                if not firsts:
                    firsts.append(time.perf_counter() - start)

            file = question.file
            prompt = question.request if file is None else f"{question.request}\n\n{file.name}:\n{file.text}"
            reply = model.complete(LLMRequest(prompt, _told(question), _MAX_TOKENS, 0.0), note)
            seconds = time.perf_counter() - start
            return Answer(reply.text, seconds=seconds, first_output=firsts[0] if firsts else None)

        yield ask


@contextmanager
def llm(_name: str, weights: Path) -> Iterator[System]:
    """The command `llm` with the same model behind llama.cpp's OpenAI-compatible server, and stored values told.

    A file is given as a fragment or on stdin; one that is only named lies in the folder, as it does for Aeon.
    """
    import llm as _installed  # noqa: F401  # its absence is a skip

    with llama_server(weights, context=_CONTEXT) as peer, TemporaryDirectory(prefix="llm-") as home:
        _set_up_llm(Path(home), peer)
        environment = {**os.environ, "LLM_USER_PATH": home}

        def ask(question: Question) -> Answer:
            with TemporaryDirectory(prefix="requests-") as place:
                folder = Path(place)
                _fill(folder, question)
                command = [sys.executable, "-m", "llm", "-m", _MODEL_OF_LLM, "--no-log", "-s", _told(question)]
                command += ["-o", "temperature", "0", "-o", "max_tokens", str(_MAX_TOKENS)]
                if question.file is not None and question.file.given == "option":
                    command += ["-f", question.file.name]
                seen = watch([*command, "--", question.request], folder, environment, _piped(question), LIMIT)
                return Answer(seen.stdout, seen.failure, seconds=seen.seconds, first_output=seen.first_output)

        yield ask


def _set_up_llm(home: Path, peer: LlamaEndpoint) -> None:
    """Tell the command `llm` of the model and its key, in the folder of its settings."""
    model = {"model_id": _MODEL_OF_LLM, "model_name": peer.model, "api_base": peer.base_url, "api_key_name": "local"}
    (home / "extra-openai-models.yaml").write_text(json.dumps([model]))
    keys = home / "keys.json"
    keys.touch(0o600)
    keys.write_text(json.dumps({"local": peer.api_key}))


def _fill(folder: Path, question: Question) -> None:
    if question.file is not None:
        (folder / question.file.name).write_text(question.file.text)


def _store(folder: Path, question: Question) -> None:
    if question.stored:
        memory = SQLiteMemory(folder / ".aeon" / "memory.db")
        for key, value in question.stored.items():
            memory.write(key, value)
        memory.close()


def _piped(question: Question) -> str | None:
    file = question.file
    return file.text if file is not None and file.given == "piped" else None


def _told(question: Question) -> str:
    return f"{_SHORT} Stored values: {dict(question.stored)}" if question.stored else _SHORT


SYSTEMS = {"aeon": aeon, "direct": direct, "llm": llm}
