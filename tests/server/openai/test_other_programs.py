"""Programs that are not ours, and their very requests: `llm`, and what Open WebUI sends."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ONE = "Flour, eggs, milk and a pinch of salt."
TWO = "Three times of everything."

OPEN_WEBUI = {
    "models": ("GET", "/v1/models", None),
    "chat": (
        "POST",
        "/v1/chat/completions",
        {
            "stream": True,
            "model": "chat",
            "messages": [
                {"role": "system", "content": "You are helpful."},
                {"role": "user", "content": "What do pancakes need?"},
            ],
            "stream_options": {"include_usage": True},
        },
    ),
    "title": (
        "POST",
        "/v1/chat/completions",
        {
            "model": "chat",
            "messages": [{"role": "user", "content": "### Task:\nGenerate a concise, 3-5 word title."}],
            "stream": False,
            "max_completion_tokens": 1000,
        },
    ),
    "tags": (
        "POST",
        "/v1/chat/completions",
        {
            "model": "chat",
            "messages": [{"role": "user", "content": "### Task:\nGenerate 1-3 broad tags."}],
            "stream": False,
        },
    ),
}
"""What Open WebUI sends to an address for the OpenAI protocol: its list of models, a message, and its own tasks.

After backend/open_webui/routers/openai.py and tasks.py of its public source, November 2026.
"""


@pytest.fixture
def llm(tmp_path):
    """`llm(site, *argv)`: the command of the package `llm`, which knows the served project as the model `pancakes`."""

    def command(site, *argv):
        folder = tmp_path / "llm"
        folder.mkdir(exist_ok=True)
        address = f"http://{site.address}/v1"
        model = {"model_id": "pancakes", "model_name": "chat", "api_base": address, "api_key_name": "aeon"}
        (folder / "extra-openai-models.yaml").write_text(json.dumps([model]))
        (folder / "keys.json").write_text(json.dumps({"aeon": site.token()}))
        run = subprocess.run(
            [Path(sys.executable).with_name("llm"), "-m", "pancakes", *argv],
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LLM_USER_PATH": str(folder)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        return run.stdout.strip()

    return command


@pytest.mark.slow
def test_the_command_llm_talks_goes_on_and_sets_limits(serve, llm):
    site = serve(ONE, TWO, ONE)
    assert llm(site, "What do pancakes need?", "-s", "Be brief.") == ONE
    assert llm(site, "-c", "And for twelve?") == TWO
    assert llm(site, "--no-stream", "-o", "temperature", "0.5", "-o", "max_tokens", "7", "Again, please") == ONE
    first, second, third = site.model.requests
    assert (first.system_prompt, first.prompt) == ("Be brief.", "What do pancakes need?")
    assert [each.text for each in second.history] == ["What do pancakes need?", ONE]
    assert (third.temperature, third.max_tokens) == (0.5, 7)


@pytest.mark.parametrize("name", OPEN_WEBUI)
def test_what_open_webui_sends_is_answered(serve, name):
    method, path, body = OPEN_WEBUI[name]
    site = serve(ONE)
    forwarded = {"x-openwebui-user-name": "Ada", "x-openwebui-user-id": "1", "x-openwebui-user-role": "admin"}
    answer = site.client("me").request(method, path, json=body, headers=forwarded)
    assert answer.status_code == 200, answer.text
    if name == "models":
        assert answer.json()["data"][0]["id"] == "chat"
    elif name == "chat":
        chunks = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
        texts = [choice["delta"].get("content", "") for each in chunks for choice in each["choices"]]
        assert ("".join(texts), "usage" in chunks[-1]) == (ONE, True)
        assert answer.text.rstrip().endswith("data: [DONE]")
    else:
        assert answer.json()["choices"][0]["message"]["content"] == ONE
