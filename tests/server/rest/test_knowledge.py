"""What is known of what a user said, over REST: names, facts, decisions, merges, erasing (platform 17, 28, 35, 37, 40)."""

import pytest

PLACE = "/api/v1/knowledge"


@pytest.fixture
def told(site):
    """`told(*texts, user=...)`: messages in a conversation of their own that were read; returns their ids."""

    def tell(*texts, user="me"):
        own = site.workspaces.of(user)
        said = [own.conversations.say(own.conversations.create().id, text).id for text in texts]
        own.knowledge.catch_up()
        return said

    return tell


@pytest.fixture
def me(site):
    return site.client("me")


def names(client, **query):
    return [each["name"] for each in client.get(f"{PLACE}/entities", params=query).json()["data"]]


def facts(client, name):
    return {each["fact"]: each for each in client.get(f"{PLACE}/entities/{name}").json()["facts"]}


def test_names_are_listed_in_pages_and_found_by_their_words_platform_29(me, told):
    told("Tove lives in Linz.", "We saw Tove Lindberg in Graz.", "Linz is calm.")
    shown = me.get(f"{PLACE}/entities?limit=2").json()
    assert ([each["name"] for each in shown["data"]], shown["data"][0]["mentions"]) == (["Linz", "Graz"], 2)
    following = me.get(f"{PLACE}/entities", params={"limit": 2, "cursor": shown["next"]}).json()
    assert ([each["name"] for each in following["data"]], following["next"]) == (["Tove", "Tove Lindberg"], None)
    assert names(me, name="lindberg") == ["Tove Lindberg"]
    for wrong in ({"cursor": "nonsense"}, {"limit": 0}, {"limit": 201}):
        assert me.get(f"{PLACE}/entities", params=wrong).status_code == 422, wrong


def test_a_fact_names_its_message_and_is_confirmed_rejected_and_opened_again_platform_40(me, told):
    (message,) = told("Tove lives in Linz.")
    found = facts(me, "Tove")["Tove lives in Linz."]
    assert (found["state"], found["holds"]) == ("candidate", True)
    assert [each["source"]["alternativeId"] for each in found["assertions"]] == [message]
    place = f"{PLACE}/facts/{found['uuid']}"
    assert [each["uuid"] for each in me.get(f"{PLACE}/facts").json()["data"]] == [found["uuid"]]
    for verb, state, holds in (
        ("confirm", "confirmed", True),
        ("reject", "rejected", False),
        ("reopen", "candidate", True),
    ):
        decided = me.post(f"{place}/{verb}")
        assert (decided.status_code, decided.json()["state"], decided.json()["holds"]) == (200, state, holds)
        assert me.get(place).json() == decided.json()


def test_the_branch_on_screen_decides_whether_a_fact_holds_platform_35(site, me, told):
    (message,) = told("Tove lives in Linz.")
    own = site.workspaces.of("me")
    own.conversations.edit(message, "Tove lives in Graz.")
    own.knowledge.catch_up()
    holds = {text: each["holds"] for text, each in facts(me, "Tove").items()}
    assert holds == {"Tove lives in Linz.": False, "Tove lives in Graz.": True}
    own.conversations.activate(message)
    holds = {text: each["holds"] for text, each in facts(me, "Tove").items()}
    assert holds == {"Tove lives in Linz.": True, "Tove lives in Graz.": False}


def test_two_names_are_merged_and_the_merge_is_taken_back_platform_37(me, told):
    told("Tove lives in Linz.", "We met Tove Lindberg in Graz.")
    view = me.get(f"{PLACE}/entities/Tove Lindberg").json()
    assert [each["name"] for each in view["similar"]] == ["Tove"]
    place, key = f"{PLACE}/entities/{view['uuid']}", {"idempotency-key": "once"}
    merged = me.post(f"{place}/merge", json={"other": view["similar"][0]["uuid"]}, headers=key)
    again = me.post(f"{place}/merge", json={"other": view["similar"][0]["uuid"]}, headers=key)
    assert (merged.status_code, again.headers["idempotency-replayed"]) == (200, "true")
    assert me.post(f"{place}/merge", json={"other": "Tove"}).status_code == 409
    assert me.post(f"{place}/merge", json={"other": view["uuid"]}).status_code == 422
    assert facts(me, "Tove").keys() == {"Tove lives in Linz.", "We met Tove Lindberg in Graz."}
    assert [each["name"] for each in me.get(place).json()["absorbed"]] == ["Tove"]
    assert me.post(f"{PLACE}/entities/Tove/unmerge").json()["name"] == "Tove"
    assert me.post(f"{PLACE}/entities/Tove/unmerge").status_code == 409
    assert facts(me, "Tove").keys() == {"Tove lives in Linz."}


def test_a_name_is_made_changed_only_as_it_was_read_and_forgotten_platform_23_and_28(me, told):
    made = me.post(f"{PLACE}/entities", json={"name": "Tove", "category": "Person"})
    assert (made.status_code, made.headers["etag"]) == (201, '"1"')
    place = made.headers["location"]
    assert me.post(f"{PLACE}/entities", json={"name": "TOVE"}).status_code == 409
    changed = me.patch(place, json={"summary": "A friend."}, headers={"if-match": '"1"'})
    assert (changed.headers["etag"], changed.json()["category"]) == ('"2"', "Person")
    for refused in (
        me.patch(place, json={"name": "Tova"}, headers={"if-match": '"1"'}),
        me.post(f"{place}/unmerge", headers={"if-match": '"1"'}),
        me.delete(place, headers={"if-match": '"1"'}),
    ):
        assert refused.status_code in {409, 412}, refused.text
    told("Tove lives in Linz.")
    fact = facts(me, "Tove")["Tove lives in Linz."]["uuid"]
    key = {"idempotency-key": "erase"}
    assert [me.delete(place, headers=key).status_code for _ in range(2)] == [204, 204]
    assert me.delete(place).status_code == me.get(place).status_code == 404
    assert me.get(f"{PLACE}/facts/{fact}").status_code == 404
    assert names(me) == ["Linz"]


def test_a_fact_is_written_down_about_a_name_or_oneself_and_forgotten_platform_28(me):
    about = me.post(f"{PLACE}/facts", json={"text": "Tove rows.", "about": "Tove"})
    own = me.post(f"{PLACE}/facts", json={"text": "I row."})
    assert [(each.status_code, each.json()["state"]) for each in (about, own)] == [(201, "confirmed")] * 2
    assert facts(me, "Tove").keys() == {"Tove rows."}
    assert [each["fact"] for each in me.get(f"{PLACE}/facts?of=me").json()["data"]] == ["I row."]
    assert me.delete(own.headers["location"], headers={"if-match": '"1"'}).status_code == 412
    assert me.delete(own.headers["location"]).status_code == 204
    assert me.get(own.headers["location"]).status_code == 404


def test_what_is_unknown_in_a_request_is_refused_platform_29(me):
    for method, path, body in (
        ("POST", "entities", {"name": "Tove", "colour": "red"}),
        ("POST", "entities", {"name": "Tove", "category": "Boat"}),
        ("POST", "entities", {"name": "?!"}),
        ("POST", "facts", {"text": "Tove rows.", "state": "rejected"}),
        ("POST", "facts", {"text": "..."}),
        ("PATCH", "settings", {"extraction": "sometimes"}),
        ("PATCH", "settings", {"everything": "on"}),
    ):
        assert me.request(method, f"{PLACE}/{path}", json=body).status_code == 422, (path, body)
    assert me.get(f"{PLACE}/facts?of=others").status_code == 422


def test_the_background_is_looked_at_and_switched_off_platform_38(site, me):
    assert me.get(f"{PLACE}/settings").json()["extraction"] == "on"
    changed = me.patch(f"{PLACE}/settings", json={"extraction": "paused"})
    assert (changed.status_code, changed.json()["extraction"]) == (200, "paused")
    own = site.workspaces.of("me")
    own.conversations.say(own.conversations.create().id, "Tove lives in Linz.")
    assert own.knowledge.catch_up() == 0
    status = me.get(f"{PLACE}/status").json()
    assert (status["waiting"], status["settings"]["extraction"]) == (1, "paused")
    assert status["waitingSince"]


def test_reading_lets_nothing_be_extracted_that_is_for_the_worker(site, me):
    own = site.workspaces.of("me")
    own.conversations.say(own.conversations.create().id, "Tove lives in Linz.")
    assert names(me) == []
    assert me.get(f"{PLACE}/status").json()["waiting"] == 1


def test_the_search_finds_whole_passages_with_sources_within_a_budget_platform_16(me, told):
    first, second = told("The key lies under the blue stone.", "The blue stone is heavy, and the key is small.")
    found = me.get(f"{PLACE}/search", params={"q": "Where is the key to the blue stone?"}).json()["data"]
    assert {each["source"]["alternativeId"] for each in found} == {first, second}
    assert {each["text"] for each in found} == {
        "The key lies under the blue stone.",
        "The blue stone is heavy, and the key is small.",
    }
    for few in ({"budget": 9}, {"limit": 1}):
        assert len(me.get(f"{PLACE}/search", params={"q": "blue stone key", **few}).json()["data"]) == 1, few
    for wrong in ({}, {"q": ""}, {"q": "x", "limit": 51}, {"q": "x", "budget": 0}):
        assert me.get(f"{PLACE}/search", params=wrong).status_code == 422, wrong


def test_what_a_user_said_is_found_by_that_user_alone_and_only_on_screen_platform_16_and_22(site, me, told):
    (message,) = told("The key lies under the blue stone.")
    assert site.client("eve").get(f"{PLACE}/search?q=blue stone").json()["data"] == []
    site.workspaces.of("me").conversations.edit(message, "The key is lost.")
    assert "blue" not in me.get(f"{PLACE}/search?q=blue stone key").text


def test_names_are_drawn_as_a_picture_that_no_browser_runs(me, told):
    told("Tove lives in Linz.")
    drawn = me.get(f"{PLACE}/graph.svg")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert "sandbox" in drawn.headers["content-security-policy"]
    assert "Tove" in drawn.text


def test_each_user_has_knowledge_of_their_own_platform_16(site, me, told):
    """Also one who does not own the folder."""
    told("Tove lives in Linz.")
    mine = facts(me, "Tove")["Tove lives in Linz."]["uuid"]
    eve = site.client("eve")
    assert names(eve) == []
    for path in ("entities/Tove", f"facts/{mine}"):
        assert eve.get(f"{PLACE}/{path}").status_code == eve.delete(f"{PLACE}/{path}").status_code == 404
    assert eve.post(f"{PLACE}/facts/{mine}/reject").status_code == 404
    assert "Tove" not in eve.get(f"{PLACE}/graph.svg").text
    told("Tove rows in Graz.", user="eve")
    assert facts(eve, "Tove").keys() == {"Tove rows in Graz."}
    assert facts(me, "Tove").keys() == {"Tove lives in Linz."}


def test_what_waits_for_extraction_and_how_long_is_measured_for_each_user_platform_18(site, me, told):
    def measured(client):
        lines = [each.split(" ") for each in client.get("/metrics").text.splitlines() if each[:1] != "#"]
        return [float(value) for name, value in lines if name.startswith("aeon_knowledge_waiting")]

    assert measured(me) == [0, 0]
    own = site.workspaces.of("me")
    own.conversations.say(own.conversations.create().id, "Tove lives in Linz.")
    waiting, seconds = measured(me)
    assert (waiting, seconds > 0) == (1, True)
    assert measured(site.client("eve")) == [0, 0]
    own.knowledge.catch_up()
    assert measured(me) == [0, 0]


def test_a_name_is_pinned_in_a_conversation_and_hidden_there_platform_44(me, site, told):
    told("We saw Tove in Linz.")
    (conversation,) = site.workspaces.of("me").conversations.list().items
    place = f"/api/v1/conversations/{conversation.id}/entities"
    assert {each["name"]: each["state"] for each in me.get(place).json()["data"]} == {
        "Linz": "recent",
        "Tove": "recent",
    }
    pinned = me.put(f"{place}/Tove", json={"state": "pinned", "includeFacets": True})
    assert (pinned.status_code, pinned.json()["name"]) == (200, "Tove")
    first, _ = me.get(place).json()["data"]
    assert (first["name"], first["relevanceScore"], first["includeFacets"]) == ("Tove", 1.0, True)
    assert me.put(f"{place}/Tove", json={"state": "hidden"}).status_code == 200
    assert [each["state"] for each in me.get(place).json()["data"]] == ["recent", "hidden"]
    for _ in range(2):
        assert me.delete(f"{place}/Tove").status_code == 204
    assert {each["state"] for each in me.get(place).json()["data"]} == {"recent"}
    assert me.put(f"{place}/Tove", json={"state": "loud"}).status_code == 422
    assert me.put(f"{place}/Nobody", json={}).status_code == 404
    other = site.client("ann")
    assert other.get(place).status_code == 404
    assert other.put(f"{place}/Tove", json={}).status_code == 404


def test_a_name_may_have_a_slash_platform_29(me, site):
    assert me.post(f"{PLACE}/entities", json={"name": "AC/DC"}).status_code == 201
    place = f"{PLACE}/entities/AC%2FDC"
    assert me.get(place).json()["name"] == "AC/DC"
    assert me.patch(place, json={"summary": "a band"}).json()["summary"] == "a band"
    assert me.post(f"{PLACE}/entities", json={"name": "Acca Dacca"}).status_code == 201
    assert me.post(f"{place}/merge", json={"other": "Acca Dacca"}).json()["name"] == "AC/DC"
    assert me.post(f"{PLACE}/entities/Acca%20Dacca/unmerge").status_code == 200
    conversation = site.workspaces.of("me").conversations.create().id
    pinned = f"/api/v1/conversations/{conversation}/entities/AC%2FDC"
    assert (me.put(pinned, json={}).status_code, me.delete(pinned).status_code) == (200, 204)
    assert (me.delete(place).status_code, me.get(place).status_code) == (204, 404)
    assert me.get(f"{PLACE}/entities/").status_code == 404


def test_facets_are_the_users_and_a_change_leaves_the_others_platform_17(me, told):
    told("We saw Tove in Linz.")
    changed = me.patch(f"{PLACE}/entities/Tove", json={"facets": {"status": ["active"], "team": ["home"]}})
    assert changed.json()["facets"] == {"status": ["active"], "team": ["home"]}
    assert me.patch(f"{PLACE}/entities/Tove", json={"facets": {"team": []}}).json()["facets"] == {"status": ["active"]}
    wrong = me.patch(f"{PLACE}/entities/Tove", json={"facets": {"no name": ["x"]}})
    assert wrong.status_code == 422
    assert me.get(f"{PLACE}/entities/Tove").json()["enrichment"] is None


DESCRIBED = {
    "summary": "Tove is a carpenter who lives in Linz.",
    "category": "Person",
    "domain": "professional",
    "status": "unknown",
    "sentiment": "neutral",
}
ENRICH = f"{PLACE}/entities/Tove/enrich"


def said_of_tove(site, *more):
    own = site.workspaces.of("me")
    for text in ("Tove is a carpenter.", "Tove lives in Linz.", *more):
        own.conversations.say(own.conversations.create().id, text)
    own.knowledge.catch_up()
    return own


def test_a_name_is_described_by_a_run_that_is_started_once_for_each_key_platform_17_and_20(serve):
    site = serve(DESCRIBED)
    own, me = said_of_tove(site), site.client("me")
    once = {"idempotency-key": "describe"}
    begun = me.post(ENRICH, headers=once)
    assert (begun.status_code, begun.headers["location"]) == (202, f"/api/v1/runs/{begun.json()['id']}")
    assert begun.json()["processName"] == "enrich"
    ended = me.post(ENRICH, headers={**once, "prefer": "wait=30"})
    assert (ended.status_code, ended.headers["idempotency-replayed"]) == (200, "true")
    assert (ended.json()["id"], ended.json()["phase"]) == (begun.json()["id"], "completed")
    enrichment = me.get(f"{PLACE}/entities/Tove").json()["enrichment"]
    assert (enrichment["summary"], enrichment["runId"]) == (DESCRIBED["summary"], begun.json()["id"])
    assert me.post(ENRICH, headers={"prefer": "wait=30"}).json()["id"] == begun.json()["id"], "nothing was said since"
    told = own.conversations.say(own.conversations.create().id, "Tove likes boats.")
    own.knowledge.catch_up()
    assert me.post(ENRICH, headers=once).json()["id"] == begun.json()["id"], "the same request, whatever was said since"
    assert told.id not in str(enrichment)


def test_what_cannot_be_described_is_refused_with_what_to_do_platform_17(site, me, told):
    told("Tove lives in Linz.")
    refused = me.post(ENRICH)
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    assert "two statements are needed" in refused.json()["detail"]
    assert refused.json()["nextStep"] == "Say more about it, or write yourself what it is."
    assert me.post(f"{PLACE}/entities/Nobody/enrich").status_code == 404
    assert me.post(ENRICH, headers={"prefer": "wait=soon"}).status_code == 422
    assert me.post(ENRICH, headers={"if-match": '"1"'}).status_code == 412
    assert site.client("ann").post(ENRICH).status_code == 404


def test_what_the_user_did_not_say_is_no_description_and_the_run_has_it_platform_36(serve):
    site = serve({**DESCRIBED, "summary": "Tove lives in Berlin."})
    said_of_tove(site)
    me = site.client("me")
    ended = me.post(ENRICH, headers={"prefer": "wait=30"})
    assert (ended.status_code, ended.json()["phase"]) == (200, "completed")
    assert me.get(f"{PLACE}/entities/Tove").json()["enrichment"] is None
