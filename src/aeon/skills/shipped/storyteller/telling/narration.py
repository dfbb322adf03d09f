"""The script narrate: from the request to the story."""  # noqa: INP001  # a folder beside its script, not in the package aeon

from . import model, story
from .protocol import StoryRefusalError, emit, read_input

_LONGEST_WAIT = 110.0
"""Seconds, less than the script's own timeout of 120."""


def narrate() -> None:
    """Asks the model for a story and emits it."""
    input_data = read_input()
    prompt = input_data.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise StoryRefusalError("bad_input", "prompt is missing or empty; describe in it what happens next.")
    style = story.configured()
    facts, is_facts_cut = story.facts_as_text(input_data.get("facts", ""))
    if is_facts_cut:
        emit("log", level="warn", message=f"The facts were cut to their first {story.MOST_FACTS} characters.")
    words = style.words(input_data.get("length", "short"))
    answer = model.ask(story.messages(style, prompt, facts, words), story.token_limit(words), _LONGEST_WAIT)
    narrative = answer.text
    if answer.is_cut_off:
        narrative = story.whole_sentences(answer.text)
        emit(
            "log",
            level="warn",
            message="The model reached its token limit: the story was cut to its last whole sentence.",
        )
    narrative, echoes = story.without_echoes(narrative)
    if echoes:
        emit("log", level="warn", message=f"The model repeated itself: {echoes} sentences were left out.")
    emit("state_patch", patch={"narrative": narrative})
    emit("done", ok=True, summary=f"Told in {len(narrative.split())} words.")


def main() -> int:
    """Runs the script. The exit code is 0 even for a refusal, which is reported in events."""
    try:
        narrate()
    except StoryRefusalError as refusal:
        refusal.report()
    return 0
