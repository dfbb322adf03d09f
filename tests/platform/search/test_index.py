"""Search in both stores: what is found, by whom, and in which order."""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeon.platform.catalog.model import ServiceChange, TemplateChange, ToolChange
from aeon.platform.ledger import MutationRequest
from aeon.platform.search.ranking import SearchDocument, score_bm25
from aeon.platform.search.tokenizer import folding_table, tokenize
from aeon.platform.store import GuardError, guard

_NUMBERS = count()

ROWS_OF_OWNER = """
SELECT (SELECT count(*) FROM search_documents WHERE owner_id = :user)
     + (SELECT count(*) FROM search_terms WHERE scope = :user)
     + (SELECT count(*) FROM search_grams WHERE scope = :user)
     + (SELECT count(*) FROM search_newest_terms WHERE scope = :user) AS n
"""
ADD_DEFINITION = "INSERT INTO definitions (digest, text, created_at) VALUES (:digest, '{}', 'now')"
ADD_PROCESS = """
INSERT INTO processes (id, owner_id, name, description, initial_context, output_template, max_recursion_depth, enabled,
                       digest, shared, version, created_at, updated_at)
VALUES (:id, :owner, :name, :description, '{}', '', 3, 1, :digest, 0, 1, 'now', 'now')
"""


def test_things_of_each_kind_are_found_by_name_and_description(world, store, index, anna):
    service = world.service(anna, name="weather api")
    tool = world.tool(anna, service, name="forecast", description="Tells the weather of a city.")
    blueprint = world.service_template(anna, name="any api", description="For weather and more.")
    operation = world.tool_template(anna, name="weather by id")
    process = {"id": f"p-{anna}", "owner": anna, "name": "report", "description": "Weather, daily.", "digest": anna}
    store.update(lambda unit: unit.write(ADD_DEFINITION, {"digest": anna}))
    store.update(lambda unit: unit.write(ADD_PROCESS, process))
    world.secret(anna, name="weather key")

    found = index.search(anna, "Weather")
    assert {(hit.kind, hit.id) for hit in found} == {
        ("service", service.id),
        ("tool", tool.id),
        ("serviceTemplate", blueprint.id),
        ("toolTemplate", operation.id),
        ("process", process["id"]),
    }
    assert {hit.kind for hit in found[:2]} == {"service", "toolTemplate"}  # in the name
    assert found[-1].owner_id == anna
    assert {hit.description for hit in found} >= {"Tells the weather of a city.", "Weather, daily."}
    assert [hit.id for hit in index.search(anna, "weather", ["tool"])] == [tool.id]
    assert index.search(anna, "weather", ["secret"]) == index.search(anna, "weather", []) == []
    assert len(index.search(anna, "weather", limit=2)) == 2


def test_only_what_is_owned_or_shared_is_found(world, names, anna, bob):
    mine = world.service(bob, name="comet of bob")
    world.service_template(bob, name="comet shared", shared=True)
    assert names(anna, "comet") == ["comet shared"]
    assert set(names(bob, "comet")) == {"comet of bob", "comet shared"}

    shared = world.catalog.services.change(mine.id, ServiceChange(shared=True), MutationRequest(bob))
    assert set(names(anna, "comet")) == {"comet of bob", "comet shared"}
    world.catalog.services.change(shared.id, ServiceChange(shared=False), MutationRequest(bob))
    assert names(anna, "comet") == names(anna, "comte") == ["comet shared"]
    assert names(anna, "bob") == []


def test_what_changes_is_found_as_it_is_now(world, names, anna):
    service = world.service(anna, name="weather")
    tool = world.tool(anna, service, name="forecast", description="Tells tomorrow.")
    world.catalog.tools.change(
        tool.id, ToolChange(name="prediction", description="Tells today."), MutationRequest(anna)
    )
    assert names(anna, "forecast") == names(anna, "tomorrow") == []
    assert names(anna, "prediction") == names(anna, "today") == ["prediction"]

    blueprint = world.service_template(anna, name="old blueprint")
    world.catalog.service_templates.change(blueprint.id, TemplateChange(archived=True), MutationRequest(anna))
    assert names(anna, "old") == []
    world.catalog.service_templates.change(blueprint.id, TemplateChange(archived=False), MutationRequest(anna))
    assert names(anna, "old") == ["old blueprint"]


@pytest.mark.parametrize("others", [0, 100], ids=["the newest", "not the newest"])
def test_nothing_of_a_deleted_thing_is_left(world, store, names, add_templates, anna, bob, others):
    service = world.service(anna, name="Wéather: of ÄÖÜ, and of all of all cities")
    add_templates(bob, [f"n{at}" for at in range(others)])
    assert store.read(ROWS_OF_OWNER, {"user": anna})[0]["n"] > 5
    world.catalog.services.remove(service.id, MutationRequest(anna))
    assert store.read(ROWS_OF_OWNER, {"user": anna})[0]["n"] == 0
    assert names(anna, "weather") == []


def test_a_change_and_its_index_are_one_transaction(store, names, add_templates, anna):
    (id_,) = add_templates(anna, ["weather"])

    def work(unit):
        unit.write("UPDATE service_templates SET name = 'forecast' WHERE id = :id", {"id": id_})
        guard(holds=False)

    with pytest.raises(GuardError):
        store.update(work)
    assert names(anna, "weather") == ["weather"]
    assert names(anna, "forecast") == []


def test_a_change_of_health_does_not_touch_the_index(world, store, anna):
    tool = world.tool(anna, world.service(anna, name="weather"), name="forecast")
    documents = "SELECT id FROM search_documents WHERE owner_id = :user ORDER BY id"
    before = store.read(documents, {"user": anna})
    store.update(
        lambda unit: unit.write("UPDATE tools SET status = 'healthy', name = name WHERE id = :id", {"id": tool.id})
    )
    assert store.read(documents, {"user": anna}) == before


def test_the_last_word_may_be_the_beginning_of_one(names, add_templates, anna):
    add_templates(anna, ["weather map", "order list"])
    assert names(anna, "wea") == names(anna, "map wea") == names(anna, "w") == ["weather map"]
    assert names(anna, "wea order") == ["order list"]


def test_case_accents_and_alphabets_do_not_matter(names, add_templates, anna):
    add_templates(anna, ["Äpfel & Bäume", "Łódź", "Погода в городе", "ΟΔΟΣ", "天気予報", "🚀 deploy", "हिन्दी"])
    for text, name in [
        ("apfel", "Äpfel & Bäume"),
        ("BAUME", "Äpfel & Bäume"),
        ("lodz", "Łódź"),
        ("погода", "Погода в городе"),
        ("погда", "Погода в городе"),
        ("οδος", "ΟΔΟΣ"),
        ("天気", "天気予報"),
        ("🚀", "🚀 deploy"),
        ("हिन्दी", "हिन्दी"),
    ]:
        assert names(anna, text) == [name]


@pytest.mark.parametrize("others", [0, 100], ids=["the newest", "not the newest"])
def test_names_with_typing_errors_are_found_where_no_word_is(names, add_templates, anna, bob, others):
    add_templates(anna, ["weather", "weather forecast", "order list", "git", "listIssues"])
    add_templates(bob, [f"n{at}" for at in range(others)])
    assert names(anna, "wether") == names(anna, "Waether") == names(anna, "eather") == ["weather", "weather forecast"]
    assert names(anna, "gti") == ["git"]
    assert names(anna, "weatherforecast")[0] == "weather forecast"
    assert names(anna, "issues") == ["listIssues"]
    assert names(anna, "invoice") == []


def test_of_a_long_description_the_beginning_counts(names, add_templates, anna):
    add_templates(anna, ["report"], f"weather {'x ' * 491}then forecast")  # the last word begins at 995
    assert names(anna, "weather") == names(anna, "then") == names(anna, "forec") == ["report"]
    assert names(anna, "forecast") == []


def test_of_equal_scores_the_name_decides_then_the_id(index, add_templates, anna, bob):
    first, second = add_templates(anna, ["meteor z", "meteor y"])
    (third,) = add_templates(bob, ["meteor y"], shared=1)
    assert [hit.id for hit in index.search(anna, "meteor")] == [*sorted([second, third]), first]


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", '"', '"weather', "weather*", "* OR *", "NEAR(weather, 2)", "name:weather", "-weather", "("),
        *("weather)", "weather AND NOT", "'; DROP TABLE users; --", "\\", "%", "_", ":*", "a & | !", "\0", "weather\0"),
        *("\ud800", "👩‍👩‍👧", "\U0010ffff", "{weather}", "[1]", "weather " * 12_500, "w" * 100_000),
        "".join(map(chr, range(1, 2000))),
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_any_text_is_a_query(names, add_templates, anna, text):
    add_templates(anna, ["weather"])
    found = names(anna, text)
    assert found in ([], ["weather"])
    assert (found == ["weather"]) >= ("weather" in tokenize(text))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=200))
def test_no_text_is_an_error(index, text):
    for found in index.search("nobody", text), index.find_similar_names("nobody", text, "tool"):
        assert all(hit.score > 0 for hit in found)


TEXTS = st.lists(
    st.sampled_from(
        ["weather", "Wétter", "weathers,", "Map;", "map?", "fore", "cast", "für", "FÜR", "погода", "Погода"]
    ),
    max_size=4,
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(things=st.lists(st.tuples(TEXTS, TEXTS), max_size=6), asked=TEXTS)
def test_both_stores_find_and_rank_what_a_look_at_everything_does(world, index, add_templates, things, asked):
    user = world.user(f"one{next(_NUMBERS)}")
    text, everything = " ".join(asked), []
    for at, (some, others) in enumerate(things):
        name, body = " ".join([*some, f"n{at}"]), " ".join(others)
        add_templates(user, [name], body)
        everything.append((name, SearchDocument(tokenize(name), tokenize(body))))
    last = tokenize(text)[-1:]
    distinct = [*(word for word in dict.fromkeys(tokenize(text)) if [word] != last), *last]
    having = [(name, document) for name, document in everything if distinct and any(score_bm25(distinct, [document]))]
    scores = [round(score, 9) for score in score_bm25(distinct, [document for _name, document in having])]
    expected = sorted(
        zip(scores, [name for name, _document in having], strict=True), key=lambda each: (-each[0], each[1])
    )
    found = [(hit.score, hit.name) for hit in index.search(user, text)]
    assert found == expected or (distinct and not having)  # names alike


def test_the_record_folds_texts_as_queries_are_folded(store, add_templates, anna):
    """Character by character, in blocks of names; what is no name cannot be asked for."""
    codes = [*range(1, 0x3100), *range(0xA000, 0xD800, 101), *range(0xE000, 0x10000, 7), *range(0x1F000, 0x1FB00, 3)]
    texts = ["".join(map(chr, codes[at : at + 190])) for at in range(0, len(codes), 190)]
    add_templates(anna, texts, "Ünd weiter: Ω\x1f, É.")
    read = "SELECT name, name_words, body, body_words FROM search_documents WHERE owner_id = :user"
    rows = store.read(read, {"user": anna})
    assert len(rows) == len(texts)
    for row in rows:
        assert row["name_words"] == row["name"].translate(folding_table())
        assert row["body_words"] == row["body"].translate(folding_table())


@pytest.mark.timeout(60)
def test_what_others_have_does_not_crowd_mine_out(world, index, add_templates, anna):
    for at in range(10):
        add_templates(world.user(f"other{at}"), [f"weather map {n}" for n in range(1000)], "The weather.")
    (mine,) = add_templates(anna, ["weather"])
    assert [hit.id for hit in index.search(anna, "weather")] == [mine]
    assert [hit.id for hit in index.search(anna, "wether")] == [mine]
    assert [hit.id for hit in index.find_similar_names(anna, "waether", "serviceTemplate")] == [mine]


def test_what_others_share_does_not_crowd_mine_out(index, add_templates, anna, bob):
    (mine,) = add_templates(anna, ["planet chart"])
    add_templates(bob, [f"planet {n}" for n in range(3000)], shared=1)
    assert mine in [hit.id for hit in index.search(anna, "planet", limit=3000)]
    assert index.search(anna, "planet chart")[0].id == mine
    assert index.search(anna, "plannet chrt")[0].id == mine
    assert mine in [hit.id for hit in index.search(anna, "plan", limit=3000)]


def test_a_rare_word_is_found_among_many_things_with_a_common_one(names, add_templates, anna):
    add_templates(anna, ["the weather"])
    add_templates(anna, [f"the {n}" for n in range(3000)])
    assert names(anna, "the weather", limit=1) == ["the weather"]
    add_templates(anna, [f"the x{n}" for n in range(1000)], "A weath.")
    assert names(anna, "weather the", limit=1) == ["the weather"]
