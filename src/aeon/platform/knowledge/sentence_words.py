"""Words by which a sentence asks, imagines, doubts or goes on, in English, German and French. Data."""

import re
from typing import Final

from aeon.base.lazy_pattern import LazyPattern


def _phrases(text: str) -> str:
    """Returns a part of a regular expression that matches one of the phrases, which commas part."""
    phrases = sorted((phrase.strip() for phrase in text.split(",")), key=len, reverse=True)
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in phrases if phrase)


_GREETINGS: Final = _phrases("""
    hi, hey, hello, ok, okay, so, and, then, now, also, hallo, und, dann, nun, bonjour, salut, et, alors, puis
    """)

_ASKING: Final = _phrases("""
    please, pls, can you, could you, would you, will you, i want you, i need you, i'd like you, i would like you,
    help me, let's say, tell, show, write, draft, make, create, give, find, list, explain, translate, summarize,
    summarise, fix, add, remove, delete, rename, compare, check, calculate, convert, generate, imagine, suppose, assume,
    pretend, say, remind, send, book, call, reply, answer, ask, draw, plan, suggest, describe, rewrite, shorten,
    correct,
    bitte, kannst du, könntest du, kann ich, würdest du, sag, zeig, zeige, schreib, schreibe, erstell, erstelle, gib,
    finde, erkläre, erklär, übersetze, fasse, korrigiere, lösche, vergleiche, prüfe, berechne, nenne, stell dir vor,
    angenommen, nimm an, hilf, mach, mache, formuliere, formulier, plane, erinnere, ruf, schick, schicke, frag, frage,
    s'il te plaît, s'il vous plaît, peux-tu, pourrais-tu, pouvez-vous, pourriez-vous, dis, montre, écris, écrivez, crée,
    donne, trouve, explique, traduis, résume, corrige, supprime, compare, vérifie, calcule, imagine, imaginons,
    supposons, suppose, rappelle, envoie, aide, fais, propose, prépare, décris, rédige, bisous, merci
    """)

_DOUBTING: Final = _phrases("""
    if, unless, whether, maybe, perhaps, might, may be, probably, would, could, i wonder, i guess, i wish, hopefully,
    supposedly, what if, i dreamt, i dreamed, wenn, falls, sofern, ob, vielleicht, eventuell, vermutlich,
    wahrscheinlich, würde, würden, würdest, könnte, könnten, wäre, wären, hätte, hätten, angeblich, hoffentlich,
    ich frage mich, ich glaube, peut-être, sans doute, probablement, si, s'il, s'ils, serait, aurait, pourrait,
    seraient, auraient, pourraient, j'espère, je me demande, je crois
    """)

_JOINING: Final = _phrases("by the way, btw, also, and, but, oh, well, so, übrigens, und, aber, au fait, et, mais")

_OWN: Final = _phrases("""
    i, i'm, i've, my, we, we're, we've, our, ich, mein, meine, meinen, meinem, meiner, wir, unser, unsere, je, j'ai,
    j'habite, j'aime, j'étais, mon, ma, mes, nous, notre, nos, moi
    """)

_THINKING: Final = _phrases("""
    i think, i guess, i want, i need, i wonder, i mean, i see, i understand, i hope, i agree, i know, i don't know,
    i'd, i'll, my question, my problem, ich denke, ich möchte, ich will, ich brauche, ich meine, ich hoffe,
    ich verstehe, ich weiß, meine frage, mein problem, je pense, je veux, je voudrais, je comprends, je sais,
    ma question, mon problème
    """)

_CONTINUING: Final = _phrases("""
    he, she, they, it, his, her, their, its, there, er, sie, es, ihr, ihre, sein, seine, dort, il, elle, ils, elles,
    son, sa, ses, leur, leurs, là-bas
    """)

REQUEST: Final = LazyPattern(rf"^(?:(?:{_GREETINGS})[,!]?\s+)*(?:{_ASKING})\b", re.IGNORECASE)
"""How a sentence begins that asks for something, or asks to imagine something."""

UNCERTAIN: Final = LazyPattern(rf"\b(?:{_DOUBTING})\b", re.IGNORECASE)
"""Words of what is only imagined, hoped or believed."""

FIRST_PERSON: Final = LazyPattern(rf"^(?:(?:{_JOINING}),?\s+)*(?:{_OWN})\b", re.IGNORECASE)
"""How a sentence begins that is about who says it."""

OPINION: Final = LazyPattern(rf"^(?:{_THINKING})\b", re.IGNORECASE)
"""How a sentence begins that says what somebody thinks or wants now."""

GOES_ON: Final = LazyPattern(rf"^(?:{_CONTINUING})\b", re.IGNORECASE)
"""How a sentence begins that speaks of what the one before has named."""
