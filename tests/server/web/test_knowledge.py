"""The pages of knowledge, as forms and links without a browser (platform 16, 17, 28, 35, 37, 40)."""

import re
from contextlib import ExitStack

import pytest
from tests.server.conftest import Site
from tests.server.web.test_things import HOSTILE, hidden, said

from aeon.platform.episodes.writing import episode_id
from aeon.platform.knowledge.descriptions import Description
from aeon.testing.llm import ScriptedAdapter

pytestmark = pytest.mark.server

UNSEEN = r"<textarea.*?</textarea>|<input type=\"hidden\"[^>]*>"
"""What a page has of the record as it is: what is edited, and what nobody sees."""


@pytest.fixture
def own(site):
    return site.workspaces.of("me")


@pytest.fixture
def me(site):
    return site.browser("me")


@pytest.fixture
def told(own):
    """`told(text)`: a message in a conversation of its own that was read."""

    def tell(words, title=None):
        place = own.conversations.create(title=title)
        message = own.conversations.say(place.id, words)
        own.knowledge.catch_up()
        return message

    return tell


def entity(own, name):
    return f"/knowledge/entities/{own.knowledge.show(name).entity.id}"


def fact_of(own, words):
    (found,) = own.knowledge.facts_with_text(words)
    return f"/knowledge/facts/{found.id}"


def post(client, path, **fields):
    return client.post(path, data={"key": "k", **fields})


def test_names_are_listed_and_found_by_their_words(me, own, told):
    told("Tove Lindberg lives in Linz.")
    assert re.search(r"Linz .*Tove Lindberg", said(me.get("/knowledge")))
    assert ">Linz</a>" not in me.get("/knowledge?q=lindberg").text
    assert "Nothing was found." in said(me.get("/knowledge?q=Ida"))
    assert 'href="/knowledge" aria-current="page"' in me.get("/knowledge").text


def test_the_search_field_also_finds_what_was_said_on_the_branch_on_screen_platform_16(me, own, told):
    message = told("Tove keeps the key under the blue stone.")
    page = me.get("/knowledge?q=blue stone key")
    assert f'<a href="/messages/{message.id}" dir="auto">Tove keeps the key under the blue stone.</a>' in page.text
    own.conversations.edit(message.id, "Tove has no key.")
    assert "blue stone." not in said(me.get("/knowledge?q=blue stone key"))


def test_what_waits_is_told_and_reading_the_page_extracts_nothing(me, own):
    own.conversations.say(own.conversations.create().id, "Tove lives in Linz.")
    shown = said(me.get("/knowledge"))
    assert "wait to be read: 1." in shown
    assert "Nothing is known yet." in shown
    assert own.knowledge.status().queue.waiting == 1


def test_the_page_of_a_name_has_facts_with_links_to_their_messages_platform_40(me, own, told):
    message = told("Tove lives in Linz.", title="Friends")
    answer = me.get(entity(own, "Tove"))
    assert "Tove lives in Linz. said" in said(answer)
    assert f'href="/messages/{message.id}" dir="auto">Friends</a>' in answer.text
    assert me.get("/knowledge/entities/Nobody").status_code == 404


def test_a_fact_is_confirmed_called_wrong_and_left_undecided_again_platform_40(me, own, told):
    told("Tove lives in Linz.")
    place, fact = entity(own, "Tove"), fact_of(own, "Tove lives in Linz.")
    for state, word in (("confirmed", "confirmed"), ("rejected", "wrong"), ("candidate", "said")):
        answer = post(me, f"{fact}/decide", state=state, back=place)
        assert (answer.status_code, answer.headers["location"]) == (303, place)
        assert f"Tove lives in Linz. {word}" in said(me.get(place))
        listed = "Tove lives in Linz." in said(me.get("/knowledge/candidates"))
        assert listed == (state == "candidate")


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "/settings", "/knowledge/../settings", ""])
def test_a_form_leads_back_to_pages_of_this_server_alone(me, own, told, back):
    told("Tove lives in Linz.")
    refused = post(me, f"{fact_of(own, 'Tove lives in Linz.')}/decide", state="confirmed", back=back)
    assert refused.status_code == 422


def test_the_branch_on_screen_decides_what_the_page_says_platform_35(me, own, told):
    message = told("Tove lives in Linz.")
    own.conversations.edit(message.id, "Tove lives in Graz.")
    own.knowledge.catch_up()
    place = entity(own, "Tove")
    shown = said(me.get(place))
    assert "Tove lives in Graz. said" in shown
    assert "Tove lives in Linz. on another branch" in shown
    own.conversations.activate(message.id)
    shown = said(me.get(place))
    assert "Tove lives in Linz. said" in shown
    assert "Tove lives in Graz. on another branch" in shown


def test_names_are_merged_by_a_button_beside_the_similar_one_and_back_platform_37(me, own, told):
    told("Tove lives in Linz.")
    told("We met Tove Lindberg in Graz.")
    place, other = entity(own, "Tove Lindberg"), own.knowledge.show("Tove").entity.id
    assert f'name="other" value="{other}"' in me.get(place).text
    merged = post(me, f"{place}/merge", other=other)
    shown = said(me.get(merged.headers["location"]))
    assert "Tove lives in Linz." in shown
    assert "Also known as Tove" in shown
    back = post(me, f"/knowledge/entities/{other}/unmerge")
    assert "Also known as" not in said(me.get(back.headers["location"]))
    assert "Tove lives in Linz." not in said(me.get(place))


def test_a_name_is_changed_only_as_its_form_showed_it_platform_23(me, own, told):
    told("Tove lives in Linz.")
    place = entity(own, "Tove")
    version = hidden(me.get(place), "version")
    fields = {"name": "Tova", "category": "Person", "summary": "A friend.", "version": version}
    assert post(me, f"{place}/change", **fields).status_code == 303
    assert "Tova person" in said(me.get(place))
    assert "A friend." in said(me.get(place))
    assert post(me, f"{place}/change", **{**fields, "summary": "Another."}).status_code == 412
    assert post(me, f"{place}/change", **{**fields, "category": "Boat", "version": "2"}).status_code == 422


def test_facts_are_written_down_about_a_name_and_oneself(me, own):
    made = post(me, "/knowledge/entities", name="Tove").headers["location"]
    post(me, "/knowledge/facts", sentence="Tove rows.", about=made.rpartition("/")[2], back=made)
    assert "Tove rows. confirmed" in said(me.get(made))
    assert "you wrote it down" in said(me.get(made))
    post(me, "/knowledge/facts", sentence="I row.", back="/knowledge/me")
    assert "I row. confirmed" in said(me.get("/knowledge/me"))


def test_forgetting_asks_first_says_what_is_erased_and_leaves_the_message_platform_28(me, own, told):
    message = told("Tove lives in Linz.")
    told("Tove rows in Graz.")
    fact = fact_of(own, "Tove lives in Linz.")
    asked = said(me.get(f"{fact}/forget"))
    assert "Tove lives in Linz." in asked
    assert "The messages stay." in asked
    assert post(me, f"{fact}/forget").status_code == 303
    place = entity(own, "Tove")
    assert "Tove lives in Linz." not in said(me.get(place))
    question = me.get(f"{place}/forget")
    assert "Facts that are erased: 1" in said(question)
    assert post(me, f"{place}/forget", key="e", version=hidden(question, "version")).headers["location"] == "/knowledge"
    assert me.get(place).status_code == 404
    assert own.conversations.alternative(message.id).content == "Tove lives in Linz."


def test_the_background_is_looked_at_and_switched_off_platform_38(me, own, told):
    told("Tove lives in Linz.")
    assert "Facts: 1 undecided, 0 confirmed, 0 wrong" in said(me.get("/knowledge/settings"))
    chosen = {"extraction": "off", "compression": "on", "introspection": "off", "enrichment": "on"}
    assert post(me, "/knowledge/settings", **chosen).status_code == 303
    assert own.knowledge.settings().extraction == "off"
    assert '<option value="off" selected>off</option>' in me.get("/knowledge/settings").text
    assert post(me, "/knowledge/settings", **{**chosen, "extraction": "sometimes"}).status_code == 422


def test_names_and_facts_of_the_record_are_text_and_never_markup(me, own):
    own.knowledge.add_fact(f"Tove {HOSTILE} rows.", "Tove")
    own.knowledge.change("Tove", {"summary": HOSTILE})
    own.knowledge.change("Tove", {"facets": {"status": [HOSTILE]}})
    place = own.conversations.create(title=HOSTILE).id
    own.knowledge.set_active(place, "Tove", "pinned")
    fact = fact_of(own, f"Tove {HOSTILE} rows.")
    for path in ("/knowledge", entity(own, "Tove"), f"{fact}/forget", f"/conversations/{place}/entities"):
        answer = me.get(path)
        assert "<img src=x" not in answer.text, path
        assert "\u202e" not in re.sub(UNSEEN, "", answer.text, flags=re.DOTALL), path


def test_another_user_sees_nothing_and_has_knowledge_of_their_own_platform_2_and_16(site, own, told):
    told("Tove lives in Linz.")
    eve = site.browser("eve")
    for path in (entity(own, "Tove"), f"{fact_of(own, 'Tove lives in Linz.')}/forget"):
        assert eve.get(path).status_code == 404
    for path in ("", "/candidates", "/me", "/settings"):
        assert "Tove" not in eve.get(f"/knowledge{path}").text
    post(eve, "/knowledge/entities", name="Tove")
    assert "Tove" in said(eve.get("/knowledge"))


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """`asked(words)`: the finished answer to a question in a new conversation of `asked.own`; `asked.me` is a browser."""
    monkeypatch.chdir(tmp_path)
    with ExitStack() as closing:
        site = Site(tmp_path, ScriptedAdapter(["She lives in Linz.", "I do not know."]), closing)
        own = site.workspaces.of("me")

        def ask(words):
            begun = own.conversations.ask(None, words).result
            while (made := own.conversations.answers.settle(begun.id)).state == "generating":
                pass
            return made

        ask.own, ask.me = own, site.browser("me")
        yield ask


def test_of_a_sentence_that_an_answer_recalled_one_says_on_its_page_that_it_is_wrong_platform_40(asked):
    """From then on no answer recalls it."""
    own, me = asked.own, asked.me
    source = own.conversations.say(own.conversations.create().id, "Tove lives in Linz.")
    own.knowledge.catch_up()
    made = asked("Where does Tove live?")
    page = me.get(f"/messages/{made.id}/why")
    assert f'<a href="/messages/{source.id}" dir="auto">Tove lives in Linz.</a>' in page.text
    fact = fact_of(own, "Tove lives in Linz.")
    assert f'href="{fact}/forget"' in page.text
    back = post(me, f"{fact}/decide", state="rejected", back=hidden(page, "back")).headers["location"]
    assert back == f"/messages/{made.id}/why"
    assert "Called wrong: no further answer recalls it." in said(me.get(back))
    assert own.conversations.why(asked("Where does Tove live?").id)["recalled"] == []


def test_of_a_fact_or_a_name_that_an_answer_recalled_the_page_leads_to_it_platform_40(asked):
    own, me = asked.own, asked.me
    own.knowledge.add_fact("She rows.", "Tove")
    own.knowledge.change("Tove", {"summary": "A friend."})
    made = asked("What does Tove do?")
    page, fact = me.get(f"/messages/{made.id}/why"), fact_of(own, "She rows.")
    assert f'action="{fact}/decide"' in page.text
    assert f'<a href="{entity(own, "Tove")}" dir="auto">Tove: A friend.</a>' in page.text
    post(me, f"{fact}/decide", state="rejected", back=hidden(page, "back"))
    assert "She rows. Called wrong" in said(me.get(f"/messages/{made.id}/why"))
    post(me, f"{fact}/forget", key="e")
    assert "She rows." not in said(me.get(f"/messages/{made.id}/why"))


def test_the_page_of_an_answer_names_the_notes_that_it_was_told_platform_40(asked):
    own, me = asked.own, asked.me
    own.knowledge.configure({"introspection": "on"})
    own.notes.add("I like short answers.")
    made = asked("What is tea?")
    assert "Note I like short answers." in said(me.get(f"/messages/{made.id}/why"))


def test_the_page_of_a_name_has_what_the_model_made_of_it_and_its_facets_platform_17(own, me, told):
    first, second = told("Tove lives in Linz."), told("Tove rows.")
    platform, tove = own.knowledge._platform, own.knowledge.show("Tove").entity
    (process, *_) = [each for each in own.processes.list(limit=200).items if each.name == "enrich"]
    sources = [episode_id(first.id), episode_id(second.id)]
    facets = {"status": ["active"], "domain": ["personal"]}
    made = Description("Tove rows in Linz.", "Person", facets, {}, sources, process.id, "run-1", first.created_at)
    assert platform.descriptions.add("me", tove.id, made)
    own.knowledge.change(tove.id, {"facets": {"status": ["away"]}})
    page = me.get(entity(own, "Tove"))
    assert "Tove person" in said(page)
    assert "Tove rows in Linz. by the model, of 2 message(s)" in said(page)
    assert 'href="/runs/run-1"' in page.text
    assert {"status: away", "domain: personal"} <= {*re.findall(r"[a-z]+: [a-z]+", said(page))}


def test_facets_of_ones_own_are_typed_a_line_each_and_others_stay_platform_17(me, own, told):
    told("Tove lives in Linz.")
    place = entity(own, "Tove")
    own.knowledge.change("Tove", {"facets": {"status": ["active"], "team": ["home, sweet home"]}})

    def save(typed, key="k"):
        page = me.get(place)
        fields = {"name": "Tove", "version": hidden(page, "version"), "shown_facets": hidden(page, "shown_facets")}
        return post(me, f"{place}/change", key=key, facets=typed, **fields)

    assert save("status: active, away\r\nteam: home, sweet home\r\ndiet: vegetarian\r\n").status_code == 303
    facets = {"status": ["active", "away"], "team": ["home, sweet home"], "diet": ["vegetarian"]}
    assert own.knowledge.show("Tove").entity.facets == facets, "a line that was not touched is no change"
    assert "status: active, away" in said(me.get(place))
    assert save("team: home, sweet home\r\ndiet:\r\n", "l").status_code == 303
    assert own.knowledge.show("Tove").entity.facets == {"team": ["home, sweet home"]}
    for wrong in ("status", "no name: x", f"status: {'x' * 61}"):
        refused = save(wrong, "m")
        assert refused.status_code == 422, wrong
    assert "&#39;status&#39; is not a facet." in save("status", "n").text


def test_a_form_without_facets_leaves_them_and_the_same_form_twice_is_done_once_platform_20(me, own, told):
    told("Tove lives in Linz.")
    place = entity(own, "Tove")
    version = hidden(me.get(place), "version")
    twice = [
        post(me, f"{place}/change", name="Tove", version=version, facets="status: away", shown_facets="")
        for _ in range(2)
    ]
    assert [each.status_code for each in twice] == [303, 303]
    post(me, f"{place}/change", key="l", name="Tove", summary="A friend.", version=hidden(me.get(place), "version"))
    assert own.knowledge.show("Tove").entity.facets == {"status": ["away"]}


def standing(own, place):
    return {each.entity.name: each.standing for each in own.knowledge.list_active(place)}


def test_what_is_active_in_a_conversation_is_listed_pinned_hidden_and_neither_again_platform_44(me, own, told):
    place = told("We saw Tove in Linz.", title="Friends").conversation_id
    page = f"/conversations/{place}/entities"
    assert f'href="{page}"' in me.get(f"/conversations/{place}").text
    shown = said(me.get(page))
    assert "Tove mentioned relevance 1.00" in shown
    assert 'href="/knowledge/entities/' in me.get(page).text
    tove, linz = (own.knowledge.show(name).entity.id for name in ("Tove", "Linz"))
    pinned = post(me, page, name=tove, state="pinned", summary="true", facets="true")
    assert (pinned.status_code, pinned.headers["location"]) == (303, page)
    (first, _) = own.knowledge.list_active(place)
    assert (first.entity.name, first.standing, tuple(first.includes)) == ("Tove", "pinned", (True, True, False))
    assert 'name="facets" value="true" checked' in me.get(page).text
    post(me, page, key="l", name=linz, state="hidden", summary="true")
    assert '<input type="hidden" name="summary" value="true">' in me.get(page).text, (
        "what it had when it is pinned again"
    )
    assert standing(own, place) == {"Tove": "pinned", "Linz": "hidden"}
    assert "Linz hidden" in said(me.get(page))
    for name in (tove, linz, linz):
        assert post(me, page, key=f"u{name}", name=name, state="undecided").status_code == 303
    assert set(standing(own, place).values()) == {"recent"}


def test_a_name_is_pinned_where_it_was_not_mentioned_and_an_unknown_one_says_what_to_do_platform_44(
    site, me, own, told
):
    place = own.conversations.create(title="Friends").id
    page = f"/conversations/{place}/entities"
    assert "Nothing that is known is named in it." in said(me.get(page))
    own.knowledge.add_fact("Tove rows.", "Tove")
    post(me, page, name="tove", state="pinned", summary="true", relationships="true")
    assert standing(own, place) == {"Tove": "pinned"}
    unknown = post(me, page, key="l", name="Nobody", state="pinned")
    assert unknown.status_code == 404
    assert "a name can be written down there" in said(unknown)
    assert post(me, page, key="m", name="Tove", state="loud").status_code == 422
    eve = site.browser("eve")
    assert eve.get(page).status_code == 404
    assert post(eve, page, name="Tove", state="pinned").status_code == 404


def test_a_page_of_another_origin_changes_nothing_in_a_conversation(me, own, told):
    place = told("We saw Tove in Linz.").conversation_id
    form = {"key": "k", "name": "Tove", "state": "pinned"}
    address = f"/conversations/{place}/entities"
    assert me.post(address, data=form, headers={"origin": "https://evil.example"}).status_code == 403
    assert standing(own, place)["Tove"] == "recent"


def test_the_pages_speak_german(me, own, told):
    place = told("We saw Tove in Linz.").conversation_id
    german = {"accept-language": "de"}
    assert "In dieser Unterhaltung bekannt" in said(me.get(f"/conversations/{place}/entities", headers=german))
    assert "Merkmale" in said(me.get(entity(own, "Tove"), headers=german))
