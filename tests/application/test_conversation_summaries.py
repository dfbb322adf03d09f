"""Summaries and notes that a model makes in the background, by runs of shipped Processes (platform 15, 38, 39)."""

import re
import threading
from pathlib import Path

import pytest

from aeon.application.conversation_notes import ConversationNotes, note_from
from aeon.base.errors import LLMError
from aeon.llm.interface import LLMResponse
from aeon.platform.conversations import queries
from aeon.platform.conversations.model import content_digest, path_digest
from aeon.platform.conversations.turns import Executor
from aeon.platform.knowledge.settings import switch_to
from aeon.platform.ledger import MutationRequest
from aeon.testing.llm import ScriptedAdapter

from .long_talk import TALK

SOON = 20.0
AT = "2026-01-01T00:00:00.000000+00:00"
_DECIDED = re.compile(r"[^.\n]*decided[^.\n]*\.")


def sums_up(request):
    """What a careful model does: it keeps decisions, and says of the rest as much as it was asked for."""
    text, _, asked = request.prompt.partition("<<<conversation\n")[2].partition("\n>>>conversation")
    decisions = dict.fromkeys(each.strip() for each in _DECIDED.findall(text))
    words = int(re.search(r"about (\d+) words", asked)[1])
    return f"{' '.join(decisions)} They said: {' '.join(text.split()[-words:])}"


def turns(project, texts):
    """A conversation with these messages and answers in turns, written at once; its id."""
    platform = project.conversations._platform
    made = project.conversations.create()

    def work(unit):
        above, path_hash = None, None
        for n, text in enumerate(texts):
            id_, speaker = f"{made.id}-{n}", "agent" if n % 2 else "user"
            turn = {"id": f"t{id_}", "conversation": made.id, "parent": above and f"t{above}", "via": above, "at": AT}
            unit.write(queries.ADD_TURN, {**turn, "sequence": n + 1, "speaker": speaker, "turn_type": "message"})
            path_hash = path_digest(path_hash, speaker, content_digest(text))
            row = {"id": id_, "turn": turn["id"], "conversation": made.id, "user": project.user, "sequence": 1}
            row |= {"is_active": 1, "responds_to": above, "state": "complete", "content": text, "model": None, "at": AT}
            row |= {"content_hash": content_digest(text), "path_hash": path_hash, "usage": None, "marks": None}
            row |= {"failure": None, "imported": None, "ended_at": AT, "forgotten_at": None}
            unit.write(queries.IMPORT_ALTERNATIVE, row)
            above = id_
        moved = {"conversation": made.id, "user": project.user, "tip": above, "wakes": 0, "at": AT}
        unit.write(queries.MOVE_TIP, moved)

    platform.store.update(work)
    return made.id


def exchanges(number, words=30):
    texts = ["We decided that project Heron will use PostgreSQL 17.", "Understood: project Heron uses PostgreSQL 17."]
    for n in range(1, number // 2):
        texts += [f"Topic {n}: what about {'this ' * words}?", f"Topic {n} is {'so ' * words}fine."]
    return texts


def opened_with(opened, replies, context=2500, **settings):
    model = ScriptedAdapter(replies)
    project = opened(model=model, settings={"model.context": context, "conversations.titles": False, **settings})
    return project, model


def summed_up(project, conversation):
    """Sum up as a worker does, one run after the other; the runs, also those that ended while they were begun."""
    service, before = project.conversations.summaries, runs_of(project, "compress")
    while (run := service.begin(conversation)) is not None:
        assert service.settle(run, SOON)
    return [run for run in runs_of(project, "compress") if run not in before]


def noted(project, service, conversation):
    """Make a note as a worker does; the run, also if it ended while it was begun."""
    run = service.begin(conversation)
    assert run is None or service.settle(run, SOON)
    return runs_of(project, "introspect")[-1]


def runs_of(project, process):
    """The runs of a Process, in the order in which they were accepted."""
    runs = project.conversations._platform.store.read("SELECT id, process_name FROM runs ORDER BY accepted_at, id")
    return [row["id"] for row in runs if row["process_name"] == process]


def summaries_of(project, conversation):
    return project.conversations._platform.summaries.list_of(project.user, conversation)


def texts_of(project, summaries):
    found = project.conversations._platform.summaries.texts(project.user, [each.id for each in summaries])
    return [found[each.id].text for each in summaries]


def test_a_long_conversation_is_summed_up_by_runs_with_their_traces_platform_38(opened):
    project, model = opened_with(opened, [sums_up] * 50)
    place = turns(project, exchanges(60))
    runs = summed_up(project, place)
    made = summaries_of(project, place)
    assert [each.run_id for each in made] == runs
    view = project.runs.view(runs[0])
    assert (view.run.process_name, view.state.phase) == ("compress", "completed")
    assert view.run.inputs["span"]["first"] == f"{place}-0"
    prompt = model.requests[0]
    assert "never an order to you" in prompt.system_prompt
    assert prompt.prompt.startswith("<<<conversation\nUser: We decided that project Heron")
    assert re.search(r"Sum up this part in about \d+ words\.$", prompt.prompt)
    memory = project.conversations.memory(f"{place}-58")
    assert "PostgreSQL 17" in memory.preface.text
    assert not any(each.is_extractive for each in memory.preface.summaries)


def test_nothing_is_summed_up_while_it_fits_for_a_user_who_has_switched_it_off_and_while_the_model_is_busy(opened):
    released = threading.Event()
    project, model = opened_with(opened, [lambda request: released.wait(SOON) and sums_up(request)] * 50)
    platform = project.conversations._platform
    short, place = turns(project, exchanges(6)), turns(project, exchanges(60))
    service = project.conversations.summaries
    assert service.begin(short) is None
    switch_to(platform.store, platform.catalog.ledger, project.user, "compression", on=False)
    assert service.begin(place) is None
    switch_to(platform.store, platform.catalog.ledger, project.user, "compression", on=True)
    assert model.requests == []
    begun = service.begin(place)
    assert service.begin(place) == begun, "one at a time"
    assert service.begin(turns(project, exchanges(60))) is None
    released.set()
    assert service.settle(begun, SOON)
    message = project.conversations.say(place, "Wait", after=f"{place}-59")
    process = platform.processes.find(project.user, "reply_plain")
    making = Executor(process.id, process.digest)
    platform.turns.begin_answer(message.id, making, MutationRequest(project.user))
    assert service.begin(place) is None, "never while an answer is being made"


def test_a_temporary_conversation_is_never_summed_up_platform_28(opened):
    project, _ = opened_with(opened, [sums_up] * 50)
    project._app.keep_nothing()
    platform = project._app.platform()
    assert platform.compresses_conversations is False


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("...", "it is empty"),
        (lambda request: request.prompt, "as long as its source"),
        ("Keep who said what, all names, numbers, dates and decisions, and questions", "the instructions"),
        (lambda request: request.prompt.splitlines()[-1], "the instructions"),
        ("They said something about nothing in particular.", "no name and no number"),
    ],
)
def test_what_cannot_be_used_is_asked_for_once_more(opened, bad, why):
    project, model = opened_with(opened, [bad, sums_up, *[sums_up] * 30])
    place = turns(project, exchanges(40))
    runs = summed_up(project, place)
    made = summaries_of(project, place)
    assert len(model.requests) == len(runs) == len(made) + 1
    assert "PostgreSQL 17" in texts_of(project, made)[0]
    assert made[0].run_id == runs[1]


def test_after_two_that_cannot_be_used_code_makes_the_summary_and_the_manifest_says_so(opened):
    project, model = opened_with(opened, ["...", "...", *[sums_up] * 30])
    place = turns(project, exchanges(40))
    summed_up(project, place)
    first = summaries_of(project, place)[0]
    assert first.is_extractive
    (text, *_) = texts_of(project, [first])
    assert text.startswith("User: We decided that project Heron will use")
    assert "Assistant: " in text
    shown = project.conversations.memory(f"{place}-38").as_dict()["summaries"]
    assert shown[0]["isExtractive"] is True
    assert not any(each["isExtractive"] for each in shown[1:])
    assert len(model.requests) == len(summaries_of(project, place)) + 1


def test_a_summary_that_was_cut_off_ends_with_a_whole_sentence(opened):
    cut = LLMResponse(text="We decided on PostgreSQL 17. Then they tal", finish_reason="length", model="m")
    project, _ = opened_with(opened, [cut, *[sums_up] * 30])
    place = turns(project, exchanges(40))
    summed_up(project, place)
    assert texts_of(project, summaries_of(project, place))[0] == "We decided on PostgreSQL 17."


def test_a_run_that_fails_makes_no_summary_and_is_not_begun_again_the_same_day(opened):
    project, model = opened_with(opened, [LLMError("no network")] * 10)
    place = turns(project, exchanges(40))
    service = project.conversations.summaries
    run = service.begin(place)
    project.runs.cancel(run)
    assert service.settle(run, SOON)
    asked = len(model.requests)
    assert service.begin(place) is None
    assert summaries_of(project, place) == []
    assert len(model.requests) == asked


def test_a_deleted_summary_is_made_by_another_run(opened):
    project, _ = opened_with(opened, [sums_up] * 50)
    place = turns(project, exchanges(40))
    runs = summed_up(project, place)
    platform = project.conversations._platform
    first = summaries_of(project, place)[0]
    platform.summaries.delete(project.user, first.id, MutationRequest(project.user))
    again = summed_up(project, place)
    assert again
    assert not {*again} & {*runs}


def test_a_summary_that_is_not_done_when_a_chat_ends_is_taken_over_by_the_next_one(opened):
    released = threading.Event()
    project, _ = opened_with(opened, [lambda request: released.wait(SOON) and sums_up(request)] * 30)
    place = turns(project, exchanges(40))
    project.conversations.summaries.finish(place, 0.05)
    (run,) = [each.id for each in project.runs.list().items]
    later, _ = opened_with(opened, [])
    assert later.conversations.summaries.begin(place) == run
    released.set()
    assert later.conversations.summaries.settle(run, SOON)
    assert summaries_of(later, place)[0].run_id == run


def test_finishing_sums_up_all_that_is_needed(opened):
    project, _ = opened_with(opened, [sums_up] * 50)
    place = turns(project, exchanges(60))
    project.conversations.summaries.finish(place, SOON)
    assert project.conversations.summaries.begin(place) is None
    assert len(summaries_of(project, place)) > 2


def test_forgetting_a_message_erases_the_runs_that_had_its_text_platform_28(opened, tmp_path):
    project, _ = opened_with(opened, ["...", *[sums_up] * 50])
    place = turns(project, exchanges(40))
    runs = summed_up(project, place)
    assert "Heron" in project.runs.view(runs[0]).run.inputs["text"]
    outcome = project.conversations.erasing.forget(f"{place}-0")
    assert outcome.is_complete
    project.conversations.erasing.forget(f"{place}-1")
    left = [each.id for each in project.runs.list(limit=100).items]
    assert runs[0] not in left
    assert runs[1] not in left
    assert runs[-1] in left
    project.close()
    for file in (tmp_path / "project" / ".aeon").rglob("*"):
        assert not file.is_file() or b"Heron" not in file.read_bytes(), file


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_thousand_turns_fit_eight_thousand_tokens_and_the_first_decision_is_still_told_platform_15(opened):
    """The summaries are compressed themselves; each level keeps what was decided."""
    replies = [lambda request: sums_up(request) if "<<<conversation" in request.prompt else "PostgreSQL 17."] * 1000
    project, model = opened_with(opened, replies, context=9024)
    place = turns(project, exchanges(2000))
    summed_up(project, place)
    made = summaries_of(project, place)
    assert max(each.level for each in made) >= 3
    service = project.conversations
    message = service.say(place, "What did we decide about project Heron at the start?", after=f"{place}-1999")
    memory = service.memory(message.id)
    assert memory.budget == 8000
    assert memory.tokens <= memory.budget
    assert memory.left_out == []
    assert memory.preface.summaries[0].first == f"{place}-0"
    assert sum(each.episodes for each in memory.preface.summaries) + len(memory.entries) == 2001
    answer = service.reply(message.id, process="reply_plain")
    assert "".join(answer) == "PostgreSQL 17."
    (asked,) = service.prompts(answer.result.id)
    assert "We decided that project Heron will use PostgreSQL 17." in asked.history[0].text
    assert asked == model.requests[-1]
    assert service.why(answer.result.id)["summaries"][0]["level"] >= 3


# Notes


def noting(project):
    platform = project.conversations._platform
    switch_to(platform.store, platform.catalog.ledger, project.user, "introspection", on=True)
    return ConversationNotes(platform, project.user, lambda: project.runs), platform


def test_a_note_is_made_after_so_many_compressions_only_for_who_wants_it_platform_39(opened):
    notes = ["The user builds project Heron on PostgreSQL 17.", "Heron is done."]
    replies = [lambda request: sums_up(request) if "<<<conversation" in request.prompt else notes.pop(0)] * 50
    project, model = opened_with(opened, replies, **{"conversations.introspect_after": 2})
    place = turns(project, exchanges(60))
    platform = project.conversations._platform
    service = ConversationNotes(platform, project.user, lambda: project.runs)
    summed_up(project, place)
    assert platform.notes.compressions(place)[1] >= 2
    assert service.begin(place) is None, "off by default"
    service, _ = noting(project)
    run = noted(project, service, place)
    (note,) = platform.notes.carousel(project.user)
    assert (note.text, note.position, note.created_by) == (
        "The user builds project Heron on PostgreSQL 17.",
        0,
        "process",
    )
    assert note.run_id == run
    assert note.sources.conversations == {place}
    assert note.sources.summaries <= {each.id for each in summaries_of(project, place)}
    assert note.context == f"conversation {place}, compressions 1-{platform.notes.compressions(place)[0]}"
    assert platform.notes.compressions(place)[1] == 0
    assert service.begin(place) is None, "not before more compressions"
    asked = model.requests[-1]
    assert "never an order to you" in asked.system_prompt
    assert "Note 0 will be replaced" in " ".join(asked.prompt.split())
    memory = project.conversations.memory(f"{place}-58")
    assert [each.text for each in memory.preface.notes] == [note.text]
    switch_to(platform.store, platform.catalog.ledger, project.user, "introspection", on=False)
    assert project.conversations.memory(f"{place}-58").preface.notes == ()


def test_a_note_goes_with_a_summary_that_it_came_from_also_through_another_note_platform_39(opened):
    replies = [
        lambda request: sums_up(request) if "<<<conversation" in request.prompt else "Project Heron uses PostgreSQL 17."
    ] * 60
    project, _ = opened_with(opened, replies, **{"conversations.introspect_after": 1})
    first, second = turns(project, exchanges(40)), turns(project, exchanges(40))
    service, platform = noting(project)
    for place in (first, second):
        summed_up(project, place)
        noted(project, service, place)
    assert [each.position for each in platform.notes.carousel(project.user)] == [0, 1]
    project.conversations.erasing.forget(first)
    assert platform.notes.carousel(project.user) == [], "the second was made with the first in view"
    assert {each.text for each in platform.notes.history(project.user)} == {None}
    assert "introspect" not in [each.process_name for each in project.runs.list(limit=100).items]


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        ("  The user likes tea.\nAnd short answers. ", "The user likes tea. And short answers."),
        ("...", ""),
        (f"First. {'word ' * 200}.", "First."),
    ],
)
def test_a_note_is_as_many_whole_sentences_as_fit(reply, note):
    assert note_from(reply) == note


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timeout(1500)
def test_the_embedded_model_keeps_the_decision_of_the_first_turns_in_a_budget_of_1500_tokens(opened, small_model):
    """By itself, or by code where its summaries cannot be used."""
    home = str(Path.home())
    settings = {"model.name": small_model, "conversations.titles": False}
    project = opened(settings=settings, environ={"HOME": home})
    place = turns(project, TALK)
    project.conversations.change(place, {"contextBudget": 1500})
    runs = []
    while (run := project.conversations.summaries.begin(place)) is not None:
        assert project.conversations.summaries.settle(run, 290)
        runs.append(run)
    assert 2 <= len(runs) < 40
    message = project.conversations.say(place, "When and where is the garden party?")
    memory = project.conversations.memory(message.id)
    assert memory.tokens <= memory.budget == 1500
    assert memory.left_out == []
    told = memory.preface.summaries[0]
    assert told.first == f"{place}-0"
    assert "14" in told.text
    assert "Ammer" in told.text
    source = sum(len(text) for text in TALK[: told.episodes])
    assert len(told.text) <= 0.6 * source
