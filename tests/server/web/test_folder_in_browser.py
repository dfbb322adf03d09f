"""Settings, skills and the audit log in a browser: without JavaScript and in German, and by keys alone."""

import pytest
from tests.server.web.test_skills import make_echo

pytestmark = [pytest.mark.server, pytest.mark.slow]


def test_a_setting_is_changed_and_a_skill_trusted_and_run_without_javascript_in_german(serve, visit):
    served = serve()
    make_echo(served.folder / "skills" / "greeter")
    page = visit(served, java_script_enabled=False, locale="de-DE")
    page.get_by_label("Der Link, den der Server ausgegeben hat").fill(served.link)
    page.get_by_role("button", name="Anmelden").click()
    page.get_by_text("Mehr", exact=True).click()
    page.get_by_role("link", name="Einstellungen").click()
    setting = page.get_by_role("region", name="run.ttl")
    setting.get_by_text("Ändern").click()
    setting.get_by_label("run.ttl").fill("viele")
    setting.get_by_role("button", name="Speichern").click()
    assert setting.locator(".problem").inner_text() == "Das ist keine ganze Zahl."
    visit.expects("422")
    setting.get_by_label("run.ttl").fill("41")
    setting.get_by_role("button", name="Speichern").click()
    assert "der Server benutzt noch einen anderen Wert" in page.get_by_role("region", name="run.ttl").inner_text()
    page.get_by_role("link", name="Fähigkeiten").click()
    page.get_by_role("link", name="greeter").click()
    page.get_by_role("button", name="Ihr mit diesen Dateien vertrauen").click()
    page.get_by_label("size").fill("3")
    page.get_by_role("button", name="Ausführen").click()
    page.get_by_role("heading", name="Was es hinterließ").wait_for()
    page.get_by_text("Mehr", exact=True).click()
    page.get_by_role("link", name="Protokoll").click()
    page.get_by_role("button", name="Prüfen").click()
    page.get_by_text("Kein Eintrag wurde verändert.").wait_for()
    page.get_by_text("Mehr: Protokoll").click()
    page.get_by_role("link", name="Messwerte").click()
    page.get_by_role("link", name="tool.calls").click()
    page.get_by_role("img", name="tool.calls: Säulen von").wait_for()


def test_settings_and_skills_go_by_keys(serve, visit):
    served = serve()
    page = visit(served)
    page.goto(f"{served.base}/settings")
    page.get_by_role("region", name="run.ttl").locator("summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("41")
    page.keyboard.press("Enter")
    page.wait_for_url("**/settings#run.ttl")
    page.locator("section.setting", has_text="run.ttl").locator("strong", has_text="41").wait_for()
    page.goto(f"{served.base}/skills/dice-roller")
    page.get_by_role("button", name="Run it").first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("status").locator("h3").first.wait_for()
