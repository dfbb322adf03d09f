"""What REST refuses rather than ignore or fail at: keys that it would not heed, and texts that no store keeps."""

import pytest

pytestmark = pytest.mark.server

KEY = {"idempotency-key": "first"}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("tokens", {"name": "laptop"}),
        ("tools/nothing/call", {"arguments": {}}),
        ("skills/dice-roller/scripts/roll/run", {"input": {"dice": "d6"}}),
    ],
)
def test_what_is_done_each_time_takes_no_idempotency_key_platform_20(site, path, body):
    """A repeated request made a second token, and called the tool a second time, as if it had no key."""
    client = site.client("me")
    before = client.get("/api/v1/tokens").json()["data"]
    refused = client.post(f"/api/v1/{path}", json=body, headers=KEY)
    assert (refused.status_code, "takes no Idempotency-Key" in refused.json()["detail"]) == (422, True)
    assert client.get("/api/v1/tokens").json()["data"] == before


@pytest.mark.parametrize("path", ["knowledge/entities", "users"])
def test_a_nul_character_is_wrong_input_and_no_failure_of_the_server(site, path):
    refused = site.client("me").post(f"/api/v1/{path}", json={"name": "a\0b"})
    assert refused.status_code == 422, refused.text
    assert "NUL character" in refused.json()["detail"]
