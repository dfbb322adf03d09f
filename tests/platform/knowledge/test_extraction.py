"""Episodes are written with what is said and extracted once, by one process at a time (platform 34)."""

from concurrent.futures import ThreadPoolExecutor

from aeon.platform.episodes.writing import add_missing_episodes, episode_id
from aeon.platform.knowledge.extraction import ExtractionResult
from aeon.testing.store.rows import insertion

EPISODES = "SELECT id, source, name, group_id, content FROM episodes WHERE owner_id = :user ORDER BY created_at, source"
COUNTS = """
SELECT (SELECT count(*) FROM mentions AS m JOIN episodes AS e ON e.id = m.episode_id WHERE e.owner_id = :user) AS mentions,
       (SELECT count(*) FROM entities WHERE owner_id = :user) AS entities,
       (SELECT count(*) FROM facts WHERE owner_id = :user) AS facts
"""
JOINED = """
SELECT s.name AS subject, o.name AS object FROM facts AS f
LEFT JOIN entities AS s ON s.id = f.subject_id LEFT JOIN entities AS o ON o.id = f.object_id WHERE f.owner_id = :user
"""


def counts(known):
    (row,) = known.store.read(COUNTS, {"user": known.user})
    return row["mentions"], row["entities"], row["facts"]


def test_an_episode_is_written_in_the_transaction_of_its_alternative_platform_34(known):
    message = known.say(known.conversation(), "Tove lives in Linz.")
    answer = known.answer(message, "Noted.")
    rows = known.store.read(EPISODES, {"user": known.user})
    assert {row["id"] for row in rows} == {episode_id(message.id), episode_id(answer.id)}
    by_id = {row["id"]: row for row in rows}
    said = by_id[episode_id(message.id)]
    assert (said["source"], said["name"]) == ("message", f"Turn:{message.id}")
    assert (said["group_id"], said["content"]) == (message.conversation_id, None), "its text is not copied"
    assert by_id[episode_id(answer.id)]["source"] == "answer"


def test_what_was_said_before_the_record_had_episodes_gets_them(known):
    message = known.say(known.conversation(), "Ida lives in Graz.")
    (row,) = known.store.read("SELECT * FROM alternatives WHERE id = :id", {"id": message.id})
    row.pop("shown_in", None)  # SQLite computes it
    older = {**row, "id": f"before {message.id}", "content": "Tove lives in Linz.", "sequence": 2, "is_active": 0}
    known.store.update(lambda unit: unit.write(insertion("alternatives", older), older))
    known.extract()
    assert known.names() == {"Ida", "Graz", "Tove", "Linz"}
    assert add_missing_episodes(known.store, known.user) == 0


def test_an_episode_is_extracted_once_however_often_it_is_tried(known):
    known.say(known.conversation(), "Tove lives in Linz. Ida lives in Graz.")
    waiting = known.queue.list_waiting(known.user)
    known.extract()
    before = counts(known)
    assert before == (4, 4, 2)
    assert not known.queue.finish(known.user, waiting[0], ExtractionResult(["Somebody Else"]))
    known.extract()
    assert counts(known) == before
    assert known.queue.state(known.user).waiting == 0


def test_threads_that_extract_at_once_write_nothing_twice(known):
    for number in range(12):
        known.say(known.conversation(), f"Tove met Ida in house number {number}.")
    with ThreadPoolExecutor(4) as pool:
        done = sum(pool.map(lambda _: known.queue.extract_by_code(known.user), range(4)))
    assert done == 12
    mentions, entities, facts = counts(known)
    assert (mentions, entities, facts) == (24, 2, 12)


def test_only_one_process_works_for_a_user_until_its_lease_is_over(known):
    assert known.queue.take(known.user, "first")
    assert known.queue.take(known.user, "first")
    assert not known.queue.take(known.user, "second")
    known.world.clock.sleep(91)
    assert known.queue.take(known.user, "second")
    known.queue.release(known.user, "first")
    assert not known.queue.take(known.user, "first"), "who lost the lease releases nothing"
    known.queue.release(known.user, "second")
    assert known.queue.take(known.user, "first")


def test_what_only_a_model_said_is_no_evidence_platform_36(known):
    message = known.say(known.conversation(), "Who lives in Linz?")
    known.answer(message, "Tove Lindberg lives in Linz. Ida lives there, too.")
    known.extract()
    assert known.names() == {"Linz"}
    assert counts(known)[2] == 0
    (linz,) = known.entities.list_most_mentioned(known.user)
    assert linz.mentions == 2, "that it was named again is known"


def test_facts_of_code_are_candidates_and_never_contradict_platform_36(known):
    known.tell("Tove lives in Linz.", "Tove no longer lives in Linz.")
    facts = known.about("Tove")
    assert [each.state for each in facts] == ["candidate", "candidate"]
    assert {said.kind for each in facts for said in each.assertions} == {"states"}


def test_a_fact_of_code_joins_the_names_of_one_clause(known):
    known.say(known.conversation(), "My brother is Carl; Anna works at Siemens.")
    known.extract()
    (row,) = known.store.read(JOINED, {"user": known.user})
    assert (row["subject"], row["object"]) == ("Anna", "Siemens")


def test_another_user_has_other_knowledge_platform_16(known):
    known.tell("Tove lives in Linz.")
    eve = known.world.user("eve")
    assert known.entities.list_most_mentioned(eve) == []
    assert known.queue.state(eve).episodes == 0
