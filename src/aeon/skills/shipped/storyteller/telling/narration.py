"""The script itself: from the request to the story."""  # noqa: INP001  # a folder beside its script, no part of the package aeon

from . import model, story
from .protocol import RefusalError, emit, read_input

_LONGEST_WAIT = 110.0
"""Seconds; within the script's own timeout of 120."""


def narrate() -> None:
    """Ask the model and hand on its story."""
    given = read_input()
    prompt = given.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise RefusalError("bad_input", "prompt is missing or empty; say in it what happens next.")
    style = story.configured()
    facts, is_facts_cut = story.facts_as_text(given.get("facts", ""))
    if is_facts_cut:
        emit("log", level="warn", message=f"The facts were cut to their first {story.MOST_FACTS} characters.")
    words = style.words(given.get("length", "short"))
    answer = model.ask(story.messages(style, prompt, facts, words), story.token_limit(words), _LONGEST_WAIT)
    narrative = answer.text
    if answer.is_cut_off:
        narrative = story.whole_sentences(answer.text)
        emit("log", level="warn", message="The model ran out of room: the story was cut to its last whole sentence.")
    narrative, echoes = story.without_echoes(narrative)
    if echoes:
        emit("log", level="warn", message=f"The model repeated itself: {echoes} sentences were left out.")
    emit("state_patch", patch={"narrative": narrative})
    emit("done", ok=True, summary=f"Told in {len(narrative.split())} words.")


def main() -> int:
    """Exit code 0 also for a refusal, which is said in events."""
    try:
        narrate()
    except RefusalError as refusal:
        refusal.report()
    return 0
