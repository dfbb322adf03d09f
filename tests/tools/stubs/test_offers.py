"""For which requests a planner sees the tools for dates, units and exact numbers, and what their code reads."""

from datetime import UTC, datetime

import pytest

from aeon.kernel.prompts import planner_system
from aeon.memory.kv_store import InMemoryKVStore
from aeon.testing.clock import FakeClock
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

REGISTRY = ToolRegistry(builtin_tools(InMemoryKVStore(), FakeClock(datetime(2026, 11, 24, 12, tzinfo=UTC))))

SUITED = {
    "now": """
        What time is it?
        what's the time
        What is the time now?
        What is today's date?
        What day is it today?
        What date is it?
        What day of the week is it?
        Which week is it?
        Which week of the year is it?
        What is the current time zone?
        Tell me the date.
        What is the current date and time?
        Wie spät ist es?
        Wie spät ist es gerade?
        Wie viel Uhr ist es?
        Welcher Tag ist heute?
        Welches Datum haben wir heute?
        Den wievielten haben wir?
        In welcher Kalenderwoche sind wir?
        Nenne mir das heutige Datum.
    """,
    "date_math": """
        What date is 45 days after 24 November 2026?
        What was the date 100 days before 1 March 2026?
        What day is it in 3 weeks?
        What was the date 10 days ago?
        How many days until Christmas?
        How many weeks are left until Easter?
        How many days are between 2026-03-01 and 2026-05-05?
        How many working days are from 2026-12-01 to 2026-12-31?
        What weekday is 24 December 2026?
        On which weekday does Christmas fall? What weekday is 2026-12-25?
        How old is someone who was born on 5 May 1990?
        The train leaves at 14:35 and takes 2 hours 50 minutes. When does it arrive?
        What is 14:35 + 2:50?
        Add 2h 50min and 1h 15min.
        I start work at 8:15 and stop at 16:45. How long is that?
        Wie viele Tage sind es bis Weihnachten?
        Welches Datum ist in 45 Tagen?
        Welcher Wochentag ist der 3. Oktober 2027?
        Wie viele Tage liegen zwischen dem 1. März 2026 und dem 5. Mai 2026?
        Was ist 2 Wochen vor dem 24. Dezember 2026?
    """,
    "convert_units": """
        convert 5 miles to km
        What is 5 miles in km?
        How many kilometers are 5 miles?
        How many cups are in a liter?
        What is 100 km/h in mph?
        20 °C in °F?
        My oven shows 350 °F. What is that in Celsius?
        How many feet is 1.8 m?
        He weighs 180 pounds in kilograms?
        What is 5000 g in kg?
        convert 3 hours to seconds
        How many ounces are there in one pound?
        What are 12 inches in cm?
        Convert 100 USD to EUR
        How much is 20 dollars in euros?
        Wie viele Meter sind 3 Meilen?
        Rechne 20 Celsius in Fahrenheit um.
        Was sind 5 Pfund in kg?
        2 Zentner in kg
        Wie viel sind 12 Zoll in cm?
        Wie viel Grad Fahrenheit sind 20 Grad Celsius?
        how many weeks are there in 98 days
        How many minutes in 3 hours, please?
        Wie viele Minuten sind 2,5 Stunden?
        number of seconds in a day
        90 minutes in hours
    """,
    "exact": """
        15! / 13!
        What is 2/3 plus 3/4 as a fraction?
        What is 2/3 + 3/4?
        Simplify 18/24
        What is the greatest common divisor of 84 and 126?
        What is the least common multiple of 4, 6 and 10?
        What is the gcd of 12 and 18?
        Is 1009 a prime number?
        prime factors of 360
        10 choose 3
        How many ways are there to choose 3 of 10 books?
        What is the factorial of 20?
        What is the cube root of 1728?
        What is 8% of 250?
        From 50 to 60 in percent?
        Was ist 2/3 plus 3/4 als Bruch?
        Was ist der ggT von 84 und 126?
        Ist 91 eine Primzahl?
        Was ist die Wurzel aus 144?
        Wie viel sind 8 Prozent von 250?
    """,
}
UNSUITED = {
    "now": """
        What time is it in Middle-earth?
        What time was it in London when I called?
        What date is 3 days after 1 May 2026?
        What day is it in 3 weeks?
        What weekday is 24 December 2026?
        Welcher Tag ist in 3 Wochen?
        Welches Datum ist 3 Wochen vor Weihnachten?
        Remember the date of my party.
        Write a poem about time.
        Set the time to 5.
        What is the capital of France?
        It is time to go.
        Translate "today" into German.
        How many days until Christmas?
        Wie viele Tage hat ein Jahr?
        Zeit ist Geld. Erkläre das.
        Which weekdays are in a week?
        What is my stored date?
        Add 5 to 9.
        Repeat exactly: what a time!
    """,
    "date_math": """
        What time is it?
        What is 15 * 23 plus 7?
        How many minutes are two and a half hours?
        Write a poem about Friday.
        A worker earns 20 dollars per hour and works 8 hours. How much?
        Remember that the meeting is in 3 days.
        How many eggs do I need in March?
        Read the stored date.
        Schreibe ein Gedicht über den Montag.
        Explain why a year has 365 days.
        How many people live in Rome?
        Say back: see you tomorrow
        Which month comes after May?
        A recipe takes 30 minutes. Write it down.
        Wie viele Monate hat ein Jahr?
        I ran 5 miles in 40 minutes. What was my pace?
        Translate: good morning
        Rent is 950 a month. What is it for 3 months?
        What is 8% of 250?
        List the stored keys that start with day.
    """,
    "convert_units": """
        I ran 5 miles in Munich
        A rope is 5 m long. How many pieces of 1 m?
        Translate hello to German
        Put 3 cups in the kitchen
        How many miles did I run if I ran 5 miles on 3 days?
        How many minutes are two and a half hours?
        Convert this text to upper case.
        Convert my notes into a list.
        What is 15 * 23 plus 7?
        A box holds 6 eggs. How many are in 4 boxes?
        Which is heavier, iron or gold?
        Write a story about a mile.
        Remember that the rope is 5 m long.
        Wie viele Tage sind es bis Weihnachten?
        Wie viele Personen passen in ein Auto?
        How many days are there in February 2024?
        How many hours a week are 3 hours a day?
        How many minutes are in a day and a half?
        A coat of 90 dollars is 30% off. What does it cost?
        Add 5 and 9 in one step.
        How many letters are in a word?
        Read the price and add 20 to it.
        Rechne 5 plus 3.
    """,
    "exact": """
        What is 15 * 23 plus 7?
        A coat of 90 dollars is 30% off. What does it cost?
        Hello World!
        I have 2 dogs!
        Write 3 lines about fractions.
        The price rose from 50 to 60.
        Choose a name for my dog.
        Who is the prime minister?
        What is 10 / 4?
        Add 5 to 9, then divide that by 2.
        On 5/12/2026 we met.
        Open 24/7, is it?
        My root password is 5.
        Say the numbers 10 and 5 back.
        Wie viele Tage sind es bis Weihnachten?
        Was kostet 3 mal 4?
        Give me 50 percent more energy
        Remember that the tax is 19%.
        Explain what a factor is.
        The way from 5 Main Street to 9 Main Street
    """,
}
SUITED_CASES = [(tool, line.strip()) for tool, lines in SUITED.items() for line in lines.strip().splitlines()]
UNSUITED_CASES = [(tool, line.strip()) for tool, lines in UNSUITED.items() for line in lines.strip().splitlines()]


def offered(request):
    return [tool["name"] for tool in REGISTRY.offer(request).extra]


@pytest.mark.parametrize(("tool", "request_"), SUITED_CASES)
def test_a_tool_is_offered_for_its_requests(tool, request_):
    assert tool in offered(request_)


@pytest.mark.parametrize(("tool", "request_"), UNSUITED_CASES)
def test_a_tool_is_not_offered_for_other_requests(tool, request_):
    assert tool not in offered(request_)


@pytest.mark.parametrize(
    ("request_", "hints"),
    [
        ("What time is it?", {"now": {}}),
        ("What time is it in Tokyo?", {"now": {"place": "Tokyo"}}),
        ("whats the time in new york right now", {"now": {"place": "new york"}}),
        ("Wie spät ist es gerade in Zürich?", {"now": {"place": "Zürich"}}),
        ("What time is it in 3 hours?", {}),
        (
            "What date is 45 days after 24 November 2026?",
            {"date_math": {"start": "24 November 2026", "add": "45 days"}},
        ),
        ("What date is 3 weeks before Christmas?", {"date_math": {"start": "Christmas", "add": "3 weeks ago"}}),
        ("Wie viele Tage sind es bis Weihnachten?", {"date_math": {"start": "today", "until": "Weihnachten"}}),
        (
            "Wie viele Tage liegen zwischen dem 1. März 2026 und dem 5. Mai 2026?",
            {"date_math": {"start": "dem 1. März 2026", "until": "dem 5. Mai 2026"}},
        ),
        ("In how many days is 2027-01-01?", {"date_math": {"start": "today", "until": "2027-01-01"}}),
        ("In wie vielen Tagen ist Ostern?", {"date_math": {"start": "today", "until": "Ostern"}}),
        ("What is 14:35 + 2:50?", {"date_math": {"durations": ["14:35", "2:50"]}}),
        ("How many days until 03/04/2027?", {}),
        ("What is 5 miles in km?", {"convert_units": {"value": 5, "from": "miles", "to": "km"}}),
        ("How many feet is 1.8 m?", {"convert_units": {"value": 1.8, "from": "m", "to": "feet"}}),
        ("Convert 100 USD to EUR", {"convert_units": {"value": 100, "from": "USD", "to": "EUR"}}),
        ("how many weeks are there in 98 days", {"convert_units": {"value": 98, "from": "days", "to": "weeks"}}),
        (
            "Wie viele Minuten sind 2,5 Stunden?",
            {"convert_units": {"value": 2.5, "from": "Stunden", "to": "Minuten"}},
        ),
        ("number of seconds in a day", {"convert_units": {"value": 1, "from": "day", "to": "seconds"}}),
        ("What is 1,5 kg in g?", {"convert_units": {"value": 1.5, "from": "kg", "to": "g"}}),
        ("What is 5.000 g in kg?", {}),
        ("What is 5 miles in kg?", {}),
        ("What is 2/3 plus 3/4 as a fraction?", {"exact": {"expression": "2/3 + 3/4"}}),
        ("15! / 13!", {"exact": {"expression": "15! / 13!"}}),
        ("Was ist der ggT von 84 und 126?", {"exact": {"expression": "gcd(84, 126)"}}),
        ("How many ways are there to choose 3 of 10 books?", {"exact": {"expression": "binomial(10, 3)"}}),
        ("Is 1009 a prime number and who found it?", {}),
        ("What is 15 * 23 plus 7?", {"calculator": {"expression": "15 * 23 + 7"}}),
    ],
)
def test_what_code_reads_from_a_request(request_, hints):
    assert REGISTRY.offer(request_).hints == hints


def test_the_instructions_are_those_of_the_common_tools():
    common = ToolRegistry([tool for tool in builtin_tools(InMemoryKVStore()) if tool.is_common])
    assert common.list_all() == ["calculator"]
    assert planner_system(REGISTRY.offer("What time is it?")) == planner_system(common.offer("What time is it?"))


@pytest.mark.parametrize(
    "text", ["add ", "14:35 ", "how many days ", "2 days and ", "convert 1 m ", "1 m to ", "1/2 ", "prime 1 "]
)
def test_a_long_request_is_searched_in_bounded_time(text):
    REGISTRY.offer(text * 5000)
