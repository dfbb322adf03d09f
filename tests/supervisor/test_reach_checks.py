"""K1, core 19: what a model alone says about live data, private data or actions is doubtful."""

import pytest

from aeon.observability.records import ToolCall
from aeon.plan.models import PlanStep
from aeon.supervisor.answered_run import AnsweredRun
from aeon.supervisor.reach_checks import reach_doubts

LIVE = "the request asks for live data, and no tool looked anything up"
PRIVATE = "the request asks for what only mail, a calendar or an account knows, and no tool read it"
ACTION = "the request asks for something to be done, and no tool did anything"


def doubts(request, answer="It is so.", earlier=(), **step):
    steps = [PlanStep(**{"step_id": "s1", "description": request, "agent": "llm"} | step)]
    return reach_doubts(
        AnsweredRun(request, steps, [], {"s1": answer}, is_planned=True, is_written=True, earlier=earlier)
    )


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ("What's the weather in Oslo?", LIVE),
        ("will it rain tomorrow", LIVE),
        ("Latest news please", LIVE),
        ("What is the bitcoin price?", LIVE),
        ("Who won the match last night?", LIVE),
        ("When does the next train to Bonn leave?", LIVE),
        ("Wie wird das Wetter am Wochenende?", LIVE),
        ("Regnet es in Kiel?", LIVE),
        ("Quel temps fera-t-il demain ?", LIVE),
        ("¿Va a llover mañana?", LIVE),
        ("Do I have any new mail?", PRIVATE),
        ("hab ich neue mails von der bank bekommen", PRIVATE),
        ("Show me my calendar", PRIVATE),
        ("Wie hoch ist mein Kontostand?", PRIVATE),
        ("ai-je de nouveaux messages", PRIVATE),
        ("Send an email to Bob that I am late", ACTION),
        ("please book a table for two", ACTION),
        ("turn off the lights", ACTION),
        ("Remind me to buy milk", ACTION),
        ("Bestell mir eine Pizza", ACTION),
        ("réserve moi une table pour 2", ACTION),
        ("enciende la luz", ACTION),
        ("call my mom", ACTION),
        ("switch my desk lamp off", ACTION),
        ("Order 2 pizzas", ACTION),
        ("Schick Anna eine Nachricht", ACTION),
        ("Ruf bitte ein Taxi", ACTION),
        ("Buche einen Flug nach Rom", ACTION),
        ("stell einen Wecker auf 7", ACTION),
        ("envoie un mail à Paul", ACTION),
        ("éteins la lumière", ACTION),
        ("manda un correo a Ana", ACTION),
    ],
)
def test_what_takes_a_tool_is_doubtful_without_one(request_, reason):
    """A small model answered "Yes, I have received new mails from the bank"."""
    assert doubts(request_) == [reason]


@pytest.mark.parametrize(
    "request_",
    [
        "Why is the weather in Oslo so rainy?",
        "What's the weather in Lisbon in May?",
        "Wie ist das Wetter auf Kreta im Sommer?",
        "Write an email to Bob that I am late",
        "How do I book a hotel?",
        "What is an inbox?",
        "Call me Ann from now on",
        "Order these words: b, a, c",
        "Order my tasks by priority",
        "Send me the list again",
        "Turn the table into a list of names",
        "Email etiquette in three rules",
        "Buy or rent a flat?",
        "Pay attention to the second word",
        "Call of Duty tips",
        "Kaufen oder mieten?",
        "Buchen und Eichen, was ist der Unterschied?",
        "Bestellung oder Auftrag, welches Wort passt?",
        "Schick mir die Liste noch einmal",
        "Mandarina o naranja?",
        "My mail was lost today",
        "Explain how exchange rates work",
        "Wie entsteht Wetter?",
        "Ich kaufe gern ein",
        "Suggest a name for my mail program",
    ],
)
def test_knowledge_writing_and_talk_are_not(request_):
    assert doubts(request_) == []


def test_an_answer_that_declines_or_comes_from_a_tool_or_the_conversation_is_not():
    assert doubts("What's the weather in Oslo?", "Cannot: I have no access to that.") == []
    assert doubts("What's the weather in Oslo?", "I'm sorry, but I cannot access live data.") == []
    assert doubts("What's the weather in Oslo?", agent=None, tool="weather") == []
    assert doubts("What's the weather in this report?", arguments={"text": "{step.read}"}) == []
    assert doubts("When is my next appointments?", earlier=["My next appointment is on Friday."]) == []


def test_a_number_is_no_answer_to_a_request_for_something_to_be_done():
    asked = "Please book us a table for two at the Italian place, somewhere around eight."
    steps = [PlanStep(step_id="s1", description="add", tool="calculator", arguments={"expression": "2 + 8"})]
    call = ToolCall(
        tool_name="calculator",
        arguments={"expression": "2 + 8"},
        result={"result": 10},
        timestamp="2026-01-01T00:00:00Z",
        step_id="s1",
    )
    assert reach_doubts(AnsweredRun(asked, steps, [call], {"s1": {"result": 10}}, True, False)) == [ACTION]
    looked = call.model_copy(update={"tool_name": "tables"})
    assert reach_doubts(AnsweredRun(asked, steps, [looked], {"s1": {"result": 10}}, True, False)) == []
