"""Errors as pages: in the language of the page, with its links for who is signed in, alone for who is not."""

import pytest
from tests.server.web.test_things import header, said

pytestmark = pytest.mark.server

GERMAN = {"accept-language": "de"}


@pytest.mark.parametrize(
    ("path", "status", "heading", "words"),
    [
        ("/settings", 403, "Das darfst du nicht", "Das darf nur ein Betreuer dieses Servers."),
        ("/nothing", 404, "Hier gibt es für dich nichts", "An dieser Adresse gibt es nichts."),
        ("/runs/x/cancel", 405, "Hier gibt es für dich nichts", "Diese Adresse ist nur für Formulare."),
        ("/runs/x", 404, "Hier gibt es für dich nichts", "Einen Lauf 'x' hast du nicht."),
        ("/runs?after=x", 422, "So, wie es geschickt wurde, geht es nicht", "ist keine Seitenmarke dieser Liste"),
        ("/charts?window=x", 422, "So, wie es geschickt wurde, geht es nicht", "Korrigiere es"),
    ],
)
def test_an_error_page_speaks_german_and_has_the_links_of_its_user(site, path, status, heading, words):
    answer = site.browser("eve").get(path, headers=GERMAN)
    assert answer.status_code == status
    assert said(answer).partition("> ")[2].startswith(heading)
    assert words in said(answer)
    assert "Was du tun kannst" in said(answer)
    assert 'href="/knowledge"' in header(answer)
    assert "Abmelden" in header(answer)


def test_words_that_have_no_german_say_that_they_are_english(site, monkeypatch):
    me = site.browser("me")
    assert '<p class="problem" lang="de"' in me.get("/runs/x", headers=GERMAN).text
    assert '<p class="problem" lang="de"' in me.get("/nothing", headers=GERMAN).text
    assert '<p class="problem" lang="en"' in me.get("/runs/x").text
    monkeypatch.setattr("aeon.server.web.errors.translate", lambda language, said: str(said))
    assert '<p class="problem" lang="en"' in me.get("/runs/x", headers=GERMAN).text


def test_who_is_not_signed_in_gets_the_way_to_sign_in_or_the_error_alone(site):
    nobody = site.client()
    assert nobody.get("/runs/x").status_code == 401
    answer = nobody.get("/nothing", headers=GERMAN)
    assert answer.status_code == 404
    assert "An dieser Adresse gibt es nichts." in said(answer)
    assert 'href="/knowledge"' not in answer.text
    reading = site.client("me", scope="read")
    assert reading.post("/conversations", data={"key": "k", "content": "x"}).status_code == 403
