"""`aeon run --image`: the model sees the bytes, the log says what it saw, and a resumed run needs the same."""

import base64
import hashlib
import json
from pathlib import Path

import pytest

from aeon.testing.wire_double import WireDouble

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
URL = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
SAW = f"Image dot.png, {len(PNG)} bytes, sha256 {hashlib.sha256(PNG).hexdigest()}"


def said(ended) -> str:
    assert "Traceback" not in ended.err
    return " ".join(ended.err.split())


def content_of(request):
    """The parts of the user's message."""
    return request.body["messages"][-1]["content"]


@pytest.fixture
def dot() -> Path:
    path = Path("dot.png")
    path.write_bytes(PNG)
    return path


def test_the_model_sees_the_image_and_the_log_says_what_it_saw(aeon, double, dot):
    server = double("A dot.")
    ended = aeon("run", "What is this?", "--image", dot, "--log", "run.jsonl")
    assert (ended.code, ended.out) == (0, "A dot.\n")
    (request,) = server.requests
    assert content_of(request)[0] == {"type": "image_url", "image_url": {"url": URL}}
    assert (
        SAW
        in aeon("log", "show", "run.jsonl", "-o", "json").json["entries"][0]["plan_state"]["steps"][0]["description"]
    )
    assert aeon("log", "replay", "run.jsonl").code == 0


def test_anthropic_s_wire_carries_it_too(aeon, monkeypatch, dot):
    with WireDouble(["A dot."], profile="anthropic") as server:
        for name, value in {"BASE_URL": server.base_url, "NAME": "scripted", "PROVIDER": "anthropic"}.items():
            monkeypatch.setenv(f"AEON_MODEL_{name}", value)
        assert aeon("run", "What is this?", "--image", dot).code == 0
        assert content_of(server.requests[0])[0]["source"]["data"] == base64.b64encode(PNG).decode()


def test_texts_are_the_material_of_a_request_about_images(aeon, double, dot):
    server = double("A dot of tea.")
    Path("a.md").write_text("# tea")
    ended = aeon("run", "What is this?", "--image", dot, "--file", "a.md")
    assert ended.code == 0, ended.err
    image, text = content_of(server.requests[0])
    assert (image["image_url"]["url"], "# tea" in text["text"]) == (URL, True)


def test_several_images_are_shown_in_their_order(aeon, double, dot):
    server = double("Two.")
    Path("other.gif").write_bytes(b"GIF89a" + bytes(8))
    assert aeon("run", "What are these?", "--image", dot, "--image", "other.gif").code == 0
    kinds = [part["type"] for part in content_of(server.requests[0])]
    assert kinds == ["image_url", "image_url", "text"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(11_000_000), "has more than 10 MiB"),
        (b"a text", "is not a supported image"),
        (None, "is not a file"),
    ],
    ids=["of 11 MB", "a text", "missing"],
)
def test_what_is_no_image_is_code_2_before_anything_runs(aeon, double, content, why):
    server = double()
    if content is not None:
        Path("bad.png").write_bytes(content)
    ended = aeon("run", "What is this?", "--image", "bad.png")
    assert (ended.code, ended.out, why in said(ended)) == (2, "", True)
    assert (server.requests, Path(".aeon").exists()) == ([], False)


def test_the_embedded_model_refuses_and_says_what_to_do(aeon, dot):
    ended = aeon("run", "What is this?", "--image", dot, "--model", "tiny", "--no-input")
    assert (ended.code, "cannot see images" in said(ended)) == (2, True)
    assert "AEON_MODEL_BASE_URL" in said(ended)


def test_a_plan_takes_no_images(aeon, plan_file, dot):
    ended = aeon("run", "--plan", plan_file, "--image", dot)
    assert (ended.code, "--image needs a request" in said(ended)) == (2, True)


def test_a_resumed_run_needs_its_images_again(aeon, double, dot):
    server = double("A dot of tea.")
    Path("a.md").write_text("# tea")
    started = aeon("run", "What is this?", "--image", dot, "-f", "a.md", "--ttl", "1", "--log", "run.jsonl")
    assert started.code == 3, started.err
    without = aeon("log", "resume", "run.jsonl", "-f", "a.md")
    assert (without.code, "needed again, unchanged: dot.png" in said(without)) == (2, True)
    assert "--image" in said(without)
    dot.write_bytes(PNG + b"more")
    changed = aeon("log", "resume", "run.jsonl", "-f", "a.md", "--image", dot)
    assert changed.code == 2
    dot.write_bytes(PNG)
    resumed = aeon("log", "resume", "run.jsonl", "-f", "a.md", "--image", dot)
    assert (resumed.code, resumed.out) == (0, "A dot of tea.\n")
    assert content_of(server.requests[0])[0]["image_url"]["url"] == URL


def test_json_has_the_step_that_names_the_image(aeon, double, dot):
    double("A dot.")
    whole = aeon("run", "What is this?", "--image", dot, "--json").json
    assert SAW in json.dumps(whole["plan"])
