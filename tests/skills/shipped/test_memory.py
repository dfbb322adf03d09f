"""The skill memory: four scripts over one SQLite file."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st

pytestmark = pytest.mark.slow  # a process for each test

JSON = st.recursive(
    st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def use(skills, script, **given):
    run = skills.run("memory", script, given)
    assert run.ok, run.summary
    return run.output["memory"]


def test_what_is_remembered_is_recalled(skills):
    assert use(skills, "remember", key="colour", value={"is": ["green", 3.5, None]}) == {"key": "colour", "isNew": True}
    recalled = use(skills, "recall", key="colour")
    assert recalled["value"] == {"is": ["green", 3.5, None]}
    assert recalled["text"] == '{"is":["green",3.5,null]}'


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@hypothesis_given(value=JSON)
def test_any_json_comes_back_as_it_was(skills, value):
    """No nulls here: a merge patch cannot carry them in objects (skills 6)."""
    use(skills, "remember", key="k", value=value)
    assert use(skills, "recall", key="k")["value"] == value


def test_a_new_value_takes_the_place_of_the_old_one(skills):
    use(skills, "remember", key="k", value="old")
    assert use(skills, "remember", key="k", value="new")["isNew"] is False
    assert use(skills, "recall", key="k")["text"] == "new"


def test_recalling_what_is_not_there_is_an_answer_no_failure(skills):
    assert use(skills, "recall", key="k") == {"key": "k", "found": False, "text": ""}


def test_what_is_forgotten_is_gone(skills):
    use(skills, "remember", key="k", value=1)
    assert use(skills, "forget", key="k")["forgotten"] is True
    assert use(skills, "forget", key="k")["forgotten"] is False
    assert use(skills, "recall", key="k")["found"] is False


def test_null_can_be_remembered_though_a_patch_cannot_carry_it_skills_6(skills):
    use(skills, "remember", key="k", value=None)
    assert use(skills, "recall", key="k") == {"key": "k", "found": True, "text": "null"}
    assert use(skills, "search", text="k")["matches"] == [{"key": "k", "value": None}]


def test_a_search_finds_words_in_keys_and_values_best_match_first(skills):
    use(skills, "remember", key="Straße", value="runs north")
    use(skills, "remember", key="car", value={"colour": "GRÜN", "of": "north"})
    use(skills, "remember", key="percent", value="100% _real_")
    assert [match["key"] for match in use(skills, "search", text="north grün")["matches"]] == ["car", "Straße"]
    assert use(skills, "search", text="STRASSE")["count"] == 1
    assert [match["key"] for match in use(skills, "search", text="0% _r%")["matches"]] == ["percent"]
    assert use(skills, "search", text="nowhere") == {"count": 0, "matches": []}
    assert use(skills, "search", text="north", limit=1)["count"] == 1


def test_two_recalled_objects_do_not_become_a_mixture_skills_6(skills):
    use(skills, "remember", key="a", value={"x": 1})
    first = skills.run("memory", "recall", {"key": "a"}).of("state_patch")[0]
    assert first["patch"] == {"memory": None}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"key": "k"}, "value is missing"),
        ({"key": " ", "value": 1}, "key is not a text of 1 to 200 characters"),
        ({"key": "k" * 201, "value": 1}, "key is not a text"),
        ({"key": "\ud800", "value": 1}, "half a character"),
        ({"key": "k", "value": "\ud800"}, "half a character"),
        ({"key": "k", "value": "ä" * 5000}, "value has 10002 bytes as JSON, at most 10000 are allowed"),
    ],
)
def test_what_cannot_be_kept_is_refused(skills, given, said):
    assert said in skills.run_line("memory", "remember", skills.line("memory", "remember", given)).error
    assert use(skills, "recall", key="k")["found"] is False


def test_a_value_of_the_largest_size_is_kept(skills):
    use(skills, "remember", key="k", value="a" * 9998)
    assert len(use(skills, "recall", key="k")["value"]) == 9998


def test_parallel_processes_lose_nothing_skills_5(skills):
    """Twelve at once, the table not there yet."""
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda i: use(skills, "remember", key=f"k{i}", value=i), range(12)))
    with closing(sqlite3.connect(skills.data / "memory.db")) as connection:
        rows = connection.execute("SELECT key, value FROM memories").fetchall()
    assert sorted(rows) == sorted((f"k{i}", str(i)) for i in range(12))


def test_a_damaged_file_is_said_and_left_alone(skills):
    file = skills.data / "memory.db"
    file.write_bytes(b"no database at all, but long enough to be read as one" * 100)
    before = file.read_bytes()
    assert "memory.db is damaged" in skills.run("memory", "recall", {"key": "k"}).error
    assert file.read_bytes() == before
