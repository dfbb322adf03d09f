"""The description of the REST API: valid, whole, and true: a program that is not ours tries every operation of it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

REFUSALS = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 428, 429]
"""How invalid data may be refused: also as too large, before they are looked at (413)."""

KEPT = Path(__file__).parents[3] / "docs" / "openapi.json"


def test_the_description_in_the_repository_is_that_of_the_code(site):
    """Whoever changes the API sees it in the difference of this file: python docs/make_openapi.py."""
    assert json.loads(KEPT.read_text("utf-8")) == site.client().get("/api/v1/openapi.json").json()


def test_every_operation_has_words_an_id_of_its_own_and_the_problems(site):
    described = site.client().get("/api/v1/openapi.json").json()
    operations = [each for path in described["paths"].values() for each in path.values()]
    assert described["openapi"].startswith("3.1")
    assert len({each["operationId"] for each in operations}) == len(operations) > 80
    for each in operations:
        assert each.get("description"), each["operationId"]
        assert "default" in each["responses"], each["operationId"]
        assert not re.search(r"\ba [aeio]", each["summary"]), each["summary"]


@pytest.mark.slow
@pytest.mark.server
@pytest.mark.timeout(600)
def test_a_program_that_tries_everything_finds_no_fault(site, tmp_path):
    """No status 500, nothing accepted that the schema refuses, no answer of another form (schemathesis).

    Each bound of each field, random requests, and walks along the links of the description. That data which fit the
    schema are accepted is not checked: there are rules that no schema can say.
    """
    (tmp_path / "schemathesis.toml").write_text(f"[checks.negative_data_rejection]\nexpected-statuses = {REFUSALS}\n")
    told = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"http://{site.address}/api/v1/openapi.json"),
            *("-H", f"Authorization: Bearer {site.token()}", "--max-examples", "3", "--seed", "1", "--workers", "2"),
            *("--exclude-checks", "positive_data_acceptance"),
            *(
                "--exclude-path-regex",
                "events$|/session$|tools/health|/tokens/",
                "--phases",
                "fuzzing,coverage,stateful",
            ),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
    )
    assert told.returncode == 0, told.stdout[-6000:]
