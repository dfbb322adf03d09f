"""Requests that say what is to be kept under which name need no model."""

import pytest

from aeon.base.errors import ToolError
from aeon.memory.kv_store import InMemoryKVStore
from aeon.tools.memory_statements import read_forgotten, read_statement
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools


@pytest.mark.parametrize(
    ("request_", "name", "value"),
    [
        ("Remember that my locker code is 4711", "locker code", 4711),
        ("please remember: my locker code is 4711.", "locker code", 4711),
        ("Note that the rent is 950.50, please", "rent", 950.5),
        ("save my aunt's phone number = 030 5550142", "aunt's phone number", "030 5550142"),
        ("Remember my tram: 4", "tram", 4),
        ("Save 42 as answer", "answer", 42),
        ("Store my zip code as 01067", None, None),
        ("Remember that my zip code is 01067", "zip code", "01067"),
        ("Merk dir bitte: Mein Lieblingstee ist Rooibos.", "Lieblingstee", "Rooibos"),
        ("Speichere, dass die Miete 950 Euro ist", None, None),
        ("Merk dir: Das Passwort vom WLAN lautet Tulpe7", "Passwort vom WLAN", "Tulpe7"),
        ("Remember that my favourite colours are red and blue", "favourite colours", "red and blue"),
        ("Remember that the rent is 950, then tell me the rent for 3 months.", None, None),
        ("Remember that my code is 4711 and tell me what it is", None, None),
        ("Remember that my code is 4711. What is it?", None, None),
        ("Remember that my aunt's address is Hafenstr. 21, Bremen", "aunt's address", "Hafenstr. 21, Bremen"),
        ("Remember that my doctor is Dr. Weber", "doctor", "Dr. Weber"),
        ("Remember that my name is Ann and my city is Bonn", None, None),
        ("Remember that my code is 4711. I need it tomorrow.", None, None),
        ("Merk dir, mein Vermieter ist Herr Kopp", "Vermieter", "Herr Kopp"),
        ("Remember that it is raining", None, None),
        ("Remember that today is Friday", None, None),
        ("Remember what my code is", None, None),
        ("Do you remember what my code is?", None, None),
        ("Remember to buy milk", None, None),
        ("Note that Kim likes tea", None, None),
        ("Remember that my train is late if it snows", None, None),
        ("x" * 301, None, None),
        ("", None, None),
    ],
)
def test_a_name_and_a_value_are_read_if_nothing_else_is_wanted(request_, name, value):
    stated = read_statement(request_)

    assert (stated and stated.name, stated and stated.value) == (name, value)


def plan_for(request, **stored):
    memory = InMemoryKVStore()
    for key, value in stored.items():
        memory.write(key, value)
    plan = ToolRegistry(builtin_tools(memory), plans_always=False).offer(request).plan
    return plan and [(step.get("tool"), step.get("arguments")) for step in plan["steps"]]


@pytest.mark.parametrize(
    ("request_", "stored", "arguments"),
    [
        ("Remember that my locker code is 4711", {}, {"key": "locker code", "value": 4711}),
        ("Remember that my locker code is 4711", {"locker_code": 1}, {"key": "locker_code", "value": 4711}),
        ("set my desk to 27 please", {"desk": 14}, {"key": "desk", "value": 27}),
        ("Ändere die Milch auf Hafermilch", {"milch": "Kuhmilch"}, {"key": "milch", "value": "Hafermilch"}),
        ("change my email to ann@example.org", {"email": "a", "phone": "b"}, {"key": "email", "value": "ann@example.org"}),
    ],
)  # fmt: skip
def test_a_statement_is_kept_without_a_model_under_the_key_that_is_there(request_, stored, arguments):
    assert plan_for(request_, **stored) == [("memory_write", arguments)]


@pytest.mark.parametrize(
    ("request_", "stored"),
    [
        ("set my desk to 27", {"garden desk": 14}),
        ("set the oven to 180", {}),
        ("change my desk to number 27 please, then tell me which desk i have now", {"desk": 14}),
        ("change the text to German", {"text": "hi", "Text": "ho"}),
    ],
)
def test_a_change_of_what_is_not_stored_or_more_than_a_change_is_no_statement(request_, stored):
    assert ("memory_write", None) not in (plan_for(request_, **stored) or [])
    assert plan_for(request_, **stored) in (None, [(None, None)])


@pytest.mark.parametrize(
    ("request_", "name", "is_certain"),
    [
        ("forget my locker code", "locker code", True),
        ("Please forget that my locker code is 4711.", "locker code", True),
        ("delete the locker code from your memory", "locker code", True),
        ("Delete the stored value of the locker code, please", "locker code", False),
        ("remove desk", "desk", False),
        ("forget everything", "everything", True),
        ("Forget all my notes", "all my notes", True),
        ("Vergiss bitte meinen Spind-Code", "Spind-Code", True),
        ("Lösche den Spind aus dem Gedächtnis", "Spind", True),
        ("vergiss, dass mein Hund Waldi heißt", None, None),
        ("Vergiss, dass mein Hund ein Dackel ist", None, None),
        ("forget what my dog is", None, None),
        ("Forget it", None, None),
        ("forget about it", None, None),
        ("Forget about the diet, what is a good dessert?", None, None),
        ("forget my code and tell me a joke", None, None),
        ("Don't forget my code", None, None),
        ("Vergiss nicht meinen Code", None, None),
        ("Did I forget my code?", None, None),
        ("I forgot my locker code", None, None),
        ("x" * 301, None, None),
        ("", None, None),
    ],
)
def test_the_name_of_what_is_to_be_forgotten_is_read(request_, name, is_certain):
    read = read_forgotten(request_)

    assert (read and read.name, read and read.is_certain) == (name, is_certain)


@pytest.mark.parametrize(
    ("request_", "stored", "key"),
    [
        ("forget my locker code", {"locker_code": 1, "door code": 2}, "locker_code"),
        ("Delete the locker", {"locker code": 1, "door code": 2}, "locker code"),
        ("Vergiss meinen Spind", {"Spind": 12}, "Spind"),
        ("forget my wife's birthday", {"birthday": "3 May"}, "wife's birthday"),
        ("forget my code", {"locker code": 1, "door code": 2}, "code"),
        ("forget everything", {"locker code": 1}, "everything"),
    ],
)
def test_one_stored_value_is_forgotten_by_its_name_and_no_other(request_, stored, key):
    assert plan_for(request_, **stored) == [("memory_forget", {"key": key})]


@pytest.mark.parametrize(
    "request_",
    [
        "delete the file notes.txt",
        "remove the spaces from my locker code",
        "Delete the first digit of my locker code",
        "clear the table",
        "forget the past",
    ],
)
def test_what_names_no_stored_value_deletes_none(request_):
    assert ("memory_forget" in str(plan_for(request_, **{"locker code": 4711}))) is False


def test_a_wish_to_forget_offers_no_model_a_tool_that_writes():
    """A model kept `false` in place of the value, and the run looked right."""
    memory = InMemoryKVStore()
    memory.write("locker code", 4711)
    offer = ToolRegistry(builtin_tools(memory), plans_always=False).offer("erase what you know of the locker code")

    assert not {"memory_write", "memory_forget"} & {tool["name"] for tool in offer.tools}


def test_a_value_that_is_forgotten_is_gone_and_a_name_that_is_not_stored_is_an_error():
    memory = InMemoryKVStore()
    memory.write("locker code", 4711)
    memory.write("step/s1", {"result": 1})
    memory.write("step/s2", {"text": "locker code: 4711\ndoor: 22"})
    tool = ToolRegistry(builtin_tools(memory)).get("memory_forget")

    assert tool.invoke(key="locker code") == {"key": "locker code"}
    for key in ("locker code", "step/s1"):
        with pytest.raises(ToolError, match="Nothing is stored"):
            tool.invoke(key=key)
    assert memory.search("") == [("step/s1", {"result": 1})]


@pytest.mark.parametrize("request_", ["Don't forget that my code is 4711", "Vergiss nicht: Mein Code ist 4711"])
def test_what_is_not_to_be_forgotten_is_kept(request_):
    assert plan_for(request_) in (
        [("memory_write", {"key": "code", "value": 4711})],
        [("memory_write", {"key": "Code", "value": 4711})],
    )
