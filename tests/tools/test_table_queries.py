"""Queries of tables: what they give for people, and that they can do nothing but read these tables, in bounded time."""

import sqlite3

import pytest

from aeon.base.errors import ToolError
from aeon.tools import table_queries
from aeon.tools.registry import ToolRegistry
from aeon.tools.table_queries import table_tools
from aeon.tools.table_texts import read_table

TEAM = """name,role,city,hours
Asha,designer,Leeds,32
Bruno,developer,Porto,40.5
Carla,developer,Turin,24
Dmitri,tester,,36
"""


@pytest.fixture
def tools():
    describe, query = table_tools({"team.csv": read_table("team.csv", TEAM)}, {"team.csv": "d1"})
    return describe, query


@pytest.fixture
def ask(tools):
    return lambda query: tools[1].invoke(query=query)["text"]


def test_both_can_be_registered_and_no_planner_is_shown_them(tools):
    registry = ToolRegistry(list(tools))
    assert registry.offer("Query the table, please").extra == []
    assert table_tools({}, {}) == []


def test_a_table_is_described_by_its_columns_and_values(tools):
    described = tools[0].invoke(name="team.csv", digest="d1")["text"]
    assert described.splitlines() == [
        "CREATE TABLE team (name TEXT, role TEXT, city TEXT, hours REAL); -- 4 rows",
        "-- name: Asha, Bruno, Carla, Dmitri",
        "-- role: designer, developer, tester",
        "-- city: Leeds, Porto, Turin",
        "-- a row: Asha, designer, Leeds, 32",
        "-- a row: Bruno, developer, Porto, 40.5",
    ]


@pytest.mark.parametrize("given", [{"name": "team.csv", "digest": "d2"}, {"name": "other.csv", "digest": "d1"}])
def test_another_table_than_that_of_the_plan_is_refused(tools, given):
    with pytest.raises(ToolError, match="not the one that the run began with"):
        tools[0].invoke(**given)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("SELECT COUNT(*) FROM team WHERE role = 'Developer'", "2"),
        ("SELECT SUM(hours) FROM team", "132.5"),
        ("SELECT name FROM team WHERE role = 'developer';", "Bruno, Carla"),
        ("```sql\nSELECT name FROM team ORDER BY hours LIMIT 1\n```", "Carla"),
        ("To find it:\n\n```sql\nSELECT name\nFROM team\nWHERE hours < 30;\n```\nThis selects one.", "Carla"),
        ("The query is:\nSELECT name\nFROM team\nWHERE hours < 30;\n\nIt gives one name.", "Carla"),
        ("`SELECT name FROM team WHERE hours < 30`", "Carla"),
        ("WITH least AS (SELECT MIN(hours) AS h FROM team) SELECT name FROM team, least WHERE hours = h", "Carla"),
        ("SELECT name, hours FROM team WHERE city = 'porto'", "name: Bruno, hours: 40.5"),
        ("SELECT role, COUNT(*) AS n FROM team GROUP BY role", "role, n\ndesigner, 1\ndeveloper, 2\ntester, 1"),
        ("SELECT name FROM team WHERE city IS NULL", "Dmitri"),
        ("SELECT name FROM team WHERE city = 'Oslo'", "Nothing in the data fits.\nNo city in the data is 'Oslo'."),
        ("SELECT SUM(hours) FROM team WHERE hours > 99", "Nothing in the data fits."),
        ("SELECT city FROM team WHERE name IN ('Asha', 'Dmitri')", "Leeds, none"),
        ("SELECT 1e300 * 1e300", "inf"),
        ("SELECT YEAR('2026-11-05') AS y, MONTH('2026-11-05') AS m, DAY('2026-11-05') AS d", "y: 2026, m: 11, d: 5"),
        ("SELECT YEAR('soon')", "Nothing in the data fits."),
        ("SELECT DATEDIFF('2026-11-05', '2026-10-30')", "6"),
        ("SELECT DATEDIFF('soon', '2026-10-30')", "Nothing in the data fits."),
        ("SELECT CONCAT(name, ' ', hours) FROM team WHERE hours > 40", "Bruno 40.5"),
        ("SELECT name || ', ' || city FROM team WHERE role = 'developer'", "Bruno, Porto\nCarla, Turin"),
    ],
)
def test_the_rows_of_a_query_are_written_for_people(ask, query, answer):
    assert ask(query) == answer


def test_of_many_rows_the_first_are_written_and_the_rest_is_counted():
    rows = "".join(f"x{n},{n}\n" for n in range(5_000))
    _, query = table_tools({"t.csv": read_table("t.csv", f"name,n\n{rows}")}, {})
    lines = query.invoke(query="SELECT name FROM t")["text"].splitlines()
    assert (len(lines), lines[0], lines[-1]) == (201, "x0", "... and 4,800 more")


def test_names_that_sql_does_not_take_are_quoted():
    table = read_table("order.csv", 'order,unit price,"a ""b"""\n1,2.5,x\n')
    describe, query = table_tools({"order.csv": table}, {"order.csv": ""})
    first = describe.invoke(name="order.csv", digest="")["text"].splitlines()[0]
    assert first == """CREATE TABLE "order" ("order" INTEGER, "unit price" REAL, "a 'b'" TEXT); -- 1 rows"""
    assert query.invoke(query='SELECT "unit price" FROM "order"')["text"] == "2.5"


def test_several_tables_are_joined():
    texts = {"team.csv": TEAM, "pay.csv": "name,rate\nAsha,50\nCarla,60\n"}
    _, query = table_tools({name: read_table(name, text) for name, text in texts.items()}, {})
    joined = "SELECT SUM(hours * rate) FROM team JOIN pay USING (name)"
    assert query.invoke(query=joined)["text"] == "3040"


def test_a_column_that_is_not_there_is_said_with_those_that_are(ask):
    with pytest.raises(ToolError, match="no column 'salary', so it does not say that; it has name, role, city, hours"):
        ask("SELECT AVG(salary) FROM team")


@pytest.mark.parametrize("function", ["SUM", "AVG", "TOTAL"])
def test_texts_are_not_added_up_as_the_numbers_at_their_beginning(ask, function):
    with pytest.raises(ToolError, match="adds up a column that has texts"):
        ask(f"SELECT {function}(city) FROM team")
    assert ask(f"SELECT {function}(hours) FROM team WHERE name = 'Asha'") == "32"


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("SELECT COUNT(*) FROM team WHERE city = 'LDS'", "0\nNo city in the data is 'LDS'."),
        (
            "SELECT hours FROM team t WHERE t.city = 'Leeds' OR \"role\" == 'O''Neil'",
            '32\nNo role in the data is "O\'Neil".',
        ),
        ("SELECT COUNT(*) FROM team WHERE city = 'LEEDS'", "1"),
        ("SELECT COUNT(*) FROM team WHERE LOWER(city) = 'x' OR name LIKE 'q%' OR hours = '7'", "0"),
    ],
)
def test_what_is_sought_and_no_row_has_is_said(ask, query, answer):
    """A count of nothing looks like an answer, and most often the word is another one in the data."""
    assert ask(query) == answer


PRICES = "item,price,left\nlamp,9,1\nchair,10,2\nsofa,sold out,0\ntable,100,4\nrug,,6\n"


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("SELECT item FROM prices ORDER BY price LIMIT 1", "lamp"),
        ("SELECT item FROM prices ORDER BY price ASC, item DESC LIMIT 2", "lamp, chair"),
        ("SELECT item FROM prices ORDER BY price ASC NULLS FIRST, item LIMIT 1", "rug"),
        ("SELECT item, MAX(price) FROM prices", "item: table, MAX(price): 100"),
        ("SELECT item FROM prices WHERE price < 20", "lamp, chair"),
        ("SELECT price FROM prices WHERE item = 'sofa'", "sold out"),
        ("SELECT DISTINCT p.price AS cost FROM prices p WHERE item >= 'sofa'", "sold out, 100"),
        ("SELECT item FROM prices WHERE price_text = 'sold out'", "sofa"),
        ("SELECT price FROM (SELECT price FROM prices WHERE item = 'lamp')", "9"),
        ("SELECT SUM(price * left) FROM prices WHERE price_text IS NULL", "429"),
        ("SELECT item, RANK() OVER (ORDER BY price) AS place FROM prices LIMIT 1", "item: lamp, place: 1"),
    ],
)
def test_texts_among_numbers_and_unknown_numbers_are_neither_the_least_nor_lost(query, answer):
    tool = table_tools({"prices.csv": read_table("prices.csv", PRICES)}, {})[1]
    assert tool.invoke(query=query)["text"] == answer


def test_so_it_is_in_columns_whose_names_have_parentheses_and_commas():
    rows = 'item,"price, net (EUR)"\nlamp,9\nchair,10\nsofa,sold out\nrug,\n'
    tool = table_tools({"p.csv": read_table("p.csv", rows)}, {})[1]
    assert tool.invoke(query='SELECT item FROM p ORDER BY "price, net (EUR)", item LIMIT 1')["text"] == "lamp"
    asked = """SELECT item, "price, net (EUR)" FROM p WHERE item = 'sofa'"""
    assert tool.invoke(query=asked)["text"] == "item: sofa, price, net (EUR): sold out"


@pytest.mark.parametrize("query", ["SELECT SUM(price) FROM prices", "SELECT item, avg( ABS(price) * 2) FROM prices"])
def test_numbers_are_not_added_up_as_if_the_texts_among_them_were_not_there(query):
    tool = table_tools({"prices.csv": read_table("prices.csv", PRICES)}, {})[1]
    with pytest.raises(ToolError, match="adds up a column that has texts"):
        tool.invoke(query=query)


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM team",
        "INSERT INTO team VALUES ('x', 'x', 'x', 1)",
        "DROP TABLE team",
        "ATTACH DATABASE 'stolen.db' AS other",
        "ATTACH DATABASE ':memory:' AS other",
        "VACUUM INTO 'stolen.db'",
        "PRAGMA database_list",
        "SELECT load_extension('evil.so')",
        "SELECT writefile('stolen.txt', 'x')",
        "SELECT zeroblob(1000000000)",
        "CREATE TABLE more (a)",
        "BEGIN",
        "SELECT 1; SELECT 2",
        "Cannot: the text does not say that.",
        "",
    ],
)
def test_a_query_reads_and_does_nothing_else(ask, query, tmp_path, monkeypatch):
    """Attack: a text in the table, or a model, writes SQL that does more than read."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ToolError, match="cannot be run"):
        ask(query)
    assert list(tmp_path.iterdir()) == []
    assert ask("SELECT COUNT(*) FROM team") == "4"


def test_an_endless_query_ends(ask, monkeypatch):
    monkeypatch.setattr(table_queries, "_SECONDS", 0.2)
    with pytest.raises(ToolError, match=r"took more than 0\.2 seconds"):
        ask("WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT COUNT(*) FROM c")


def test_what_a_query_may_do_is_a_list_that_this_sqlite_knows():
    assert sqlite3.SQLITE_ATTACH not in table_queries._READS
