"""Checks of an answer that the model gave alone to a request for what it cannot reach. Pure.

Live data, what is in somebody's mail, calendar or accounts, and actions take a tool: a small model makes the first two
up ("Yes, I have new mails from the bank") and says of the third that it is done.
"""

import re
from typing import Final

from aeon.base.binding import as_text
from aeon.base.lazy_pattern import LazyPattern
from aeon.base.talk import DECLINE_PREFIX
from aeon.base.writing import asks_for_text
from aeon.supervisor.answered_run import COMPUTING_TOOLS, AnsweredRun
from aeon.supervisor.refusals import find_refusal

_SEARCHED: Final = 400
_NEAR: Final = r"(?:today|tomorrow|tonight|right now|now|outside|this (?:week|weekend|morning|afternoon|evening))"
_NEAR_DE: Final = r"(?:heute|morgen|gerade|jetzt|draußen|am wochenende|aktuell)"

_LIVE: Final = LazyPattern(
    rf"\b(?:weather|temperature|forecast|traffic)\b[^.?!]{{0,40}}\b{_NEAR}\b"
    r"|\bhow(?:['\u2019]?s| is) the (?:weather|traffic)\b"
    r"|\bwhat(?:['\u2019]?s| is| will) the weather\b|\bwill it (?:rain|snow|be (?:sunny|warm|cold|hot|windy))\b"
    r"|\b(?:latest|today['\u2019]?s|current|newest) (?:news|headlines?|scores?|prices?|exchange rate|stock|share)\b"
    r"|\b(?:stock|share|bitcoin|gold|oil) price\b|\bwinning (?:lottery )?numbers\b"
    r"|\bwho (?:won|is winning|plays|scored)\b[^.?!]{0,60}\b(?:last night|yesterday|today|tonight|right now)\b"
    r"|\b(?:when|what time)\b[^.?!]{0,30}\b(?:next|last) (?:train|bus|flight|tram|ferry)\b"
    rf"|\bwetter\b[^.?!]{{0,40}}\b{_NEAR_DE}\b|\bwie (?:ist|wird) das wetter\b|\b(?:regnet|schneit) es\b"
    rf"|\bwird es\b[^.?!]{{0,30}}\b(?:regnen|schneien)\b|\baktuelle\w* (?:nachrichten|kurs|preis|stand|temperatur)\b"
    r"|\b(?:aktien|bitcoin|gold|börsen)kurs\b|\blottozahlen\b"
    r"|\bwann\b[^.?!]{0,30}\b(?:nächste|letzte)\w* (?:zug|bus|bahn|flug|fähre)\b"
    r"|\bquel temps (?:fait|fera)\b|\bla météo\b|\bva-t-il (?:pleuvoir|neiger)\b"
    r"|\bcours (?:de l['\u2019]action|du bitcoin)\b"
    r"|\bqué tiempo (?:hace|hará)\b|\bva a (?:llover|nevar)\b|\bel tiempo (?:en|para|de) (?:mañana|hoy)\b",
    re.IGNORECASE,
)
_CLIMATE: Final = LazyPattern(
    r"\b(?:usually|typically|normally|on average|spring|summer|autumn|winter|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|meist|meistens|normalerweise|üblicherweise|frühling|sommer|herbst"
    r"|januar|februar|märz|mai|juni|juli|dezember|d['\u2019]habitude|en (?:été|hiver)|normalmente|verano)\b",
    re.IGNORECASE,
)
"""Words of a question about what the weather is at a time of the year, which is known."""
_PRIVATE: Final = LazyPattern(
    r"\b(?:do|did|have) i (?:\w+ ){0,3}"
    r"(?:e-?mails?|mail|messages?|appointments?|meetings?|missed calls?|notifications?)\b"
    r"|\b(?:what(?:['\u2019]?s| is| are)|when(?:['\u2019]?s| is)|read|check|show|list|summari[sz]e)\b[^.?!]{0,30}"
    r"\bmy (?:\w+ ){0,2}(?:inbox|e-?mails?|calendar|appointments?|account balance|bank balance|voicemail|contacts)\b"
    r"|\bhow much money (?:do i have|is (?:in|on) my)\b"
    r"|\b(?:hab\w*|hat) (?:ich|mir)\b[^.?!]{0,30}\b(?:e-?mails?|mails?|nachrichten|post|termine?|anrufe?)\b"
    r"|\b(?:wie|was|wann|zeig\w*|lies|prüf\w*|welche)\b[^.?!]{0,30}"
    r"\bmein\w* (?:\w+ ){0,2}(?:kontostand|postfach|kalender|termine?|e-?mails?|mails?|kontakte)\b"
    r"|\bai-je (?:\w+ ){0,3}(?:mails?|messages?|rendez-vous)\b|\bmon solde\b"
    r"|\btengo (?:\w+ ){0,3}(?:correos?|mensajes?|citas?)\b|\bmi saldo\b",
    re.IGNORECASE,
)
_ACTION: Final = LazyPattern(
    r"^\W*(?:(?:please|pls|hey|ok|can you|could you|would you|will you|bitte|kannst du|könntest du|peux-tu|pouvez-vous"
    r"|por favor|puedes|me),? )*(?:"
    r"send (?!me|us)|(?:e-?mail|mail|text|message) (?:my|him|her|them|mom|mum|dad|this|it)\b"
    r"|call (?:my|him|her|them|mom|mum|dad|an?|the)\b|(?:book|buy|reserve) (?:me|us|an?|the|my|some|two|\d+)\b"
    r"|order (?:me|us|an?|some|two|\d+)\b"
    r"|pay (?:my|the|him|her|them)\b|transfer (?:\d|money|the money)"
    r"|(?:turn|switch) (?:(?:the|my) (?:\w+ ){1,3})?(?:on|off|up|down)\b"
    r"|set (?:an?|the|my) (?:alarm|timer|reminder)\b|remind me\b"
    r"|play (?:some|my|the (?:song|next|album))\b|(?:schedule|cancel) (?:an?|my|the)\b"
    r"|(?:schicke?|sende) (?!mir|uns)|rufe? (?:mir|bitte|meine?n?|den|die|das|beim?)\b"
    r"|(?:bestelle?|kaufe?|buche|reserviere?) (?:mir|uns|bitte|eine?n?|den|die|das|zwei|\d+)\b|überweise? "
    r"|schalte? (?:das|die|den|bitte|im)\b|erinnere? mich\b|storniere? (?:meine?n?|den|die|das)\b"
    r"|mach\w* (?:das|die|den|bitte) (?:licht|heizung|musik|fenster|tür|lampe|radio)\b"
    r"|stelle? (?:mir )?(?:einen?|den) (?:wecker|timer)\b"
    r"|envoie(?:z)? (?!moi)|appelle (?!moi)"
    r"|(?:réserve|achète|commande)z?(?:[ -]moi|[ -]nous)? (?:une?|le|la|les|deux|\d+)\b"
    r"|(?:allume|éteins|annule) (?:la|le|les|ma|mon|mes)\b|rappelle-moi\b"
    r"|(?:envía|envíale|manda|mándale) |llama (?:a|al)\b"
    r"|(?:reserva|compra|pide|pídeme|resérvame) (?:una?|el|la|dos|\d+)\b"
    r"|(?:enciende|apaga|cancela) (?:la|el|mi|las|los)\b|recuérdame\b)",
    re.IGNORECASE,
)


def reach_doubts(run: AnsweredRun) -> list[str]:
    """The reason to doubt what a model says without a tool, or only computes, about what it cannot know or do."""
    answer = as_text(run.results[run.steps[-1].step_id]).strip()
    is_alone = run.is_written and len(run.steps) == 1 and run.steps[0].tool is None and not run.steps[0].arguments
    # A table for two at eight is not 10.
    is_computed = run.is_planned and bool(run.calls) and {call.tool_name for call in run.calls} <= COMPUTING_TOOLS
    is_declined = answer.startswith(DECLINE_PREFIX) or find_refusal(answer, run.request) is not None
    if is_declined or not (is_alone or is_computed):
        return []
    asked = run.request[:_SEARCHED]
    if _LIVE.search(asked) is not None and _CLIMATE.search(asked) is None:
        return ["the request asks for live data, and no tool looked anything up"]
    if _PRIVATE.search(asked) is not None and not run.earlier:
        return ["the request asks for what only mail, a calendar or an account knows, and no tool read it"]
    if _ACTION.search(asked) is not None and not asks_for_text(run.request):
        return ["the request asks for something to be done, and no tool did anything"]
    return []
