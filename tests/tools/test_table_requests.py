"""Which requests about a table a query answers, and which the model does."""

import pytest

from aeon.tools.table_requests import asks_of_table


@pytest.mark.parametrize(
    "request_",
    [
        "How many developers are there?",
        "What is the total of the hours?",
        "Who works in Riga?",
        "Which product was sold most often?",
        "List the products that were sold in the West.",
        "average price per region",
        "top 3 customers",
        "Is there anybody from Turin?",
        "Wie viele Mitglieder wohnen in Kiel?",
        "Wer ist am längsten dabei?",
        "Summe der Beiträge je Ort",
        "Nenne die offenen Rechnungen.",
    ],
)
def test_counting_adding_sorting_and_looking_up_are_queries(request_):
    assert asks_of_table(request_)


@pytest.mark.parametrize(
    "request_",
    [
        "Summarise this file in one sentence.",
        "Translate the roles into German.",
        "What is this file about?",
        "What is a zeppelin?",
        "Which columns are there?",
        "Welche Spalten hat die Datei?",
        "Was ist ein Tester?",
        "Write a short mail to those who work the most hours.",
        "Why do developers work more?",
        "Explain which columns there are.",
        "Fasse die Tabelle zusammen.",
        "Schreibe eine E-Mail an alle, die mehr als 100 Euro zahlen.",
        "Convert this to Markdown.",
    ],
)
def test_what_is_to_be_written_is_for_the_model(request_):
    assert not asks_of_table(request_)
