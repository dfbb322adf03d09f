"""An answer from a query is doubted where the query computes something else than what is asked, or leaves a number out."""

from types import SimpleNamespace

import pytest

from aeon.supervisor.query_checks import query_doubts


def doubts(request, query):
    call = SimpleNamespace(tool_name="query_tables", arguments={"query": query})
    return query_doubts(SimpleNamespace(request=request, calls=[call]))


@pytest.mark.parametrize(
    ("request_", "query"),
    [
        ("Who works the fewest hours?", "SELECT name FROM team ORDER BY hours ASC LIMIT 1"),
        ("What is the total revenue?", "SELECT SUM(price * units) FROM sales"),
        ("Which is the most expensive product?", 'SELECT product FROM sales ORDER BY "unit price" DESC LIMIT 1'),
        ("Who is the oldest?", "SELECT name FROM people ORDER BY birthDate LIMIT 1"),
        ("Wie hoch ist die Summe der Beiträge?", "SELECT SUM(Beitrag) FROM mitglieder"),
        ("Wer ist am längsten dabei?", "SELECT Name FROM mitglieder ORDER BY Eintritt LIMIT 1"),
        ("Which city has the most members?", "SELECT city FROM m GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1"),
        ("Hours per city", "SELECT city, SUM(hours) AS s FROM team GROUP BY city ORDER BY s DESC"),
        ("Which order has the highest total?", "SELECT id FROM orders ORDER BY total DESC LIMIT 1"),
        ("The 3 longest films", "SELECT title FROM films ORDER BY duration_minutes DESC LIMIT 3"),
        ("What do a door and a chair cost together?", "SELECT SUM(price) FROM items WHERE name IN ('door', 'chair')"),
        (
            "How much are a and b combined?",
            "SELECT (SELECT v FROM t WHERE k = 'a') + (SELECT v FROM t WHERE k = 'b') AS v",
        ),
        ("Which products are bought together?", "SELECT product, other FROM pairs"),
        ("Wer arbeitet mit Ben zusammen?", "SELECT Name FROM teams WHERE Partner = 'Ben'"),
        ("Sales in February 2026", "SELECT COUNT(*) FROM sales WHERE date BETWEEN '2026-02-01' AND '2026-02-28'"),
    ],
)
def test_what_computes_what_is_asked_is_not_doubted(request_, query):
    assert doubts(request_, query) == []


@pytest.mark.parametrize(
    ("request_", "query", "doubt"),
    [
        ("What is the average salary?", "SELECT AVG(hours) FROM team", "the query computes hours"),
        ("Who is the oldest?", "SELECT name FROM team ORDER BY hours DESC LIMIT 1", "the query computes hours"),
        ("Who is the heaviest?", "SELECT name FROM t WHERE n = (SELECT MAX(n) FROM t)", "the query computes n"),
        ("How many have more than 30 hours?", "SELECT COUNT(*) FROM team WHERE hours > 20", "the query leaves out 30"),
        (
            "Which customer has the highest total amount?",
            "SELECT customer FROM big ORDER BY amount DESC LIMIT 1",
            "the query adds nothing up",
        ),
        (
            "Wie viel kosten Tür und Stuhl zusammen?",
            "SELECT Preis FROM m WHERE Artikel = 'Tür' UNION SELECT Preis FROM m WHERE Artikel = 'Stuhl'",
            "the query adds nothing up",
        ),
        ("What do A+ and B cost together?", "SELECT price FROM t WHERE name IN ('A+', 'B')", "adds nothing up"),
        ("How many of the first 10 are open?", "SELECT COUNT(*) FROM t WHERE open = 'true'", "leaves out 10"),
    ],
)
def test_another_column_and_a_number_that_is_left_out_are_doubted(request_, query, doubt):
    (found,) = doubts(request_, query)
    assert doubt in found


def test_without_a_query_nothing_is_doubted():
    assert query_doubts(SimpleNamespace(request="What?", calls=[])) == []
