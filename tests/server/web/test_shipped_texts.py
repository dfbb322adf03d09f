"""The descriptions of what Aeon ships: each has a German text, which the German pages show."""

import re
from types import SimpleNamespace

import pytest
from tests.server.web.test_things import said

from aeon.application.default_catalog import add_defaults
from aeon.application.folder_owner import OwnerServices
from aeon.application.input_fields import fields_of_schema
from aeon.application.project import Project
from aeon.server.web.shipped_texts import SHIPPED_TEXTS, describe
from aeon.testing.llm import ScriptedAdapter

GERMAN = {"accept-language": "de"}
CUT_AT = 300
"""Characters of a description that a list shows."""

PAGES = {
    "/settings": "die SQLite-Datei .aeon/aeon.db",
    "/tools": "Eine kurze Zusammenfassung eines Textes durch das eingestellte Modell.",
    "/tools/my_things": "gefunden wird, was eines davon enthält",
    "/processes": "Schreibt über ein Thema",
    "/processes/reply": "die Kennung der Alternative, die gerade entsteht",
    "/charts": "sum · Läufe des Prozesses, die beendet sind.",
    "/charts?metric=process.runs": "Läufe des Prozesses, die beendet sind.",
    "/skills": "Wirft Würfel und zählt sie zusammen",
    "/skills/dice-roller": "Wirft Würfel, die in Würfelschreibweise angegeben sind",
}
"""Addresses of pages, and a part of what each says in German."""


@pytest.fixture
def shipped(tmp_path):
    """The workspace of a user of a new project, in which there is only what Aeon ships, and the owner's services."""
    variables = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}
    settings = {"engine.address": "memory"}
    with Project.open(tmp_path / "here", environ=variables, settings=settings, model=ScriptedAdapter(())) as project:
        add_defaults(project._app.platform())
        yield SimpleNamespace(own=project._workspace, owned=OwnerServices(project._app, variables))


def in_catalog(own):
    """The descriptions of the tools, the Processes, their inputs, and the metrics."""
    tools, processes = (kind.list(owner="shared", limit=200).items for kind in (own.tools, own.processes))
    fields = [each for tool in tools for each in fields_of_schema(tool.input_schema)]
    fields += [each for process in processes for each in own.processes.input_fields(process)]
    return {each.description for each in (*tools, *processes, *fields, *own.metrics.list_all())}


def in_skills(owned):
    """The descriptions of the skills, their scripts, their inputs and their settings."""
    skills = owned.skills.catalog.skills
    scripts = [script for skill in skills for script in skill.scripts]
    fields = [field for script in scripts for field in fields_of_schema(script.input_schema)]
    configured = [owned.skill_settings(skill) for skill in skills if skill.config_schema is not None]
    fields += [field for settings in configured for field in settings.list_fields()]
    return {each.description for each in (*skills, *scripts, *fields)}


def test_every_description_that_ships_has_a_german_text_and_no_other_has_one(shipped):
    settings = {each.field.description for each in shipped.owned.settings.list_editable()}
    found = in_catalog(shipped.own) | in_skills(shipped.owned) | settings
    assert found - {"", None} == SHIPPED_TEXTS.keys()
    assert len(settings) > 60


@pytest.mark.parametrize("english", SHIPPED_TEXTS)
def test_a_german_text_is_another_one_and_whole_in_a_list(english):
    german = describe("de", english)
    assert german.strip() == german != english
    assert german.endswith(".") == english.endswith(".")
    assert len(german) <= CUT_AT
    assert set(re.findall("`.*?`", german)) == set(re.findall("`.*?`", english))
    assert describe("en", english) == english


def test_what_a_user_wrote_stays_as_it_is():
    assert describe("de", "Looks my things up.") == "Looks my things up."
    assert describe("de", "") == ""


def said_outside_code(answer):
    """The words of a page, without those of texts in their source form."""
    assert answer.status_code == 200
    return said(SimpleNamespace(text=re.sub(r"(?s)<pre>.*?</pre>", "", answer.text)))


@pytest.mark.server
def test_german_pages_describe_in_german_what_ships(me):
    for address, part in PAGES.items():
        english, german = said_outside_code(me.get(address)), said_outside_code(me.get(address, headers=GERMAN))
        described = [each for each in SHIPPED_TEXTS if each in english]
        assert described, address
        assert [each for each in described if each in german] == [], address
        assert [each for each in described if describe("de", each) not in german] == [], address
        assert part in german, address
        assert part not in english, address


@pytest.mark.server
def test_a_german_page_shows_the_description_of_a_user_as_it_is(me, own):
    own.documents.apply(
        "kind: Process\nname: mine_too\ndescription: Greets in my words.\nsteps: [{id: look, tool: mine, output: x}]\n"
        "outputTemplate: hi\n"
    )
    for address in ("/processes", "/processes/mine_too"):
        assert "Greets in my words." in said_outside_code(me.get(address, headers=GERMAN)), address
