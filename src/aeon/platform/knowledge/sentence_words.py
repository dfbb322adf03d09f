"""Words by which a sentence asks, imagines, doubts or goes on, in English, German and French. Data."""

import re
from typing import Final

from aeon.base.lazy_pattern import LazyPattern


def _phrases(text: str) -> str:
    """Returns a part of a regular expression that matches one of the phrases, which commas part."""
    phrases = sorted((phrase.strip() for phrase in text.split(",")), key=len, reverse=True)
    return "|".join(_spelled(phrase) for phrase in phrases if phrase)


def _spelled(phrase: str) -> str:
    """Returns a part of a regular expression that matches a phrase with any blanks and apostrophes."""
    return re.escape(phrase).replace(r"\ ", r"\s+").replace("'", "['\u2019]")


_GREETINGS: Final = _phrases("""
    hi, hey, hello, ok, okay, so, and, then, now, also, hallo, und, dann, nun, bonjour, salut, et, alors, puis
    """)

_ASKING: Final = _phrases("""
    please, pls, can you, could you, would you, will you, i want you, i need you, i'd like you, i would like you,
    help me, tell, show, write, draft, make, create, give, find, list, explain, translate, summarize,
    summarise, proofread, paraphrase, rephrase, act, impersonate, role-play, roleplay, play, fix, add, remove,
    delete, rename, compare, check, calculate, convert, generate, say, remind, send, book, call, reply, answer,
    ask, draw, plan, suggest, describe, rewrite, shorten,
    correct,
    bitte, kannst du, könntest du, kann ich, würdest du, sag, zeig, zeige, schreib, schreibe, erstell, erstelle, gib,
    finde, erkläre, erklär, übersetze, fasse, korrigiere, lösche, vergleiche, prüfe, berechne, nenne, spiel, spiele,
    hilf, mach, mache, formuliere, formulier, plane, erinnere, ruf, schick, schicke, frag, frage,
    s'il te plaît, s'il vous plaît, peux-tu, pourrais-tu, pouvez-vous, pourriez-vous, dis, montre, écris, écrivez, crée,
    donne, trouve, explique, traduis, résume, corrige, supprime, compare, vérifie, calcule, joue, agis,
    rappelle, envoie, aide, fais, propose, prépare, décris, rédige, bisous, merci
    """)

_IMAGINING: Final = _phrases("""
    imagine, suppose, supposing, assume, assuming, pretend, hypothetically, let's say, let's pretend, let's imagine,
    let's assume, let's suppose, let us say, let us pretend, let us imagine, let us assume, let us suppose, lets say,
    lets pretend, lets imagine, lets assume, lets suppose, let's just say, let's just pretend, we pretend that,
    for the sake of argument,
    stell dir vor, stellt euch vor, stellen sie sich vor, stellen wir uns vor, angenommen, mal angenommen, nimm an,
    nehmt an, nehmen sie an, nehmen wir an, nehmen wir einmal an, nehmen wir mal an, gehen wir davon aus, sagen wir,
    tun wir so, tu so, tut so, gesetzt den fall, hypothetisch,
    imaginons, imaginez, supposons, supposez, admettons, disons, mettons que, faisons comme si, faisons semblant,
    fais comme si, fais semblant, partons du principe, à supposer, en supposant
    """)

_PLAYING: Final = _phrases("""
    act as, act like, behave as, behave like, pretend to be, pretend you are, pretend you're, pretend that you are,
    pretend that you're, play the role, play the part, take the role, take on the role, impersonate, role-play,
    roleplay, let's play, let's role-play, let's roleplay, you are now, you're now, you are going to be, your name is,
    your role is,
    spiel die rolle, spiele die rolle, übernimm die rolle, verhalte dich wie, verhalte dich als, agiere als,
    antworte als, du bist jetzt, du bist nun, du bist ab jetzt, bist du, dein name ist, du heißt, deine rolle ist,
    joue le rôle, joue un rôle, jouons, agis comme, agis en, comporte-toi comme, incarne, tu es maintenant,
    vous êtes maintenant, tu seras, ton nom est, tu t'appelles, ton rôle est
    """)

_ASKED_TO: Final = _phrases("""
    please, can you, could you, would you, will you, i want you to, i need you to, i'd like you to,
    i would like you to, you should, you must, from now on, bitte, kannst du, ab jetzt,
    ab sofort, von jetzt an, s'il te plaît, s'il vous plaît, désormais, à partir de maintenant
    """)

_TELLING: Final = _phrases("""
    once upon a time, let me tell you a story, es war einmal, ich erzähle dir eine geschichte, il était une fois,
    je te raconte une histoire
    """)

_GIVING: Final = _phrases("""
    here is, here's, here are, here comes, below is, the following is, hier ist, hier sind, hier kommt, nachfolgend,
    unten steht, voici, voilà, ci-dessous
    """)

_TEXTS: Final = _phrases("""
    text, texts, article, articles, story, letter, email, e-mail, mail, poem, passage, paragraph, draft, excerpt,
    transcript, essay, chapter, report, abstract, dialogue, script, document, sentence, sentences,
    texte, texten, artikel, geschichte, brief, gedicht, absatz, entwurf, auszug, protokoll, aufsatz, kapitel, bericht,
    dialog, dokument, satz, sätze, abschnitt,
    textes, histoire, lettre, courriel, poème, paragraphe, brouillon, extrait, rédaction, chapitre, rapport, phrase,
    phrases
    """)

_POINTING: Final = _phrases("""
    this, these, it, them, following, below, above, dies, diesen, diese, dieses, ihn, es, sie, folgendes, folgenden,
    folgende, ceci, suivant, suivante, suivants, résume-le, résume-la, traduis-le, traduis-la
    """)

_REWRITING: Final = (
    r"summari[sz]e|sum\s+up|translate|proof-?read|paraphrase|rephrase|rewrite|shorten|condense|"
    r"zusammen(?:fassen)?|übersetz\w*|lektorier\w*|kürz(?:e|en)|umformulier\w*|umschreiben|"
    r"résume[rz]?|tradui(?:s|re|sez)|reli(?:s|re|sez)|reformule[rz]?|raccourci(?:s|r|ssez)"
)
_CORRECTING: Final = (
    r"correct|edit|polish|revise|improve|check|fix|korrigier\w*|verbesser\w*|überarbeit\w*|prüf\w*|"
    r"corrige[rz]?|améliore[rz]?|vérifie[rz]?"
)
_DENYING: Final = _phrases("""
    doubt, doubts, doubted, doubtful, not sure, unsure, not convinced, not believe, don't believe, doesn't believe,
    didn't believe, not think, don't think, doesn't think, didn't think, never believed, hardly believe,
    nobody believes, nobody thinks, no one believes, no one thinks, none of us believes, not true that,
    i assume, i suppose, i presume, i suspect, i imagine, we assume, we suppose, fictional, fictitious, imaginary,
    hypothetical, make-believe,
    bezweifle, bezweifelt, bezweifeln, bezweifelte, zweifle, zweifelt, zweifeln, habe zweifel, hat zweifel,
    haben zweifel, glaube nicht, glaubt nicht, glauben nicht, glaube kaum, glaubt kaum, denke nicht, niemand glaubt,
    keiner glaubt, kein mensch glaubt, nicht sicher, unsicher, ich nehme an,
    ich vermute, ich träumte, habe geträumt, hab geträumt, fiktiv, fiktive, fiktiver, fiktiven, fiktives, erfundene,
    erfundener, erfundenen, erfundenes, hypothetisch, imaginäre, imaginärer, imaginären,
    je doute, doute que, doutent que, doutons, ne crois pas, ne croit pas, ne croient pas, ne pense pas,
    ne pensons pas, ne pensent pas, personne ne croit, personne ne pense, nul ne croit, pas sûr, pas sûre,
    pas certain, pas certaine, je suppose, j'imagine, je présume, j'ai rêvé, fictif, fictive, imaginaire, hypothétique
    """)

_ADJECTIVES: Final = r"(?:[\w-]+\s+)?"
"""A word that may stand between an article and its noun, such as `new`."""

_FICTION: Final = (
    rf"(?:in|from)\s+(?:my|our|this|a|an)\s+{_ADJECTIVES}(?:novel|story|tale|fairy\s+tale|screenplay|script|manuscript|"
    r"fan\s*fiction|fantasy|dream|nightmare|game|comic|poem|movie|film|book|play|thriller|saga|musical)(?!\s+(?:club|shop|"
    r"store|shelf|case|job|house|home|theat(?:er|re)|group|company|studio|night))|"
    rf"(?:in|from)\s+the\s+{_ADJECTIVES}(?:novel|tale|fairy\s+tale|screenplay|dream|nightmare)|"
    r"(?:hero|heroine|protagonist|villain|narrator)\s+of\s+(?:my|our|this|the)|"
    rf"in\s+(?:mein|unser|dies|ein)e[mrs]?\s+{_ADJECTIVES}(?:roman|geschichte|erzählung|kurzgeschichte|märchen|buch|"
    r"drehbuch|film|theaterstück|traum|albtraum|spiel|rollenspiel|comic|gedicht|krimi)|"
    r"im\s+(?:roman|märchen|traum|drehbuch)|(?:held|heldin|hauptfigur)\s+(?:meines|meiner|unseres|unserer|des|der)|"
    r"dans\s+(?:mon|ma|notre|ce|cette)\s+(?:roman|histoire|conte|récit|livre|film|scénario|rêve|cauchemar|jeu|poème|"
    r"bande\s+dessinée|pièce\s+de\s+théâtre)|dans\s+(?:un|le)\s+(?:roman|conte|récit|scénario|rêve)|"
    r"(?:héros|héroïne|personnage)\s+(?:de\s+mon|de\s+ma|de\s+notre|du)"
)

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

_RETRACTING: Final = _phrases("no, nope, nein, nee, non, stop, halt, wait, moment")

_CORRECTING_ONESELF: Final = _phrases("""
    correction, scratch that, make that, my mistake, my bad, i misspoke, that's wrong, that is wrong, that was wrong,
    not true, or rather,
    korrektur, berichtigung, quatsch, stimmt nicht, stimmt gar nicht, das stimmt nicht, das war falsch, falsch,
    besser gesagt, genauer gesagt, vielmehr,
    rectification, c'est faux, c'était faux, ou plutôt, je me suis trompé, je me suis trompée, je me trompe, erratum
    """)

_MEANT: Final = _phrases("""
    i meant, i meant to say, i wanted to say, ich meinte, ich wollte sagen, gemeint war, meinte ich, je voulais dire,
    je pensais à, je parlais de
    """)

_MEANING: Final = rf"{_MEANT}|{_phrases('i mean, ich meine, je veux dire')}"

_MISSPOKEN: Final = _phrases("""
    correction, my mistake, i misspoke, korrektur, berichtigung, ich habe mich geirrt, je me suis trompé,
    je me suis trompée, erratum
    """)

_APOLOGIZING: Final = _phrases("""
    sorry, actually, oops, pardon, excuse me, in fact, entschuldigung, entschuldige, verzeihung, ups, eigentlich,
    tatsächlich, pardon, désolé, désolée, excuse-moi, excusez-moi, en fait, enfin, oups
    """)

_EXCLAIMING: Final = _phrases(
    "oh, ah, ach, uh, um, äh, ähm, hm, hmm, euh, ok, okay, but, and, aber, und, mais, et, well"
)

_WISHING: Final = _phrases("""
    i hope, we hope, hoping, i wish, we wish, if only, rumour has it, rumor has it, rumours say, rumors say,
    word has it, they say, people say, some say, it is said, it's said, allegedly, reportedly,
    ich wünschte, ich wünsche mir, wir wünschten, ich hoffe, wir hoffen, ich hätte gern, schön wäre es, man sagt,
    man erzählt, man munkelt, es heißt, gerüchteweise, gerüchten zufolge, angeblich,
    j'aimerais que, j'aimerais bien que, je voudrais que, je souhaite que, nous aimerions que, j'espère que, pourvu que,
    si seulement, on dit que, on raconte que, il paraît que, le bruit court que, la rumeur dit que, d'après la rumeur
    """)

_BEGINNING: Final = rf"^(?:(?:{_GREETINGS})[,!]?\s+)*"

REQUEST: Final = LazyPattern(rf"{_BEGINNING}(?:{_ASKING}|{_IMAGINING})\b", re.IGNORECASE)
"""How a sentence begins that asks for something, or asks to imagine something."""

UNCERTAIN: Final = LazyPattern(rf"\b(?:{_DOUBTING})\b", re.IGNORECASE)
"""Words of what is only imagined, hoped or believed."""

WISHED: Final = LazyPattern(rf"{_BEGINNING}(?:{_WISHING})\b", re.IGNORECASE)
"""How a sentence begins of what is wished, hoped or only heard of."""

PRESUMED: Final = LazyPattern(r"(?<!sehr )(?<!zum )\bwohl\b", re.IGNORECASE)
"""The German word for what is presumed, which is also how somebody feels."""

FEELING: Final = LazyPattern(r"\b(?:fühl\w*|gefühlt|befind\w*|schlaf\w*)\b", re.IGNORECASE)
"""Words beside which somebody is well."""

ASKED: Final = LazyPattern(
    rf"{_BEGINNING}(?:(?:does|did|do(?=\s+(?:you|we|they|i|the|my|your|our|his|her|their)\b))\s|"
    r"(?:where|when|why|how|who|whom|what)(?:['\u2019]s|\s+(?:does|did|do|is|are|was|were|has))\s|"
    r"(?:wo|woher|wohin|wann|warum|wieso|weshalb|wer|wem|wen|wie|was)\s+"
    r"(?:ist|sind|war|waren|hat|haben|wohn(?:t|st|en)|leb(?:t|st|en)|arbeite(?:t|n|st)|heißt|kommt|geht|macht)\s|"
    r"(?:wohnt|wohnst|lebt|lebst)\s+(?:du|sie|er|ihr|(?-i:[A-ZÄÖÜ])\w+\s)|"
    r"(?:est-ce|qu['\u2019]est-ce|où|quand|pourquoi|combien)\s)|"
    r"(?<!\bdit)(?<!\brépond)(?<!\bdemande)(?:-t)?-(?:ils?|elles?|on)\b",
    re.IGNORECASE,
)
"""How a sentence asks that may lack its question mark."""

DENIED: Final = LazyPattern(rf"(?<!\bno\s)(?<!\bwithout\s)(?<!\bwithout\sa\s)\b(?:{_DENYING})\b", re.IGNORECASE)
"""Words of what is doubted, denied or supposed, and of what does not exist."""

IMAGINED: Final = LazyPattern(rf"{_BEGINNING}(?:{_IMAGINING})\b", re.IGNORECASE)
"""How a sentence begins that asks to imagine something, which the sentences after it may go on with."""

FICTION: Final = LazyPattern(rf"\b(?:{_FICTION})\b", re.IGNORECASE)
"""Words of what stands in a novel, a dream or a game."""

TOLD: Final = LazyPattern(
    rf"{_BEGINNING}(?:(?:(?:{_ASKED_TO}),?\s+)*(?:{_PLAYING})\b|(?:{_TELLING})\b|from\s+now\s+on,?\s+you\s+are\b|"
    rf"(?:{_GIVING})\b(?:\s+[\w'\u2019-]+){{0,3}}?\s+(?:{_TEXTS})\b)",
    re.IGNORECASE,
)
"""How a sentence begins after which nothing is stated: it gives a role, tells a tale or hands over a text."""

ROLE: Final = LazyPattern(
    r"^(?:[Yy]ou\s+are|[Yy]ou['\u2019]re|[Dd]u\s+bist|[Tt]u\s+es|[Vv]ous\s+êtes)\s+(?:an?\s|eine?\s|une?\s|[A-ZÀ-Þ])"
)
"""How a sentence begins that says who the model is to be."""

REWRITING: Final = LazyPattern(rf"\b(?:{_REWRITING})\b", re.IGNORECASE)
"""What is done with a text only, such as a translation."""

CORRECTING: Final = LazyPattern(rf"\b(?:{_CORRECTING})\b", re.IGNORECASE)
"""What is done with a text, and with what somebody said, too."""

TEXT: Final = LazyPattern(rf"\b(?:{_TEXTS})\b", re.IGNORECASE)
"""What a text is called."""

POINTED_AT: Final = LazyPattern(rf"\b(?:{_POINTING})\b|:", re.IGNORECASE)
"""What points at a text before or after."""

FIRST_PERSON: Final = LazyPattern(rf"^(?:(?:{_JOINING}),?\s+)*(?:{_OWN})\b", re.IGNORECASE)
"""How a sentence begins that is about who says it."""

OPINION: Final = LazyPattern(rf"^(?:{_THINKING})\b", re.IGNORECASE)
"""How a sentence begins that says what somebody thinks or wants now."""

GOES_ON: Final = LazyPattern(rf"^(?:{_CONTINUING})\b", re.IGNORECASE)
"""How a sentence begins that speaks of what the one before has named."""

_CORRECTION_BEGINS: Final = rf"^(?:(?:{_EXCLAIMING}|{_APOLOGIZING})[,.!]?\s+){{0,3}}"

CORRECTS: Final = LazyPattern(
    rf"{_CORRECTION_BEGINS}(?:(?:{_RETRACTING})\s*(?:[,.!:;\u2013\u2014-]|$)|(?:{_CORRECTING_ONESELF}|{_MEANING})\b)",
    re.IGNORECASE,
)
"""How a sentence begins that takes back what the one before states."""

MAY_CORRECT: Final = LazyPattern(rf"^(?:(?:{_EXCLAIMING})[,!]?\s+)?(?:{_APOLOGIZING})\b", re.IGNORECASE)
"""How a sentence begins that may take back what the one before states, if it states something itself."""

CORRECTS_EARLIER: Final = LazyPattern(
    rf"\s*{_CORRECTION_BEGINS[1:]}(?:(?:{_RETRACTING})[\s,.!:;\u2013\u2014-]+)?(?:{_MEANT}|{_MISSPOKEN})\b",
    re.IGNORECASE,
)
"""How a message begins that takes back what the user's message before it states, not what the answer does."""

RETRACTION: Final = LazyPattern(
    rf"{_CORRECTION_BEGINS}(?:{_RETRACTING}|{_CORRECTING_ONESELF}|{_APOLOGIZING})[\s,.!:;\u2013\u2014-]*", re.IGNORECASE
)
"""A sentence that only takes something back; the next one corrects it."""

MEANS: Final = LazyPattern(rf"\b(?:{_MEANING})\b", re.IGNORECASE)
"""Words after which only what is put right stands, so that the sentence states nothing alone."""
