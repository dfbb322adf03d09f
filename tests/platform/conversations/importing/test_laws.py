"""Laws of imports: no message is lost, whatever the tree; an export imports to an equal tree (platform 27)."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.platform.conversations.conftest import Talk

from aeon.base.json import canonical_json
from aeon.platform.conversations import queries
from aeon.platform.conversations.exporting import exported_conversation
from aeon.platform.conversations.importing.arrange import SourceConversation, SourceMessage, arrange
from aeon.platform.conversations.importing.formats import read_conversation
from aeon.platform.conversations.importing.tree import BrokenConversationError
from aeon.platform.conversations.importing.writer import ImportWriter
from aeon.platform.conversations.model import ConversationChange
from aeon.platform.conversations.turns import EndedAnswer
from aeon.platform.ledger import MutationRequest

IDS = st.sampled_from("abcdefgh")
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=[]), max_size=8)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {
            "id": IDS,
            "parent": st.none() | IDS | st.just("missing"),
            "role": st.sampled_from(["user", "assistant", "tool", "system"]),
            "content": ANY_TEXT,
            "created_at": st.none() | st.just("2026-01-01T00:00:00.000000+00:00"),
            "rank": st.integers(0, 3),
        }
    ).map(lambda fields: SourceMessage(**fields)),
    max_size=12,
)


def sources(number):
    """Any conversation of a foreign file, under a key of its own."""
    fields = st.tuples(st.none() | st.just("Title"), MESSAGES, st.none() | IDS)
    return fields.map(
        lambda drawn: SourceConversation("chatgpt", f"chatgpt:{number}", drawn[0], None, None, drawn[1], drawn[2])
    )


@given(sources(0))
def test_every_message_is_an_alternative_of_a_tree_that_the_record_takes_platform_27(source):
    tree = arrange(source)
    found = list(tree.alternatives())
    assert len(found) == len(source.messages)
    assert sorted(each.imported["id"] for each in found) == sorted(each.id for each in source.messages)
    assert all(sum(each.is_active for each in turn.alternatives) == 1 for turn in tree.turns)
    assert (tree.tip is None) == (not found)
    at, by_id = tree.tip, {each.id: each for each in found}
    while at is not None:
        assert by_id[at].is_active
        at = by_id[at].responds_to


class Transfer:
    """Two users of one record: what one exports, the other imports."""

    def __init__(self, store):
        self.talk = Talk(store)
        self.other = self.talk.world.user("bob")
        self.writer = ImportWriter(store, self.talk.world.catalog.ledger)

    def exported(self, user, id_):
        conversation, alternatives = self.talk.turns.whole(user, id_)
        origin = conversation.forked_from_id and self.talk.conversations.get(user, conversation.forked_from_id)
        return exported_conversation(conversation, alternatives, origin or None, {})

    def imported(self, exported, user=None):
        return self.writer.write(user or self.other, read_conversation(canonical_json(exported)))


@pytest.fixture(scope="module")
def transfer(store):
    return Transfer(store)


def without_ids(exported):
    """An export with the place of each thing instead of its id."""
    turns = exported["turns"]
    places = {None: None}
    for turn in sorted(turns, key=lambda turn: str(places)):
        places[turn["id"]] = f"turn {len(places)}"
        places |= {each["id"]: f"alternative {len(places)}.{n}" for n, each in enumerate(turn["alternatives"])}
    fields = ("title", "titleBy", "status", "pinned", "tags", "contextBudget", "createdAt", "updatedAt")
    return {
        **{name: exported[name] for name in fields},
        "tip": places[exported["tip"]],
        "turns": [
            {
                **turn,
                **{name: places[turn[name]] for name in ("id", "parent", "via")},
                "alternatives": [
                    {**each, "id": places[each["id"]], "respondsTo": places[each["respondsTo"]]}
                    for each in turn["alternatives"]
                ],
            }
            for turn in turns
        ],
    }


def in_order_of_paths(exported):
    """The turns in an order that does not depend on ids: those of one depth by the place of what they answer."""
    exported = json.loads(json.dumps(exported))
    rank = {None: ()}
    for turn in exported["turns"]:
        rank[turn["id"]] = (*rank[turn["parent"]], rank.get(("alternative", turn["via"]), 0))
        rank |= {("alternative", each["id"]): n for n, each in enumerate(turn["alternatives"])}
    exported["turns"].sort(key=lambda turn: (len(rank[turn["id"]]), rank[turn["id"]]))
    return without_ids(exported)


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["say", "edit", "answer", "regenerate", "activate", "stop", "fail"]),
        st.integers(0, 50),
        ANY_TEXT,
    ),
    min_size=1,
    max_size=15,
)


def grow(talk, conversation, operations):
    """Do what can be done of any operations."""
    for what, number, text in operations:
        said = text.strip() + "."
        found = talk.turns.tree(talk.user, conversation.id, limit=1000)
        messages = [each for each in found if each.turn.speaker == "user"]
        answers = [each for each in found if each.turn.speaker == "agent"]
        complete = [each for each in answers if each.state != "failed"]
        if what == "edit" and messages:
            talk.turns.edit(messages[number % len(messages)].id, said, talk.request())
        elif what == "activate" and found:
            talk.turns.activate(found[number % len(found)].id, talk.request())
        elif what == "regenerate" and answers:
            begun = talk.turns.regenerate(answers[number % len(answers)].id, talk.executor, talk.request())
            talk.end(begun, said, model="m", usage={"tokens": number})
        elif what in ("answer", "stop", "fail") and messages:
            begun = talk.turns.begin_answer(messages[number % len(messages)].id, talk.executor, talk.request())
            ended = EndedAnswer(None if what == "fail" else said, "why", is_stopped=what == "stop")
            assert talk.turns.end_answer(talk.user, begun.id, ended)
        elif what == "say" and (complete or not found):
            after = complete[number % len(complete)].id if complete else None
            talk.turns.append(conversation.id, said, talk.request(), after)


@settings(suppress_health_check=list(HealthCheck))
@given(OPERATIONS, st.booleans(), st.sets(st.sampled_from(["a", "b c"])))
def test_an_export_imports_to_an_equal_tree_platform_27(transfer, operations, pinned, tags):
    talk = transfer.talk
    conversation = talk.conversation(title="A title")
    change = ConversationChange(pinned=pinned, tags=sorted(tags), context_budget=4000)
    grow(talk, conversation, operations)
    talk.conversations.change(conversation.id, change, talk.request())
    before = transfer.exported(talk.user, conversation.id)
    made = transfer.imported(before)
    after = transfer.exported(transfer.other, made.id)
    assert in_order_of_paths(after) == in_order_of_paths(before)
    assert transfer.imported(before) == made._replace(state="present")
    assert transfer.imported(before, talk.user).id == conversation.id


@settings(suppress_health_check=list(HealthCheck))
@given(st.data())
def test_what_was_imported_from_elsewhere_is_exported_and_imported_equal_platform_27(transfer, data):
    transfer.number = getattr(transfer, "number", 0) + 1
    tree = arrange(data.draw(sources(transfer.number)))
    first = transfer.exported(transfer.talk.user, transfer.writer.write(transfer.talk.user, tree).id)
    second = transfer.exported(transfer.other, transfer.imported(first).id)
    assert in_order_of_paths(second) == in_order_of_paths(first)
    assert sum(len(turn["alternatives"]) for turn in first["turns"]) == sum(1 for _ in tree.alternatives())


def test_the_path_hashes_of_an_import_are_those_of_the_original(transfer):
    talk = transfer.talk
    conversation = talk.conversation()
    talk.answer(talk.say(conversation, "q"), "a")
    made = transfer.imported(transfer.exported(talk.user, conversation.id))
    hashes = [
        [each.path_hash for each in talk.turns.tree(user, id_)]
        for user, id_ in ((talk.user, conversation.id), (transfer.other, made.id))
    ]
    assert hashes[0] == hashes[1]


def test_forks_that_are_exported_with_their_origin_stay_linked_platform_27(transfer):
    talk = transfer.talk
    conversation = talk.conversation()
    answer = talk.answer(talk.say(conversation, "q"), "a")
    fork = talk.turns.fork(answer.id, "fork", talk.request())
    talk.say(fork, "further")
    exports = [transfer.exported(talk.user, each.id) for each in (conversation, fork)]
    alone = transfer.imported(exports[1], talk.world.user("carl"))
    assert not alone.has_origin
    origin, other = [transfer.imported(each) for each in exports]
    found = talk.conversations.get(transfer.other, other.id)
    assert found.forked_from_id == origin.id
    assert talk.turns.get(transfer.other, found.origin_alternative_id).content == "a"
    assert other.has_origin


def test_an_answer_that_is_being_made_is_exported_so_and_imported_as_failed_platform_27(transfer):
    talk = transfer.talk
    conversation = talk.conversation()
    talk.turns.begin_answer(talk.say(conversation, "q").id, talk.executor, talk.request())
    exported = transfer.exported(talk.user, conversation.id)
    assert exported["turns"][1]["alternatives"][0]["state"] == "generating"
    made = transfer.imported(exported)
    answer = talk.turns.tree(transfer.other, made.id)[1]
    assert (answer.state, answer.failure) == ("failed", "it was being made when the conversation was exported")


def test_the_process_that_made_an_answer_is_named_by_exports_of_imports_too(transfer):
    talk = transfer.talk
    conversation = talk.conversation()
    talk.answer(talk.say(conversation))
    exported = transfer.exported(talk.user, conversation.id)
    again = transfer.exported(transfer.other, transfer.imported(exported).id)
    made_by = [each["turns"][1]["alternatives"][0]["executedBy"] for each in (exported, again)]
    assert made_by == [{"process": talk.executor.process, "digest": talk.executor.digest}] * 2


def test_the_same_key_of_two_users_makes_two_conversations(transfer):
    tree = arrange(SourceConversation("claude", "claude:both", "t", None, None, [], None))
    users = [transfer.talk.world.user(name) for name in ("dora", "emil")]
    made = [transfer.writer.write(user, tree) for user in users]
    assert [each.state for each in made] == ["new", "new"]
    assert made[0].id != made[1].id


@settings(suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_newer_file_adds_what_is_new_and_nothing_twice_platform_27(transfer, data):
    transfer.number = getattr(transfer, "number", 0) + 1
    source = data.draw(sources(transfer.number))
    cut = data.draw(st.integers(0, len(source.messages)))
    older, newer = arrange(source._replace(messages=source.messages[:cut], current=None)), arrange(source)
    writer, talk = transfer.writer, transfer.talk
    made = writer.write(talk.user, older)
    added = len(source.messages) - cut
    grown = writer.write(talk.user, newer)
    assert grown == made._replace(state="grown" if added else "present", newer=added)
    assert writer.write(talk.user, newer).state == "present"
    conversation, found = talk.turns.whole(talk.user, made.id)
    assert sorted(each.imported["id"] for each in found) == sorted(each.id for each in source.messages)
    assert len({each.turn.id for each in found if each.is_active}) == len({each.turn.id for each in found})
    path = [] if conversation.tip_id is None else talk.turns.path(talk.user, conversation.tip_id, 1000)
    assert all(each.is_active for each in path)


def chain(*ids, current=None):
    messages = [
        SourceMessage(id_, before, "user" if n % 2 == 0 else "assistant", id_, None)
        for n, (id_, before) in enumerate(zip(ids, [None, *ids], strict=False))
    ]
    return arrange(SourceConversation("claude", "claude:grows", "t", None, None, messages, current))


def test_the_shown_branch_follows_a_newer_file_unless_the_user_has_gone_on_platform_27(transfer):
    talk = transfer.talk
    made = transfer.writer.write(talk.user, chain("a", "b"))

    def shown():
        tip = talk.conversations.get(talk.user, made.id).tip_id
        return [each.content for each in talk.turns.path(talk.user, tip)]

    assert (transfer.writer.write(talk.user, chain("a", "b", "c", "d")).newer, shown()) == (2, ["a", "b", "c", "d"])
    own = talk.turns.append(made.id, "mine", talk.request())
    assert transfer.writer.write(talk.user, chain("a", "b", "c", "d", "e", "f")).newer == 2
    assert shown() == ["a", "b", "c", "d", "mine"]
    siblings = talk.turns.list_siblings(talk.user, own.id)
    assert [(each.content, each.is_active) for each in siblings] == [("e", False), ("mine", True)]
    assert [each.content for each in talk.turns.list_responses(talk.user, siblings[0].id)] == ["f"]


def test_a_turn_that_a_newer_file_adds_in_part_shows_one_alternative_platform_12(transfer):
    """What the file shows of it answers a message that the user has had answered, so it goes to the user's own turn."""
    talk = transfer.talk
    conversation = talk.conversation()
    first = talk.say(conversation, "q")
    edited = talk.turns.edit(first.id, "q again", talk.request())
    made = transfer.imported(transfer.exported(talk.user, conversation.id))
    mine = MutationRequest(transfer.other)
    copied = next(each for each in talk.turns.tree(transfer.other, made.id) if each.content == "q again")
    begun = talk.turns.begin_answer(copied.id, talk.executor, mine)
    talk.turns.end_answer(transfer.other, begun.id, EndedAnswer("mine"))
    talk.turns.activate(first.id, talk.request())
    stale = talk.answer(first, "theirs")
    talk.turns.activate(edited.id, talk.request())
    talk.end(talk.turns.regenerate(stale.id, talk.executor, talk.request()), "theirs again")
    assert transfer.imported(transfer.exported(talk.user, conversation.id)).newer == 2
    found = talk.turns.tree(transfer.other, made.id)
    assert {each.content: each.is_active for each in found} == {
        "q": False,
        "q again": True,
        "mine": True,
        "theirs": True,
        "theirs again": False,
    }


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("tip",), "nobody", r"\$.tip"),
        (("turns", 1, "parent"), "nobody", r"\$.turns\[1\].parent"),
        (("turns", 1, "via"), None, r"\$.turns\[1\].via"),
        (("turns", 0, "turnType"), "summary", r"\$.turns\[0\].turnType"),
        (("turns", 1, "alternatives", 0, "isActive"), False, "exactly one is active"),
        (("turns", 1, "alternatives", 0, "respondsTo"), None, r"respondsTo"),
        (("turns", 1, "alternatives", 0, "content"), None, r"content"),
        (("turns", 1, "alternatives", 0, "createdAt"), "today", "not an instant"),
        (("turns", 1, "alternatives", 0, "unknown"), 1, "unknown"),
        (("titleBy",), "user", "titleBy"),
        (("tags",), ["a,b"], "tags"),
    ],
)
def test_a_tree_that_is_none_is_refused_with_the_place(transfer, place, value, reason):
    talk = transfer.talk
    conversation = talk.conversation()
    talk.answer(talk.say(conversation))
    exported = transfer.exported(talk.user, conversation.id)
    at = exported
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = value
    with pytest.raises(BrokenConversationError, match=reason):
        transfer.imported(exported)


def test_an_import_is_in_the_audit_log_without_its_content(transfer):
    user = transfer.talk.world.user("gus")
    tree = arrange(SourceConversation("claude", "claude:audit", "secret title", None, None, [], None))
    made = transfer.writer.write(user, tree)
    last = list(transfer.talk.world.catalog.ledger.audit_log(user))[-1]
    assert (last["action"], last["subject"]) == ("conversation.import", made.id)
    assert "secret" not in last["details"]


def test_a_conversation_goes_on_after_an_import(transfer):
    messages = [
        SourceMessage("q", None, "user", "x", None),
        SourceMessage("t", "q", "tool", "x", None),
        SourceMessage("a", "t", "assistant", "x", None),
    ]
    tree = arrange(SourceConversation("chatgpt", "chatgpt:goes on", "t", None, None, messages, None))
    talk = transfer.talk
    made = transfer.writer.write(talk.user, tree)
    said = talk.turns.append(made.id, "further", MutationRequest(talk.user))
    assert [each.content for each in talk.turns.path(talk.user, said.id)] == ["x", "x", "x", "further"]


@pytest.mark.parametrize(
    "parent", [lambda n: f"{n - 1}" if n else None, lambda n: "0" if n else None], ids=["deep", "wide"]
)
def test_a_tree_of_any_shape_is_arranged_in_linear_time(parent):
    messages = [SourceMessage(f"{n}", parent(n), "user", "x", None) for n in range(50_000)]
    tree = arrange(SourceConversation("chatgpt", "chatgpt:large", None, None, None, messages, None))
    assert sum(1 for _ in tree.alternatives()) == 50_000


@pytest.mark.parametrize(
    ("query", "params"),
    [
        (queries.IMPORTED, {"user": "u", "key": "k", "id": "i"}),
        (queries.AMONG, {"conversation": "c", "ids": ["a"]}),
    ],
)
def test_no_query_of_an_import_goes_through_a_table_that_grows(plans, query, params):
    is_by_index, plan = plans.is_by_index(query, params)
    assert is_by_index, plan


def test_two_imports_at_once_make_each_conversation_once_platform_27(transfer):
    user = transfer.talk.world.user("hal")
    messages = [SourceMessage("q", None, "user", "x", None), SourceMessage("a", "q", "assistant", "x", None)]
    trees = [
        arrange(SourceConversation("claude", f"claude:race {n}", "t", None, None, messages, None)) for n in range(20)
    ]
    with ThreadPoolExecutor(3) as pool:
        ended = list(
            pool.map(lambda tree: transfer.writer.write(user, tree), [each for each in trees for _ in range(3)])
        )
    assert sorted(each.state for each in ended) == ["new"] * 20 + ["present"] * 40
    assert len(transfer.talk.conversations.list_ids(user)) == 20
