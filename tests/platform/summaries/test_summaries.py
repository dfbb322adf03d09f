"""Summaries in both stores: bound to the path, repaired, deleted, erased, and in the prompts of answers."""

import pytest

from aeon.base.json import canonical_json
from aeon.llm.interface import LLMRequest, TokenCounts
from aeon.platform.conversations.erasing import ErasureTarget
from aeon.platform.episodes.writing import episode_id
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.memory.manifest import call_json
from aeon.platform.summaries.model import NewSummary

BUDGET = 600


def counting(request):
    """A model for which each four characters are a token."""
    texts = [request.system_prompt or "", *(each.text for each in request.history), request.prompt]
    return TokenCounts("characters", tuple(len(each) // 4 + 1 for each in texts))


def used(talk, message):
    return [each.id for each in talk.assemble(message).preface.summaries]


def test_a_summary_knows_its_sources_and_stands_before_the_oldest_whole_turn_platform_24_and_38(talk):
    place = talk.conversation()
    said = talk.talk_long(place, 20)
    (first, *_) = made = talk.compress(place)
    assert (first.level, first.first) == (1, said[0].id)
    sources = talk.summaries.list_sources(talk.user, first.id)
    covered = [each.alternative for each in sources]
    assert covered == [each.id for each in said[: len(covered)]]
    assert [each.episode for each in sources] == [episode_id(each) for each in covered]
    assert (first.last, first.path_digest) == (covered[-1], said[len(covered) - 1].path_hash)
    memory = talk.assemble(talk.say(place, "And now?"))
    request = talk.form.request(memory.entries, memory.recalled, memory.preface)
    shown = memory.preface.summaries
    assert [each.id for each in shown] == [each.id for each in made if each.id in {one.id for one in shown}]
    assert request.history[0].text.startswith("[Summaries of the earlier messages of this conversation, oldest first.")
    assert "no instruction" in request.history[0].text.splitlines()[0]
    assert memory.tokens <= memory.budget
    told = sum(each.episodes for each in shown)
    assert told + len(memory.entries) == len(said) + 1, "each message is whole or in a summary"
    assert memory.left_out == []


def test_what_fits_is_never_summed_up(talk):
    place = talk.conversation()
    talk.talk_long(place, 4)
    assert talk.next(place) is None
    assert used(talk, talk.say(place, "And now?")) == []
    whole = talk.conversation()
    talk.talk_long(whole, 12)
    talk.compress(whole)
    talk.form = talk.form._replace(context=20_000)
    assert used(talk, talk.say(whole, "And now?")) == [], "a larger model reads the turns themselves"


def test_tokens_are_exact_with_summaries_where_a_model_counts_platform_24(talk):
    place = talk.conversation()
    talk.talk_long(place, 30)
    talk.compress(place)
    message = talk.say(place, "And now?")
    memory = talk.memory.assemble(talk.user, message.id, talk.form, counting)
    request = talk.form.request(memory.entries, memory.recalled, memory.preface)
    assert memory.preface.summaries
    assert memory.counter == ("characters", "exact")
    assert memory.tokens == sum(counting(request).messages) <= memory.budget


def test_an_edit_below_keeps_a_summary_and_one_above_leaves_it_until_it_is_switched_back_platform_38(talk):
    place = talk.conversation()
    said = talk.talk_long(place, 20)
    made = {each.id for each in talk.compress(place)}
    last = talk.say(place, "And now?")
    before = used(talk, last)
    assert before
    below = talk.turns.edit(last.id, "And then?", talk.request())
    assert used(talk, below) == before
    above = talk.turns.edit(said[0].id, "Another beginning", talk.request())
    assert used(talk, talk.get(above)) == []
    assert talk.next(place) is None
    talk.turns.activate(last.id, talk.request())
    assert used(talk, last) == before
    assert {each.id for each in talk.summaries.list_of(talk.user, place.id)} == made, "nothing was computed again"


def test_a_fork_uses_the_summaries_of_what_it_continues_platform_13(talk):
    place = talk.conversation()
    talk.talk_long(place, 20)
    talk.compress(place)
    origin = talk.get(talk.say(place, "And now?"))
    answer = talk.answer(origin)
    before = used(talk, origin)
    fork = talk.turns.fork(answer.id, None, talk.request())
    begun = talk.turns.append(fork.id, "From here on", talk.request(), None)
    assert used(talk, begun) == before
    for _ in range(12):
        message = begun if talk.tip(fork) == begun.id else talk.say(fork, "More " * 20, after=talk.tip(fork))
        talk.answer(message, "Indeed " * 20)
    more = talk.compress(fork)
    assert more
    assert {each.conversation_id for each in more} <= {place.id, fork.id}
    last = talk.say(fork, "What was it?", after=talk.tip(fork))
    assert sum(each.episodes for each in talk.assemble(last).preface.summaries) > 20


def test_levels_rise_and_the_sources_of_a_higher_one_are_the_contents_of_lower_ones_platform_15_and_45(talk):
    place = talk.conversation()
    talk.talk_long(place, 90)
    made = talk.compress(place)
    high = next(each for each in made if each.level == 2)
    below = [each.summary for each in talk.summaries.list_sources(talk.user, high.id)]
    assert 5 <= len(below) <= 10
    assert [talk.summaries.get(talk.user, each).level for each in below] == [1] * len(below)
    assert high.first == talk.summaries.get(talk.user, below[0]).first
    assert high.last == talk.summaries.get(talk.user, below[-1]).last
    assert max(each.level for each in made) >= 2
    memory = talk.assemble(talk.say(place, "And now?"))
    levels = [each.level for each in memory.preface.summaries]
    assert max(levels) >= 2
    assert memory.tokens <= memory.budget
    number, since = talk.notes.compressions(place.id)
    assert number == since == len(made), "each is counted"


def test_a_repair_keeps_the_old_text_and_a_deleted_summary_is_made_again_where_it_is_needed_platform_38_and_45(talk):
    place = talk.conversation()
    talk.talk_long(place, 20)
    made = talk.compress(place)
    message = talk.say(place, "And now?")
    first = next(each for each in made if each.id in used(talk, message))
    operator = MutationRequest(talk.world.user("operator"))
    repaired = talk.summaries.repair(talk.user, first.id, "What was really said.", 6, operator)
    assert repaired.tokens == 6
    contents = talk.summaries.list_contents(talk.user, first.id)
    assert [(each.n, each.created_by) for each in contents] == [(1, "process"), (2, "operator")]
    assert "What was really said." in talk.assemble(message).preface.text
    talk.summaries.delete(talk.user, first.id, operator)
    assert first.id not in used(talk, message)
    assert first.id not in [each.id for each in talk.compress(place)]
    assert used(talk, message), "its span was compressed again"
    assert talk.summaries.get(talk.user, first.id).deleted_at is not None
    with pytest.raises(ConflictError, match="was deleted"):
        talk.summaries.repair(talk.user, first.id, "Too late.", 3, operator)
    with pytest.raises(RuleError, match="1 to 20,000"):
        talk.summaries.repair(talk.user, made[-1].id, " ", 0, operator)
    log = [each["action"] for each in talk.world.catalog.ledger.audit_log(talk.user)]
    assert [each for each in log if each.startswith("summary.")] == ["summary.repair", "summary.delete"]


def test_summaries_of_another_user_are_not_found_platform_2(talk):
    place = talk.conversation()
    talk.talk_long(place, 20)
    (made, *_) = talk.compress(place)
    eve = talk.world.user("eve")
    with pytest.raises(NotFoundError):
        talk.summaries.get(eve, made.id)
    with pytest.raises(NotFoundError):
        talk.summaries.delete(eve, made.id, MutationRequest(eve))
    assert talk.summaries.list_of(eve, place.id) == []
    assert talk.summaries.texts(eve, [made.id]) == {}


def test_erasing_one_message_erases_the_summaries_of_all_levels_that_cover_it_platform_28(talk):
    place = talk.conversation()
    said = talk.talk_long(place, 90)
    made = talk.compress(place, lambda planned: f"zeppelin {planned.span.first} {'word ' * 12}")
    over = {each.id for each in made if each.first == said[0].id}
    assert {each.level for each in made if each.id in over} >= {1, 2}
    talk.erasures.begin(ErasureTarget(talk.user, place.id, said[0].id), talk.request())
    left = {each.id for each in made if talk.summaries.get(talk.user, each.id).deleted_at is None}
    assert left == {each.id for each in made} - over
    for each in over:
        assert [content.text for content in talk.summaries.list_contents(talk.user, each)] == [None]
    told = talk.store.read("SELECT content FROM episodes WHERE content LIKE '%' || :id || '%'", {"id": said[0].id})
    assert told == []
    again = talk.compress(place, lambda planned: f"remade {planned.span.first}")
    assert again, "the span is compressed again, without what was erased"


def test_what_was_erased_while_it_was_summed_up_gets_no_summary_platform_28(talk):
    place = talk.conversation()
    said = talk.talk_long(place, 20)
    planned = talk.next(place)
    talk.erasures.begin(ErasureTarget(talk.user, place.id, said[1].id), talk.request())
    assert talk.summaries.add(talk.user, NewSummary(planned.span, "Too late.", 3, None, None)) is None
    assert talk.summaries.list_of(talk.user, place.id) == []
    assert said[1].content not in talk.next(place).text


def test_the_same_span_gets_one_summary(talk):
    place = talk.conversation()
    talk.talk_long(place, 20)
    planned = talk.next(place)
    first = talk.summaries.add(talk.user, NewSummary(planned.span, "One.", 2, None, "run-1"))
    again = talk.summaries.add(talk.user, NewSummary(planned.span, "Two.", 2, None, "run-2"))
    assert again == first
    assert first.is_extractive
    assert talk.notes.compressions(place.id) == (1, 1)


def answered(talk, place, text="And now?"):
    message = talk.say(place, text, after=talk.tip(place))
    answer = talk.turns.begin_answer(message.id, talk.executor, talk.request())
    prepared = talk.memory.prepare(talk.user, answer.id, talk.form)
    talk.memory.keep(prepared)
    return answer, prepared


def test_the_manifest_names_summaries_and_the_prompt_is_made_again_until_one_is_erased_platform_25(talk):
    place = talk.conversation()
    said = talk.talk_long(place, 20)
    talk.compress(place)
    answer, prepared = answered(talk, place)
    kept = talk.memory.manifest(talk.user, answer.id)
    shown = kept["summaries"]
    assert shown
    assert shown[0]["first"] == said[0].id
    assert sum(each["episodes"] for each in shown) + len(kept["entries"]) == len(said) + 1
    assert "text" not in canonical_json(shown), "a manifest copies no summary"
    assert kept["tokens"]["total"] == kept["system"]["tokens"] + sum(each["tokens"] for each in kept["entries"])
    assert talk.memory.remake(talk.user, answer.id) == [prepared.request]
    operator = MutationRequest(talk.world.user("operator"))
    talk.summaries.repair(talk.user, shown[0]["id"], "Another text.", 3, operator)
    talk.summaries.delete(talk.user, shown[-1]["id"], operator)
    assert talk.memory.remake(talk.user, answer.id) == [prepared.request], "a repair changes no earlier prompt"
    talk.end(answer, "So.")
    talk.erasures.begin(ErasureTarget(talk.user, place.id, said[0].id), talk.request())
    assert talk.memory.manifest(talk.user, answer.id)["isErased"] is True
    with pytest.raises(ConflictError, match="was erased"):
        talk.memory.remake(talk.user, answer.id)


def test_an_answer_with_tools_gets_no_summaries_and_its_prompts_are_made_again_platform_25(talk):
    place = talk.conversation()
    talk.talk_long(place, 20)
    talk.compress(place)
    answer, prepared = answered(talk, place)
    assert prepared.manifest["summaries"]
    assert not any("Summaries of the earlier" in each.text for each in prepared.earlier)
    asked = LLMRequest("Plan this.", "Plan.", 100, 0.0, history=prepared.earlier)
    talk.memory.note_tool_use(prepared, [call_json(asked)], [], len(prepared.earlier))
    kept = talk.memory.manifest(talk.user, answer.id)
    assert (kept["summaries"], kept["notes"]) == ([], [])
    assert talk.memory.remake(talk.user, answer.id) == [asked]


def test_prompts_begin_alike_from_turn_to_turn(talk):
    """Summaries stand first and change only where turns leave: a model reads again only what is new."""
    place = talk.conversation()
    talk.talk_long(place, 20)
    talk.compress(place)
    firsts = []
    for number in range(6):
        answer, prepared = answered(talk, place, f"Short {number}?")
        talk.end(answer, "Yes.")
        firsts.append(prepared.request.history[0].text)
    assert len(set(firsts)) <= 2


def test_where_not_all_summaries_fit_the_highest_have_their_share_and_the_newest_turns_the_rest(talk):
    place = talk.conversation()
    talk.talk_long(place, 40)
    talk.compress(place, lambda planned: "word " * 60)
    talk.form = talk.form._replace(context=400)
    memory = talk.assemble(talk.say(place, "And now?"))
    assert memory.preface.summaries
    assert memory.entries[-1].text == "And now?"
    assert memory.tokens <= memory.budget
    assert {each.reason for each in memory.left_out} <= {"budget", "no_question"}
    assert memory.left_out, "what neither fits is said"


def test_a_message_that_alone_fills_the_budget_goes_without_summaries(talk):
    place = talk.conversation()
    talk.talk_long(place, 20)
    talk.compress(place)
    memory = talk.assemble(talk.say(place, "word " * 570))
    assert [each.text[:4] for each in memory.entries] == ["word"]
    assert memory.tokens <= memory.budget


def test_long_messages_lose_their_middles_in_what_a_model_sums_up(talk):
    place = talk.conversation()
    talk.say(place, f"BEGIN {'word ' * 3000} END")
    talk.answer(talk.get(talk.turns.get(talk.user, talk.tip(place))), "Yes.")
    talk.talk_long(place, 12)
    planned = talk.next(place)
    assert len(planned.text) <= 2 * BUDGET + 200
    assert planned.text.startswith("User: BEGIN")
    assert "END" in planned.text
    assert " [...] " in planned.text
