"""The pages of skills: files and what changed in them, trust, settings without secrets, and a run with its trace."""

import html
import json
import re

import pytest
from tests.server.rest.test_permissions import make_skill
from tests.server.web.test_things import CANARY, HOSTILE, hidden, post, said

pytestmark = pytest.mark.server

ECHO = """#!/bin/sh
read given
printf '{"version": "0", "type": "state_patch", "patch": {"said": {"text": %s}}}\\n' "$given"
echo '{"version": "0", "type": "done", "ok": true, "summary": "said it"}'
"""

SCHEMA = {
    "type": "object",
    "properties": {
        "tone": {"type": "string", "default": "warm", "description": "How it speaks."},
        "words": {"type": "integer", "minimum": 1},
        "token": {"type": "string", "writeOnly": True},
    },
    "additionalProperties": False,
}


def make_echo(folder):
    """A skill of the project with typed inputs, settings and two files."""
    make_skill(folder, ECHO)
    manifest = json.loads((folder / "skill.json").read_text())
    schema = {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}}}
    manifest["scripts"][0]["inputSchema"] = schema
    (folder / "config-schema.json").write_text(json.dumps(SCHEMA))
    manifest["capabilities"] = ["network"]
    (folder / "skill.json").write_text(json.dumps(manifest))


@pytest.fixture
def folder(site):
    """The folder of the project's skill `greeter`."""
    found = site.folder / "skills" / "greeter"
    make_echo(found)
    return found


@pytest.fixture
def me(site, folder):
    """A signed-in browser of the folder's owner."""
    return site.browser("me")


def trust(me, name="greeter"):
    return post(me, f"/skills/{name}/trust", digest=hidden(me.get(f"/skills/{name}"), "digest"))


def test_skills_are_listed_with_what_they_do_and_why_one_cannot_be_used(me):
    shown = said(me.get("/skills"))
    assert "greeter 1.0.0 from the project it is not trusted Greets." in shown
    assert "dice-roller" in shown


def test_a_skill_is_shown_with_its_files_before_it_is_trusted_skills_15(me):
    answer = me.get("/skills/greeter")
    shown = said(answer)
    assert "scripts/speaks.sh" in shown
    assert "It asks for: the network It is granted: nothing beyond its own folder" in shown
    assert "It runs once you trust the skill." in shown
    link = re.search(r'href="(/skills/greeter/file[^"]*speaks[^"]*)"', answer.text)[1]
    assert "said it" in said(me.get(html.unescape(link)))
    for path in ("../../aeon.toml", "/etc/passwd", "scripts/../skill.json", "data/x"):
        assert me.get("/skills/greeter/file", params={"path": path}).status_code == 404, path
    assert me.get("/skills/nothing").status_code == 404


def test_trust_is_for_the_files_that_were_shown_and_says_what_changed_since_skills_15(me, folder):
    digest = hidden(me.get("/skills/greeter"), "digest")
    (folder / "scripts" / "speaks.sh").write_text(ECHO + "# more\n")
    refused = post(me, "/skills/greeter/trust", digest=digest)
    assert (refused.status_code, "changed since you looked at them" in said(refused)) == (409, True)
    assert trust(me).status_code == 303
    shown = said(me.get("/skills/greeter"))
    assert "You trust it with its current files." in shown
    assert "It is granted: the network" in shown
    (folder / "scripts" / "speaks.sh").write_text(ECHO)
    (folder / "notes.txt").write_text("Something new.")
    (folder / "skill.json").write_text((folder / "skill.json").read_text() + "\n")
    shown = said(me.get("/skills/greeter"))
    assert re.search(r"notes\.txt \w+ new since you trusted it", shown)
    assert re.search(r"speaks\.sh \w+ changed since you trusted it", shown)
    trust(me)
    (folder / "notes.txt").unlink()
    assert "notes.txt removed since you trusted it" in said(me.get("/skills/greeter"))
    trust(me)
    assert post(me, "/skills/greeter/distrust").status_code == 303
    assert "have not trusted its current files" in said(me.get("/skills/greeter"))


def test_trust_of_an_earlier_version_knows_no_single_files(me, folder, site):
    trust(me)
    (kept,) = [each for each in (site.folder / "state").rglob("*-*") if '"skill":"greeter"' in each.read_text()]
    earlier = json.loads(kept.read_text())
    assert set(earlier.pop("files")) == {"config-schema.json", "scripts/speaks.sh", "skill.json"}
    kept.write_text(json.dumps(earlier))
    assert "You trust it with its current files." in said(me.get("/skills/greeter"))
    (folder / "notes.txt").write_text("Something new.")
    assert "since you trusted it" not in said(me.get("/skills/greeter"))


def test_a_script_runs_by_a_form_of_its_inputs_and_its_trace_is_shown(me):
    run = "/skills/greeter/scripts/speaks/run"
    refused = post(me, run, **{"in.size": "3"})
    assert (refused.status_code, "have not trusted its current files" in said(refused)) == (409, True)
    trust(me)
    assert "It is not a whole number." in said(post(me, run, **{"in.size": "many"}))
    done = post(me, run, **{"in.size": "3"})
    assert done.status_code == 200
    shown = said(done)
    assert "completed" in shown
    assert re.search(r'What it left \{ "said": \{ "text": \{.*"size": 3', shown)
    assert post(me, "/skills/greeter/scripts/nothing/run").status_code == 404


def test_a_script_without_a_schema_gets_arguments_a_line_each(me, site):
    assert me.get("/skills/lister").status_code == 404
    plain = site.folder / "skills" / "lister"
    (plain / "scripts").mkdir(parents=True)
    (plain / "SKILL.md").write_text("---\nname: lister\ndescription: Lists.\n---\nList them.\n")
    (plain / "scripts" / "list.sh").write_text('#!/bin/sh\nfor each in "$@"; do echo "<$each>"; done\n')
    assert post(me, "/skills/reload").status_code == 303
    assert "List them." in said(me.get("/skills/lister"))
    trust(me, "lister")
    done = said(post(me, "/skills/lister/scripts/list/run", **{"in.arguments": "one two\r\nthree"}))
    assert re.search(r"<one two>.*<three>", done)


def test_settings_are_changed_by_a_form_and_secrets_are_never_shown_skills_10(me, site):
    shown = me.get("/skills/greeter")
    assert "How it speaks." in said(shown)
    assert "default: warm" in said(shown)
    wrong = post(me, "/skills/greeter/settings", **{"in.words": "0", "in.tone": "dry", "in.token": CANARY})
    assert wrong.status_code == 422
    assert 'id="config-2-1-fault"' in wrong.text
    assert 'value="0"' in wrong.text
    assert CANARY not in wrong.text
    saved = post(me, "/skills/greeter/settings", **{"in.words": "7", "in.tone": "", "in.token": CANARY})
    assert saved.headers["location"] == "/skills/greeter#settings"
    shown = me.get("/skills/greeter")
    assert 'value="7"' in shown.text
    assert "It is set. Leave the field empty to keep it." in said(shown)
    assert CANARY not in shown.text
    post(me, "/skills/greeter/settings", **{"in.words": "8", "in.tone": "", "in.token": ""})
    (kept,) = list(site.folder.rglob("config.json"))
    assert json.loads(kept.read_text()) == {"words": 8, "token": CANARY}


def test_hostile_names_of_files_and_descriptions_are_text(me, folder):
    manifest = json.loads((folder / "skill.json").read_text())
    manifest["description"] = HOSTILE
    (folder / "skill.json").write_text(json.dumps(manifest))
    (folder / "<img src=x onerror=alert(1)>").write_text("x")
    post(me, "/skills/reload")
    for path in ("/skills", "/skills/greeter"):
        assert "<img src=x" not in me.get(path).text, path


def test_only_the_folders_owner_sees_and_runs_skills_platform_31(site, folder):
    eve = site.browser("eve")
    assert eve.get("/skills").status_code == 403
    assert post(eve, "/skills/greeter/scripts/speaks/run", **{"in.size": "3"}).status_code == 403
