"""The instructions of models: to answer a request, a step of a plan or a question about a text, and to repair."""

from typing import Final

from aeon.base.language import language_of
from aeon.base.talk import DECLINE_PREFIX, NOT_IN_TEXT, is_talk
from aeon.base.translations import read_translation
from aeon.base.writing import asks_for_code, asks_for_text, is_rewriting, is_translation

NO_ACCESS: Final = "I have no access to that"
"""The decline that the instructions of an answer ask for; small models forget the prefix, or change it."""

ANSWER_SYSTEM_PROMPT: Final = (
    "You are a helpful assistant without access to the internet, to devices or to private data. Answer briefly and "
    "exactly as asked, in the language of the request. For live data, private data and actions say: "
    f"{DECLINE_PREFIX} {NO_ACCESS}."
)
"""Instructions for a request that the model answers itself. Small models decline everything if that comes first."""

TALK_SYSTEM_PROMPT: Final = (
    "You are a friendly assistant who can only talk with the user. Reply briefly and as asked, in {language}."
)
"""Instructions for talk: nothing in it needs what the model lacks, so that it is not told to decline."""

WRITING_SYSTEM_PROMPT: Final = (
    "You are an experienced copywriter. Write the text that the user asks for, in {language}, with all the details "
    "that they name, and nothing else."
)
"""Instructions for a text that is to be written: nothing in it needs what the model lacks."""

TRANSLATION_SYSTEM_PROMPT: Final = (
    "You are a professional translator. Translate the user's text into {language}. Answer with the translation alone."
)
"""Instructions for a translation: shown the request itself, small models answer the text instead."""

STEP_SYSTEM_PROMPT: Final = (
    "You carry out one step of a plan. Use the given results and invent nothing: when you cannot know or do something, "
    f"such as live facts or actions in the world, begin your answer with {DECLINE_PREFIX!r} and say what is missing. "
    "Answer with exactly what is asked for."
)

NOTHING_DONE: Final = (
    "No tool was found for this step, so nothing has been done and you cannot do it. Never say that something was "
    f"done, sent, changed or looked up. Say what you know in your own words, or begin with {DECLINE_PREFIX!r}."
)
"""Words before a step whose tool is missing."""

MATERIAL_SYSTEM_PROMPT: Final = (
    "You work on a text: you answer questions about it, shorten it or rewrite it, in the language of the request. Use "
    f"only the text. Be brief. If the text has no answer, say: {NOT_IN_TEXT}"
)
"""Instructions for a step that has material of its own. Small models decline everything under longer ones."""

REPAIR_SYSTEM_PROMPT: Final = (
    "You repair JSON that another model wrote. Correct only what the problems name. Keep every name, id, text and "
    "number that is not named. Invent nothing. Answer with the corrected JSON and nothing else."
)


def answer_prompt(request: str) -> tuple[str, str]:
    """What a model is shown of a request that it answers itself, and the instructions for it.

    Those for talk and for texts name its language: small models answer in English else.
    """
    if (translation := read_translation(request)) is not None:
        return translation.text, TRANSLATION_SYSTEM_PROMPT.format(language=translation.target)
    language = language_of(request) or "the language of the request"
    if is_talk(request):
        return request, TALK_SYSTEM_PROMPT.format(language=language)
    if asks_for_text(request) or is_rewriting(request) or asks_for_code(request):
        wanted = "the language that is asked for" if is_translation(request) else language
        return request, WRITING_SYSTEM_PROMPT.format(language=wanted)
    return request, ANSWER_SYSTEM_PROMPT
