"""Which requests are talk: what somebody tells, or asks as one asks a friend; and how a model declines one. Pure.

A small model that may decline declines these, too: "My cat had kittens" speaks of private data to it. Code decides, and
only where nothing in the request may need a tool, live data or an action.
"""

import re
from typing import Final

from aeon.base.lazy_pattern import LazyPattern

DECLINE_PREFIX: Final = "Cannot:"
"""The prefix with which the model must begin an answer if it cannot do what is asked for."""

NOT_IN_TEXT: Final = f"{DECLINE_PREFIX} the text does not say that."
"""What a model answers that finds nothing in a text."""

_MAX_WORDS: Final = 60

_ASKS_A_FRIEND: Final = LazyPattern(
    r"\b(?:recommend|suggest)\b|\b(?:any|some|a few|your) (?:tips?|advice|ideas?)\b|"
    r"\btell (?:me|us) (?:a|an|another|some)\b|"
    r"\bgive me (?:\w+ ){0,3}(?:tips?|advice|ideas?)\b|\bcheer me up\b|"
    r"\bhow (?:can|could|should|would) (?:i|we|you)\b|\bwhat (?:can|could|would) (?:i|we|you)\b|\bshould (?:i|we)\b|"
    r"\bhow do (?:i|we) (?:say|tell|ask|apologi[sz]e|thank|deal|cope|stop|start|get|make|keep|talk|explain|avoid)\b|"
    r"\b(?:your|ur) (?:verdict|opinion|take|thoughts?|favou?rite|view|honest)\b|\bthoughts\?|"
    r"\b(?:a|an|any|some) (?:good|nice|great|fun|cool|cute|funny|easy) \w+|"
    r"\b(?:ein\w*|was) (?:gut|schön|toll|lustig|einfach)\w*\b|"
    r"\bis (?:it|this|that) (?:ok|okay|normal|weird|rude|bad|fine|too late)\b|"
    r"\b(?:do|would) you (?:think|like|prefer|say)\b|\bhow are you\b|\bmake up (?:a|an|some)\b|\bimagine\b|"
    r"\bwie (?:kann|könnte|soll|sollte) (?:ich|man)\b|\bwas (?:kann|könnte|soll|sollte) (?:ich|man)\b|"
    r"\bwie (?:sag|entschuldig|erklär|lern|bring|werde?|schaff|mach)\w* (?:ich|man)\b|"
    r"\bdein\w* (?:meinung|urteil|lieblings\w+)\b|"
    r"\bist (?:es|das) (?:ok|okay|normal|komisch|unhöflich|schlimm|zu spät)\b|"
    r"\bsoll(?:te)? ich\b|\bwas (?:meinst|denkst|hältst) du\b|\bwie geht(?:['\u2019]s| es)\b|\berfinde\b|\bdenk dir\b|"
    r"\bcomment (?:puis-je|faire)\b|\bque (?:puis-je|dois-je|penses-tu)\b|\binvente\b|"
    r"\b(?:empfiehl|empfehlt|empfehlen sie)\b|\bschlag\w* (?:mir|uns)\b.*\bvor\b|\berzähl\w* (?:mir|uns)\b|"
    r"\bhast du (?:\w+ ){0,3}(?:tipps?|ideen?|rat)\b|\bgib mir (?:\w+ ){0,3}(?:tipps?|ideen?|rat)\b|"
    r"\b(?:recommande|suggère|propose|raconte)\b|\bdonne-moi (?:\w+ ){0,3}(?:idées?|conseils?)\b",
    re.IGNORECASE,
)

_TELLS: Final = LazyPattern(
    r"\W*(?:(?:today|yesterday|heute|gestern|hier|aujourd['\u2019]hui|guess what|wow|ugh|omg|oh|haha|well|so|and|hey|"
    r"hi|hallo),? ){0,2}(?:thanks?|thx|cheers|danke\w*|merci|"
    r"i|i['\u2019](?:m|ve|d)|my|we|we['\u2019](?:re|ve)|our|ich|wir|mein\w*|mir|unser\w*|je|j['\u2019]\w+|mon|ma|mes|nous|notre|nos)\b",
    re.IGNORECASE,
)

_ASKS: Final = LazyPattern(
    r"\?|\b(?:how (?:many|much)|wie ?viele?|combien|"
    r"need|want|would like|(?:i|we)['\u2019]d like|brauche\w*|möchte\w*|will|wollen|hätte\w* gern\w*|"
    r"veux|voulons|voudrais|voudrions|besoin|"
    r"please|bitte|s['\u2019]il|for me|für mich|pour moi|get|bring|fetch|make|hol|mach)\b|"
    r"[,;:.!]\s+(?!(?:i|it|he|she|we|they|you|my|our|the|but|so|and|because|that|which|who|this|there|"
    r"what an?|lol|haha|really|honestly|finde? ich|echt|voll|und|ich|er|sie|es|wir|ihr|du|mein\w*|aber|weil|dass|"
    r"der|die|das|je|j|il|elle|nous|c|mais|parce|qui|que)\b)\w",
    re.IGNORECASE,
)
"""A wish, a task with numbers, or a clause that may be an order: "I'm hungry, get me a pizza"."""

_NEEDS_MORE: Final = LazyPattern(
    r"https?:|@|"
    # what is known live
    r"\b(?:weather|forecast|news|headlines?|prices?|costs?|stocks?|rates?|scores?|traffic|trains?|flights?|bus|parcel|"
    r"latest|current\w*|right now|at this moment|near (?:me|here|by)|nearby|open|"
    r"wetter|nachrichten?|schlagzeilen?|preise?|kostet|kosten|kurse?|aktuell\w*|derzeit|gerade|bahn|flug|paket|geöffnet|"
    r"in der nähe|météo|prix|actualités?|actuel\w*|maintenant|ouverte?s?)\b|"
    # what somebody is to do
    r"\b(?:send|e-?mails?|mail|call|text|phone|message|book|order|buy|pay|transfer|turn|switch|set|remind\w*|remember|note|"
    r"save|store|play|print|post|upload|download|install|delete|cancel|schedule|alarm|timer|translate|summari[sz]e|rewrite|"
    r"schick\w*|sende\w*|ruf|anrufen|bestell\w*|buche?n?|kauf\w*|überweis\w*|bezahl\w*|schalt\w*|stell\w*|wecker|"
    r"erinner\w*|merk\w*|notier\w*|speicher\w*|druck\w*|lösch\w*|öffne\w*|spiel\w*|übersetz\w*|fass\w*|"
    r"envoie|appelle|réserve|commande|achète|paie|allume|éteins|rappelle|note|retiens|traduis|résume)\b|"
    # what is private, or kept elsewhere
    r"\b(?:passwords?|accounts?|balance|calendar|inbox|appointments?|files?|folder|"
    r"termin\w*|konto\w*|passwort|kalender|postfach|datei\w*|ordner|mot de passe|compte|solde|calendrier|fichiers?)\b",
    re.IGNORECASE,
)


def is_talk(request: str) -> bool:
    """Whether a request tells something, or asks for an idea or a story, and needs nothing that a model lacks."""
    if len(request.split()) > _MAX_WORDS or "\n" in request.strip() or _NEEDS_MORE.search(request) is not None:
        return False
    is_told = _TELLS.match(request) is not None and _ASKS.search(request) is None
    return is_told or _ASKS_A_FRIEND.search(request) is not None
