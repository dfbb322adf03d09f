"""Talk is answered without the words that let a small model decline (core 19)."""

import pytest

from aeon.base.talk import DECLINE_PREFIX, is_talk
from aeon.llm.instructions import ANSWER_SYSTEM_PROMPT, TRANSLATION_SYSTEM_PROMPT
from aeon.testing.plans import plan, step

TALK = [
    "My grandfather died last week and I don't know what to say to my mum",
    "we just moved to a new flat, it's so quiet here",
    "recommend me a board game for 2 people who hate reading long rules",
    "any tips for falling asleep faster?",
    "How could I break the ice with the new neighbours?",
    "What would you say, mountains or sea?",
    "Sollte ich mich dafür entschuldigen?",
    "Comment puis-je mieux dormir ?",
    "tell me a bedtime story in four sentences",
    "Ich habe heute meine Prüfung bestanden!",
    "Schlag mir einen Namen für meinen Hund vor",
    "Heute, mein Rücken tut weh",
    "Je suis fatigué de mon travail",
    "J\u2019ai réussi mon examen !",
    "Raconte-moi une blague sur un escargot",
    "Cheers mate, you just got me out of a whole hour of work",
    "Wow, my aunt is 82 and learns the piano! I find that so cool",
    "Meine Tante lernt mit 82 Klavier. Find ich richtig gut",
    "I was late again. How do I say sorry without making it all about me",
    "Is it rude to leave a party early? i need your verdict",
]
NO_TALK = [
    "What is the weather in Lisbon right now?",
    "I need the current price of gold",
    "I would like to hear what I wrote yesterday",
    "Recommend a restaurant that is open near me",
    "Send an email to my boss that I am sick",
    "My dentist has to know: please cancel my appointment",
    "I bought 3 apples and ate one, how many are left",
    "I bought 3 apples and ate one how many are left",
    "Thanks, add 3 to the list",
    "what do i have to type in to open my door",
    "Cheers, what's the time",
    "My rent is 900, times 12",
    "My name is Ann, remember that",
    "Ich habe Hunger, bestell mir eine Pizza",
    "Ich brauche ein Taxi",
    "Schick meiner Mutter eine Nachricht",
    "Wie hoch ist mein Kontostand?",
    "How can I pay my account?",
    "What did I have for breakfast this morning",
    "how much longer will my dentist's waiting list be",
    "Who wrote Moby Dick?",
    "I'm hungry, get me a pizza",
    "My lamp is too bright, dim it please",
    "Mein Zimmer ist kalt, mach die Heizung an",
    "My sister has her birthday today, congratulate her",
    "Mon mot de passe est perdu",
    "I wrote this:\nDear Sir",
    "My report is in https://example.org/a",
    "my " * 61,
    "",
]


@pytest.mark.parametrize("request_", TALK)
def test_what_somebody_tells_or_asks_a_friend_is_talk_core_19(request_):
    assert is_talk(request_)


@pytest.mark.parametrize("request_", NO_TALK)
def test_what_may_need_a_tool_live_data_or_an_action_is_no_talk_core_19(request_):
    assert not is_talk(request_)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("My cat just had four kittens!!!", "in English."),
        ("Ich habe heute meine Prüfung bestanden!", "in German."),
        ("Mes vacances commencent !", "in French."),
        ("Suggest nicknames", "in the language of the request."),
        ("What is the weather in Lisbon right now?", None),
    ],
)
def test_talk_has_instructions_of_its_own_that_name_the_language_core_19(run, request_, words):
    made = run([plan(step("a", request_, agent="llm")), "An answer."])
    made.execute(request_)
    instructions = made.model.requests[-1].system_prompt
    if words is None:
        assert instructions == ANSWER_SYSTEM_PROMPT
    else:
        assert instructions.endswith(words)
        assert DECLINE_PREFIX not in instructions


def test_a_translator_is_shown_the_text_alone_without_the_time(run):
    """The time stood before a text with "mañana", and was translated with it."""
    request_ = "translate to German: see you tomorrow"
    made = run([plan(step("a", request_, agent="llm")), "Bis morgen"])
    made.execute(request_)
    shown = made.model.requests[-1]
    assert shown.prompt == "see you tomorrow"
    assert shown.system_prompt == TRANSLATION_SYSTEM_PROMPT.format(language="German")


def test_a_translation_into_another_language_than_the_one_asked_for_is_doubtful_core_19(run):
    request_ = "traduis en espagnol : où est la gare"
    made = run([plan(step("a", request_, agent="llm")), "La gare est dans le centre de la ville"])
    result = made.execute(request_)
    assert result["trusted"] is False
    assert "a translation into Spanish was asked for, the answer is in French" in str(result["marks"])
