"""Stories with dates and times that code reads, and those that it leaves to a model."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.memory.kv_store import InMemoryKVStore
from aeon.plan.models import PlanStep
from aeon.supervisor.answer_checks import doubts_of
from aeon.supervisor.answered_run import AnsweredRun
from aeon.testing.clock import FakeClock
from aeon.tools.date_problems import read_problem
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
REGISTRY = ToolRegistry(builtin_tools(InMemoryKVStore(), FakeClock(NOW)), plans_always=False)


def computed(request):
    """The result of the plan that code makes of a request; None if a model has to plan or to answer."""
    plan = REGISTRY.offer(request).plan
    if plan is None or len(plan["steps"]) != 1 or plan["steps"][0].get("tool") is None:
        return None
    tool = REGISTRY.get(plan["steps"][0]["tool"])
    return tool.invoke(**plan["steps"][0]["arguments"])


STORIES = pytest.mark.parametrize(
    ("request_", "result"),
    [
        # when it ends
        ("A film of 2 hours 20 minutes starts at 20:15. When does it end?", "22:35"),
        ("My parcel was sent on 28 February 2028 and takes 3 days. On which date does it arrive?", "2028-03-02"),
        ("A course runs 6 weeks and begins on 5 January 2027. When does it end?", "2027-02-16"),
        ("The bread needs 50 minutes in the oven; I put it in at 17:25. When is it ready?", "18:15"),
        ("The visa is valid 90 days from 1 March 2027. When does it expire?", "2027-05-30"),
        ("Der Zug fährt um 8:47 ab und braucht 3 Stunden 28 Minuten. Wann kommt er an?", "12:15"),
        ("Ein Abo läuft 18 Monate und begann am 1. April 2026. Wann endet es?", "2027-10-01"),
        ("Ein Paket braucht 5 Werktage ab Montag, dem 8. März 2027. Wann ist es da?", "2027-03-15"),
        ("Welches Datum haben wir in 10 Tagen, wenn heute der 25. März 2027 ist?", "2027-04-04"),
        # how many days, which weekday
        ("how many days did February have in 2024", 29),
        ("Wie viele Tage hatte der Februar im Jahr 2100?", 28),
        ("When was the day 100 days before 1 May 2026?", "2026-01-21"),
        ("Which day of the week was the moon landing on 20 July 1969?", "1969-07-20"),
        ("An welchem Wochentag fiel die Mauer, am 9. November 1989?", "1989-11-09"),
        # a feast, a weekday of a month
        ("Wann ist Ostern 2027?", "2027-03-28"),
        ("When is Easter Sunday 2028?", "2028-04-16"),
        ("What date is the last Friday in November 2026?", "2026-11-27"),
        ("Wann ist der zweite Sonntag im Mai 2027?", "2027-05-09"),
        ("On which date does the first Monday of September 2026 fall?", "2026-09-07"),
        ("How many days is it from Christmas 2026 to Valentine's Day 2027?", 51),
        ("When is Pentecost 2027?", "2027-05-16"),
        ("Wann ist Karfreitag 2027?", "2027-03-26"),
        # a year that is said once
        ("Wie viele Tage liegen zwischen dem 12. August und dem 3. September 2026?", 22),
        ("How many days are there from 20 December to 5 January 2027?", 16),
        ("How many days are there from 20 December 2026 to 5 January?", 16),
        # one of a row
        ("The ferry goes every 40 minutes from 7:15 on. When does the third ferry go?", "08:35"),
        ("If I take a pill every 8 hours starting at 6 am, when is my third pill?", "22:00"),
        ("Der Bus fährt ab 7:10 alle 20 Minuten. Wann fährt der zweite?", "07:30"),
        ("How many weeks and days are there from 1 March 2026 to 14 May 2026?", 74),
        ("Wie viele Nächte sind es von Heiligabend 2026 bis Neujahr 2027?", 8),
        ("What date is 3 business days after Thursday 26 November 2026?", "2026-12-01"),
        # words around the question
        ("And when is Easter 2027?", "2027-03-28"),
        ("Ok, und wann ist Ostern 2027 bitte?", "2027-03-28"),
        ("Hello, how many days did February have in 2024, please?", 29),
        # when it must begin
        ("I must be there at 9:00 and it takes 45 minutes. When must I leave?", "08:15"),
        (
            "My flight leaves at 6:45 and I need to be there 2 hours before. When do I have to be at the airport?",
            "04:45",
        ),
        ("The meeting lasts 90 minutes and has to be over by 12:15. When must it start at the latest?", "10:45"),
        ("The film lasted 2 hours and ended at 22:00. When did it start?", "20:00"),
        ("Wann muss ich los, wenn ich um 9:00 da sein will und 40 Minuten brauche?", "08:20"),
        # how long it lasts
        ("I slept from 22:50 until 6:20, how long was that?", "7:30"),
        ("how many minutes between 9:05 and 11:50?", "2:45"),
        ("It is 9:20. The meeting is at 11:05. How many minutes are left?", "1:45"),
        ("The shop closes at 18:15 and opens at 9:30. How long is it open?", "8:45"),
        ("Der Film beginnt um 20:15 und endet um 22:40. Wie lange dauert er?", "2:25"),
        ("How many days until 1 June 2027 if today is 15 May 2027?", 17),
        # ages, weekdays, sums
        ("How old is someone born on 12 March 1985 on 1 January 2027?", 15270),
        ("Ich bin am 3. Juni 1990 geboren, wie alt bin ich am 1. Juli 2027?", 13542),
        ("what day of the week was 14 July 1989", "1989-07-14"),
        ("Welcher Wochentag ist der 1. Mai 2028?", "2028-05-01"),
        ("add 45 minutes to 23:30", "00:15"),
        ("subtract 2 weeks from 3 March 2027", "2027-02-17"),
        ("3 hours and 45 minutes minus 50 minutes", "2:55"),
        ("how many days are left until new year\u2019s eve", 37),
        ("Is 2100 a leap year?", 365),
        ("How many days does February 2028 have?", 29),
        ("Wie viele Tage hat der Februar 2027?", 28),
        # one length after another
        ("The train leaves at 9:52, takes 1h47, then I wait 26 min and ride 58 min. When do I arrive?", "13:03"),
        ("Bus ab 7:05 Uhr, 35 min Fahrt, 12 min Umsteigezeit, noch mal 20 min Bahn. Ankunft wann?", "08:12"),
        ("I must be there at 9:00, the walk takes 10 minutes and the ride 25 minutes. When must I leave?", "08:25"),
        (
            "Der Termin ist um 11:15 Uhr. Ich will 10 Minuten früher da sein. Die Fahrt dauert 38 Minuten, wann muss ich los?",
            "10:27",
        ),
        # deadlines
        (
            "The notice is dated 5 March 2027 and I have to answer within 10 working days. What's the last date?",
            "2027-03-19",
        ),
        ("Die Rechnung ist vom 20. Dezember 2027 und zahlbar in 45 Tagen. Wann ist sie fällig?", "2028-02-03"),
        (
            "Ich habe ab Mittwoch, 13. Januar 2027, 20 Arbeitstage (Montag bis Freitag) Zeit. Wann ist der letzte Tag der Frist?",
            "2027-02-10",
        ),
        # a day that the question only points to
        ("We have to book six weeks before 5 January 2028. What date would that be?", "2027-11-24"),
        (
            "The wedding is on 18 June 2027, and the cards go out 10 weeks before that. Which date is that?",
            "2027-04-09",
        ),
        ("Das Kind kam am 29. Januar 2028. Welches Datum ist 100 Tage danach?", "2028-05-08"),
        # the other end of a length
        (
            "The alarm rang at 1:15 am, exactly 3 hours and 40 minutes after I'd gone to bed. When did I go to bed?",
            "21:35",
        ),
        ("The guests came at 19:10, 25 minutes before dinner was ready. When was dinner ready?", "19:35"),
        ("Der Wecker ging um 6:15 Uhr, 7 Stunden 40 Minuten nachdem ich im Bett war. Wann war ich im Bett?", "22:35"),
        # one of a longer row
        ("the bin is emptied every 3 weeks, first on 12 January 2027. when is the 6th collection?", "2027-04-27"),
        ("Eye drops every 6 hours, the first at 10:15 pm. What time is dose number 8?", "16:15"),
        ("Every 8 hours a pill, the first on 6 July 2027 at 7:30. When do I take the 5th?", "2027-07-07 15:30"),
        (
            "Alle 8 Stunden eine Tablette, die erste am Dienstag um 6:45 Uhr. Wann nehme ich die sechste?",
            "2026-12-02 22:45",
        ),
        # a day with a time
        ("what is tomorrow at 9:30 plus 5 hours", "2026-11-25 14:30"),
        ("I rent a car on 6 July 2027 at 14:15 for 54 hours. When is it due back?", "2027-07-08 20:15"),
        # how days are counted here anyway
        ("days from Feb 14, 2028 to May 14, 2028? don't count the first day", 90),
        (
            "Wie viele Tage sind es vom 11. Mai 2027 bis zum 24. Dezember 2027, wenn man den ersten Tag nicht mitzählt?",
            227,
        ),
        ("How many weeks lie between 5 April 2027 and 18 October 2027?", 196),
        ("500 minutes in hours and minutes", "8:20"),
        # units
        ("Convert 2.5 hours to minutes", 150),
        ("I trained for 450 minutes this month, how many hours is that?", 7.5),
        ("Die Strecke ist 10 km lang, wie viele m sind das?", 10_000),
    ],
)


@STORIES
def test_code_understands_a_story_and_computes_it(request_, result):
    answer = computed(request_)

    assert answer is not None
    assert answer["result"] == result


@STORIES
def test_core_19_what_code_understood_is_not_doubted(request_, result):
    step = PlanStep.model_validate(REGISTRY.offer(request_).plan["steps"][0])
    answer = REGISTRY.get(step.tool).invoke(**step.arguments)
    call = SimpleNamespace(tool_name=step.tool, arguments=step.arguments, step_id=step.step_id, result=answer)
    run = AnsweredRun(request_, [step], [call], {step.step_id: answer}, is_planned=True, is_written=False)

    assert answer["result"] == result
    assert doubts_of(run) == []


@pytest.mark.parametrize(
    "request_",
    [
        "My shift starts at 22:00 and takes 8 hours with a 30 minute break. When does it end?",
        "A shift runs from 21:30 to 5:15 with a break. How many hours are paid?",
        "Two meetings of 45 minutes start at 9:00. When are they over?",
        "I start at 8:00 and work 3 blocks of 50 minutes. When am I done?",
        "My train was due at 17:48 and came 35 minutes late. When did it arrive?",
        "I leave at 8:00 and it takes 20 minutes more each day. When do I arrive?",
        "I land at 10:00 local time after 8 hours. When did it start?",
        "The film starts at 20:15. When does it end?",
        "I met Ann on 3 May 2020 and Ben on 4 May 2020. How long is that?",
        "How old is Ann, who met Ben on 12 March 1985?",
        "I drink 250 ml each day, how many litres is that?",
        "Two bags of 5 kg, how many pounds is that?",
        "I ran 5 km and 300 m, how many miles is that?",
        "When did the war of 1870 end?",
        # Not all of the lengths follow one another.
        "I start at 9:00, work 4 hours with breaks of 30 minutes. When do I finish?",
        "The train leaves at 9:00 and takes 2 hours, of which 20 minutes are a stop. When does it arrive?",
        "I leave at 9:00; the train takes 2 hours or the car 90 minutes. When do I arrive?",
        "The film starts at 20:15 and lasts 2 hours. I want to be there 10 minutes before. When must I leave?",
        "I leave at 8:00, ride 40 minutes, and today it is 10 minutes faster. When do I arrive?",
        "The flight takes off at 13:25 local time, 9 hours and 50 minutes, then 20 minutes taxi. When do I arrive?",
        # The length is to another event than the one that is asked for.
        "The alarm rang at 6:15, 7 hours and 40 minutes after I had gone to bed. When did I have breakfast?",
        "The contract is valid for 6 months from 1 March 2027. What is the last day?",
        # A first day that counts, a row with gaps or one that begins elsewhere.
        "The visa is valid 90 days from 18 October 2027, the arrival counts as the first day. What is the last day?",
        "A lesson every week, the first on 7 September 2027, except the holidays. When is the 5th?",
        "The meeting is every 2 weeks from 5 January 2027 on. When is the second meeting in March?",
        "The bin is emptied every 3 weeks, the second time on 12 January 2027. When is the 6th?",
        # An evening that is written like a morning.
        "The show starts at 8:15 in the evening and takes 2 hours. When does it end?",
        # The length is not that of what is asked for.
        "My flight leaves at 6:45 and takes 2 hours. When do I have to be at the airport?",
        "The concert starts at 20:00 and lasts 2 hours. When must I be there?",
        "The train arrives at 9:10 and stops for 5 minutes. When does it leave?",
        "The guests arrive at 19:00 and dinner lasts 2 hours. When do they go home?",
        "The shop is open until 18:00 and the way takes 20 minutes. When am I back?",
        "Der Kurs beginnt am 3. März 2027 und die Anmeldung endet 2 Wochen vorher. Wann endet die Anmeldung?",
        "Who was born on 3 March 1980 and how old is he?",
        "How long is it from 3 March 2027 until 10 March 2027, and who pays?",
        "I left home at 8:00 and the shop opens at 9:30. How long is it open?",
    ],
)
def test_what_code_does_not_understand_whole_is_left_to_a_model(request_):
    assert computed(request_) is None


@given(st.text(alphabet="0123456789: .,?whenagolduntilstbrmi", max_size=200))
def test_any_text_is_read_or_not_and_never_fails(text):
    assert read_problem(text) is None or read_problem(text)["start"]
