"""The skill storyteller, against a small server that speaks OpenAI's protocol on a unix socket."""

import json
import socketserver
import tempfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # a process for each test


class Model:
    """Answers every completion with one reply, and keeps what it was asked."""

    def __init__(self, folder: str) -> None:
        self.socket = Path(folder) / "model"
        self.asked: list[dict] = []
        self.status = 200
        self.reply: object = None

    def says(self, content, finish_reason="stop"):
        self.reply = {
            "choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": finish_reason}]
        }
        return self

    @property
    def env(self):
        return {"AEON_MODEL_SOCKET": str(self.socket), "AEON_MODEL_TOKEN": "a-token"}

    @property
    def prompt(self) -> str:
        return self.asked[-1]["messages"][-1]["content"]


@contextmanager
def served(model: Model):
    class Answer(BaseHTTPRequestHandler):
        def address_string(self):
            return "socket"

        def log_message(self, *args):
            pass

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            is_right = self.path == "/v1/chat/completions" and self.headers["Authorization"] == "Bearer a-token"
            model.asked.append(body)
            reply = model.reply if isinstance(model.reply, bytes) else json.dumps(model.reply).encode()
            self.send_response(model.status if is_right else 401)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

    with socketserver.UnixStreamServer(str(model.socket), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield
        server.shutdown()
        thread.join()


@pytest.fixture
def model():
    # A socket's path may have some 100 bytes only, which tmp_path can be longer than.
    with tempfile.TemporaryDirectory(prefix="aeon-") as folder:
        model = Model(folder)
        with served(model):
            yield model


def narrate(skills, model, given=None, **config):
    return skills.run("storyteller", "narrate", given or {"prompt": "The door opens."}, config, model.env)


def test_the_models_answer_becomes_the_narrative(skills, model):
    run = narrate(skills, model.says("  The door sighs open.  "))
    assert run.output == {"narrative": "The door sighs open."}
    assert run.summary == "Told in 4 words."


def test_the_configuration_says_how_to_tell(skills, model):
    narrate(skills, model.says("So."), tone="grim", language="Dutch", maxWords=100)
    system = model.asked[0]["messages"][0]["content"]
    assert "Tone: grim. Language: Dutch. At most 40 words." in system
    narrate(skills, model, {"prompt": "x", "length": "medium"}, maxWords=100)
    assert "At most 100 words." in model.asked[1]["messages"][0]["content"]
    assert model.asked[1]["max_tokens"] > model.asked[0]["max_tokens"]


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        ("Rain.", "Rain."),
        (17, "17"),
        ({"dice": {"total": 17}}, '{"dice": {"total": 17}}'),
        (["ä", None], '["ä", null]'),
    ],
)
def test_facts_of_any_kind_are_shown_to_the_model_skills_5(skills, model, facts, shown):
    narrate(skills, model.says("So."), {"prompt": "Tell.", "facts": facts})
    assert model.prompt == f"What happens next: Tell.\n\nFacts:\n{shown}"


def test_facts_are_cut_and_it_says_so(skills, model):
    run = narrate(skills, model.says("So."), {"prompt": "x", "facts": ["a" * 1000] * 10})
    assert len(model.prompt) < 4100
    assert "cut to their first 4000 characters" in run.logged


def test_a_story_that_was_cut_off_ends_at_its_last_whole_sentence(skills, model):
    run = narrate(skills, model.says('It rained. "Run!" he cried. They ran 3.5 miles and th', "length"))
    assert run.output["narrative"] == 'It rained. "Run!" he cried.'
    assert "cut to its last whole sentence" in run.logged


def test_a_sentence_that_only_echoes_the_one_before_is_left_out_and_it_says_so(skills, model):
    run = narrate(skills, model.says("It rained. You look. You look. You look. It rained. The end"))
    assert run.output["narrative"] == "It rained. You look. It rained. The end"
    assert "2 sentences were left out" in run.logged


def test_a_story_cut_off_in_its_first_sentence_is_none(skills, model):
    assert "raise maxWords" in narrate(skills, model.says("It rained and", "length")).error


@pytest.mark.parametrize(
    ("status", "reply", "said"),
    [
        (
            429,
            {"error": {"message": "budget spent"}},
            "model_refused: The model answered with status 429: budget spent",
        ),
        (500, b"<html>", "status 500: no reason given"),
        (200, b"\xff", "model_answer"),
        (200, {"choices": []}, "model_answer"),
        (200, {"choices": [{"message": {"content": "  "}}]}, "empty_answer"),
        (200, {"choices": [{"message": {"content": None}}]}, "empty_answer"),
        (200, b'"' + b"a" * 1_100_000 + b'"', "larger than 1048576 bytes"),
    ],
)
def test_an_answer_that_is_no_story_is_a_controlled_failure_skills_3(skills, model, status, reply, said):
    model.status, model.reply = status, reply
    assert said in narrate(skills, model).error


def test_without_a_model_it_says_so(skills, model):
    assert skills.run("storyteller", "narrate", {"prompt": "x"}).error.startswith("no_model: ")
    gone = {**model.env, "AEON_MODEL_SOCKET": str(model.socket) + "-gone"}
    assert skills.run("storyteller", "narrate", {"prompt": "x"}, {}, gone).error.startswith("no_model: ")


def test_half_a_surrogate_pair_in_the_prompt_breaks_nothing(skills, model):
    assert narrate(skills, model.says("So \ud800."), {"prompt": "x \ud800"}).output == {"narrative": "So \ud800."}
