"""Which requests want a text to be written or rewritten, from nothing but their own words and what a model knows. Pure.

A small model that may decline declines some of these: an out-of-office reply speaks of private data to it.
"""

import re
from typing import Final

from aeon.base.lazy_pattern import LazyPattern

_MAX_WORDS: Final = 120
_SEARCHED: Final = 600

_WRITES: Final = LazyPattern(
    r"\b(?:write|draft|compose|rephrase|reword|rewrite|paraphrase|proofread|shorten|translate)\b"
    r"|\b(?:make|turn) (?:this|it|that|the)\b[^.?!]{0,40}"
    r"\b(?:polite|formal|friendl|short|casual|professional|simple|nice|haiku|poem|limerick|tweet|list|bullet)\w*"
    r"|\b(?:fix|correct|check|improve) (?:the |my |this )?(?:grammar|spelling|punctuation|sentence|text|wording)\b"
    r"|\b(?:haiku|limerick|poem|slogan|tagline|subject line|caption|out[- ]of[- ]office)\b"
    # a kind of text, and what it is about
    r"|^\W*(?!(?:send|mail|text|forward|post|read|open|show|find|check|delete|print|schick|sende|lies|zeig|envoie|lis|envía|lee)\b)"
    r"(?:(?:an?|one|two|three|some|short|quick|funny|please|pls|i|we|need|want|give|me|us) ){0,5}(?:\w+ ){0,2}"
    r"(?:tweet|posts?|complaint|invitation|wish(?:es)?|greetings?|toast|speech|sentences?|letter|e-?mail|message|announcement"
    r"|headline|names?|titles?|bio|thank[- ]you note|apology|description|einladung|beschwerde|glückwunsch|grußkarte"
    r"|rede|nachricht|brief|invitación|queja|mensaje|felicitación|invitation|réclamation|message|vœux|voeux)"
    r"(?: \w+){0,3}?(?::| (?:for|to|about|on|that|saying|an|für|über|zu[mr]?|pour|sur|para|sobre|de) )"
    r"|\b(?:schreibe?n?|verfasse?n?|formuliere?n?|dichte?n?|kürze?n?|korrigiere?n?|übersetze?n?|gedicht|betreff\w*)\b"
    r"|\b(?:écri[st]|écrire|rédige\w*|reformule\w*|corrige\w*|traduis|traduire|raccourcis|poème)\b"
    r"|\b(?:escribe|escríbeme|redacta\w*|reformula\w*|traduce\w*|acorta\w*|poema)\b",
    re.IGNORECASE,
)
_NEEDS_MORE: Final = LazyPattern(
    r"https?:|\b(?:weather|forecast|news|headlines?|stock price|latest|current\w*|right now"
    r"|wetter\w*|nachrichten|aktuell\w*|météo|actualités?|noticias|el tiempo)\b"
    # to act with the text
    r"|\b(?:and|then|und|et|y) (?:\w+ )?"
    r"(?:send|e-?mail|post|print|save|store|upload|schick\w*|sende\w*|speicher\w*|envoie|guarda)\b"
    r"|\b(?:send|e-?mail|post|print|save) (?:it|this|that|them)\b"
    # to know what somebody wrote
    r"|^\W*(?:(?:what|who|when|where|why|how|which)(?: \w+){0,2} )?"
    r"(?:did|does|has|have|had) (?:(?!to\b)\w+ ){1,4}(?:writ(?:e|ten)|draft(?:ed)?|translated?)\b"
    r"|^\W*(?:qui|quand|où|en quelle année)\b[^?]{0,80}\bécrit\b|^\W*qui[eé]n(?:es)?\b"
    # to know what is private
    r"|\bmy (?:last |latest )?(?:calendar|inbox|files?|contacts?|e-?mails|passwords?|account|balance|appointments?)\b"
    r"|\b(?:mein\w*|mon|mes|mis?) "
    r"(?:kalender|postfach|datei\w*|kontakte|passwort|konto|calendrier|fichiers?|calendario)\b",
    re.IGNORECASE,
)
_NOT_GIVEN: Final = LazyPattern(
    r"\b(?:translate|rephrase|reword|rewrite|paraphrase|proofread|shorten|übersetze?|kürze?|korrigiere?|traduis|reformule"
    r"|traduce) (?:me |mir |us )?"
    r"(?:the|my|our|his|her|their|der|die|das|den|dem|mein\w*|unser\w*|le|la|les|mon|ma|el|mi)\b[^:\"\u201c\u201e\u00ab]*$",
    re.IGNORECASE,
)
"""A text that is to be rewritten and does not stand in the request."""
_WRITES_CODE: Final = LazyPattern(
    r"\b(?:write|give|show|need|create|generate|want|schreib\w*|gib|brauche|écris|escribe)\b(?: \w+){0,2} "
    r"(?:an?|some|one|eine?n?|une?)\b[^.?!\n]{0,40}\b(?:command|one-?liner|script|function|snippet|query|formula|regex"
    r"|regular expression|program|befehl|skript|funktion|commande|fonction|comando|función)\b"
    r"|\b(?:bash|shell|linux|unix|python|git|sql|excel|vim|awk|sed)\b[^.?!\n]{0,20}"
    r"\b(?:one[- ]?liner|command|regex|formula|befehl)\b"
    r"|\bhow (?:do|can|would|to)\b[^?\n]{0,80}\b(?:bash|shell|linux|terminal|python|git|sql|regex|excel|vim)\b",
    re.IGNORECASE,
)
_COMPUTES: Final = LazyPattern(
    r"\d|\b(?:results?|sum|total|values?|numbers?|answer|calculat\w*|comput\w*|ergebnis|summe|zahlen?|rechne\w*)\b",
    re.IGNORECASE,
)
_INTO_FILE: Final = LazyPattern(
    r"\b(?:to|into|as|in|nach|named|called|from|aus|of)\s+[\w./~-]*\w\.[a-z]\w{0,7}\b", re.IGNORECASE
)
_TRANSLATES: Final = LazyPattern(
    r"translat|übersetz|tradui|traduc"
    r"|\b(?:in|into|to|auf|ins|nach|en|al) "
    r"(?:\w+isch|english|german|french|spanish|italian|dutch|anglais|allemand|espagnol|français|inglés|alemán|francés|español)\b",
    re.IGNORECASE,
)


def asks_for_text(request: str) -> bool:
    """Whether a request wants a text to be written or rewritten, and needs nothing that a model lacks."""
    if len(request.split()) > _MAX_WORDS or _NEEDS_MORE.search(request) or _NOT_GIVEN.search(request):
        return False
    return _WRITES.search(request) is not None


def is_rewriting(request: str) -> bool:
    """Whether a request gives a text behind a colon that is to be rewritten or translated, not computed with."""
    task = re.match(r"[^:]{1,600}(?=:\s+\S)", request)
    return task is not None and asks_for_text(f"{task[0]}:") and _COMPUTES.search(task[0]) is None


def asks_for_code(request: str) -> bool:
    """Whether a request wants a command, a formula or a piece of a program to be written, and names no file for it."""
    return _WRITES_CODE.search(request[:_SEARCHED]) is not None and _INTO_FILE.search(request[:_SEARCHED]) is None


def is_translation(request: str) -> bool:
    """Whether a request wants a text in another language than its own."""
    return _TRANSLATES.search(request) is not None
