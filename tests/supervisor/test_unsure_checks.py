"""Core 19: a name or a number that the model itself was not sure of is doubtful, in a short answer to a question of fact."""

import re

import pytest

from aeon.llm.interface import LLMResponse, UnsureToken
from aeon.plan.models import PlanStep
from aeon.supervisor.answered_run import AnsweredRun
from aeon.supervisor.unsure_checks import unsure_doubts


def reply_of(marked):
    """The reply whose unsure tokens are marked: "written by{ Charles|36} Dickens"."""
    text, unsure = "", []
    for part in re.split(r"({[^}]*})", marked):
        token, _, percent = part.strip("{}").partition("|")
        if percent:
            unsure.append(UnsureToken(len(text), token, int(percent) / 100))
        text += token if percent else part
    return LLMResponse(text, unsure=tuple(unsure))


def doubts(request, marked, **step):
    steps = [PlanStep(**{"step_id": "s1", "description": request, "agent": "llm"} | step)]
    reply = reply_of(marked)
    return unsure_doubts(AnsweredRun(request, steps, [], {"s1": reply.text}, True, True, (), reply.as_dict()))


@pytest.mark.parametrize(
    ("request_", "answer", "word", "percent"),
    [
        ("Who wrote Middlemarch?", "Middlemarch was written by{ Charles|36} Dickens.", "Charles", 36),
        ("Who painted The Hay Wain?", "The Hay Wain{ was|51} painted by{ Claude|19} Monet{.|56}", "Claude", 19),
        (
            "who discovered the electron",
            "The electron was discovered by{ Thomas|16}{ Edison|37} in 1897.",
            "Thomas",
            16,
        ),
        ("How many symphonies did Brahms write?", "Brahms wrote {1|22}{2|27} symphonies.", "12", 22),
        ("In which year was the Peace of Westphalia signed?", "It was signed in 1{6|39}48.", "1648", 39),
        ("atomic number of tungsten?", "It is 5{3|30}.", "53", 30),
        ("capital of ivory coast?", "The capital is{ Cai|30}ro.", "Cairo", 30),
        ("Hey, where is the Hermitage?", "It is in{ Moscow|30}, Russia.", "Moscow", 30),
        ("Do you know who composed Jenufa?", "It was{ Gi|20}useppe Verdi.", "Giuseppe", 20),
        ("Wer malte den Wanderer über dem Nebelmeer?", "Er wurde von{ Johann|8} Sebastian Bach gemalt.", "Johann", 8),
        ("Wie heißt der höchste Berg Deutschlands?", "Der Berg heißt{ M|19}unt.", "Munt", 19),
        ("Qui a écrit Madame Bovary ?", "Il a été écrit par{ Victor|20} Hugo.", "Victor", 20),
        ("¿Quién pintó La maja desnuda?", "Fue pintada por{ Rem|26}brandt.", "Rembrandt", 26),
        ("Who is it?", "It is Dr.{ No|0}.", "No", 1),
        ("Is chocolate poisonous for dogs?", "{No|38}, chocolate is not poisonous for dogs.", "No", 38),
        ("Est-ce que Genève est la capitale de la Suisse ?", "{O|38}ui, c'est la capitale.", "Oui", 38),
    ],
)
def test_core_19_a_name_or_number_of_which_the_model_was_not_sure_is_doubted(request_, answer, word, percent):
    assert doubts(request_, answer) == [f'the model was not sure of "{word}" ({percent} %)']


def test_the_word_of_which_it_was_least_sure_is_named():
    (reason,) = doubts("How long is the Loire?", "The Loire is{ 1|21},{1|15}{7|19}0 km long, or{ 7|30}00 miles.")
    assert reason == 'the model was not sure of "1,170" (15 %)'


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("Who wrote Middlemarch?", "Middlemarch was written by{ George|40} Eliot."),
        ("Who wrote Middlemarch?", "Middlemarch was{ penned|10} by George Eliot."),
        ("Who wrote Middlemarch?", "The author of{ Middlemarch|20} is George Eliot."),
        ("Which port has SSH?", "{22|20}"),
        ("Is chocolate poisonous for dogs?", "{Chocolate|20} is poisonous for{ Labradors|9}."),
        ("Is HTML a language?", "{Yes|49}, HTML is a language."),
        ("Should I call my mother?", "{Yes|20}, call her."),
        ("Who wrote Middlemarch?", "{Middlemarch|20} was written by George Eliot."),
        ("Who wrote Middlemarch?", "George Eliot.{ She|10} also wrote Silas{ Mar|20}ner."),
        ("Write a short poem about the sea", "The sea of{ Poseidon|3} sings."),
        ("Tell me a joke about Berlin", "A man in{ Berlin|5} meets{ Otto|3}."),
        ("What should I name my cat?", "Call her{ Luna|9}."),
        ("What is a good name for a bakery?", "It may be{ Golden|9} Crust."),
        ("Name three rivers", "They are{ Rhine|20},{ Elbe|10} and{ Oder|5}."),
        ("Why is the sky blue?", "As{ Rayleigh|20} found, air scatters."),
        ("Write a function that parses JSON in Python", "def{ Parse|4}(): ..."),
        ("How do you say good morning in Spanish?", "It is{ Buenos|20} dias."),
        ("Was ist ein Komma?", "Ein Komma ist ein{ Zeichen|30}."),
        ("Who wrote Middlemarch? " + "x" * 300, "By{ Charles|3} Dickens."),
        ("Who wrote Middlemarch?", "By{ Charles|3} Dickens" + ", and so on" * 30),
    ],
)
def test_what_is_composed_known_or_sure_enough_is_not_doubted(request_, answer):
    assert doubts(request_, answer) == []


def test_an_answer_that_rests_on_a_tool_or_on_a_reply_without_probabilities_is_not_doubted():
    assert doubts("Who wrote it?", "By{ Charles|3} Dickens.", tool="recall") == []
    steps = [PlanStep(step_id="s1", description="answer", agent="llm")]
    plain = LLMResponse("By Charles Dickens.").as_dict()
    assert "unsure" not in plain
    assert unsure_doubts(AnsweredRun("Who wrote it?", steps, [], {"s1": "x"}, True, True, (), plain)) == []
