"""Requests to translate a text: which text, and into which language. Pure."""

import re
from typing import Final, NamedTuple

_NAMES: Final = {
    "English": "english englisch englische anglais inglés inglese engels",
    "German": "german deutsch deutsche allemand alemán tedesco duits",
    "French": "french französisch französische français francés francese frans",
    "Spanish": "spanish spanisch spanische espagnol español castellano spagnolo spaans",
    "Italian": "italian italienisch italienische italien italiano italiaans",
    "Dutch": "dutch niederländisch niederländische néerlandais neerlandés holandés nederlands",
    "Portuguese": "portuguese portugiesisch portugiesische portugais portugués",
    "Polish": "polish polnisch polnische polonais polaco",
    "Turkish": "turkish türkisch türkische turc turco",
    "Swedish": "swedish schwedisch schwedische suédois sueco",
    "Danish": "danish dänisch dänische danois danés",
    "Czech": "czech tschechisch tschechische tchèque checo",
    "Russian": "russian russisch russische russe ruso",
    "Ukrainian": "ukrainian ukrainisch ukrainische ukrainien ucraniano",
    "Greek": "greek griechisch griechische grec griego",
    "Arabic": "arabic arabisch arabische arabe árabe",
    "Chinese": "chinese chinesisch chinesische chinois chino mandarin",
    "Japanese": "japanese japanisch japanische japonais japonés",
    "Korean": "korean koreanisch koreanische coréen coreano",
    "Latin": "latin lateinisch lateinische",
}
_LANGUAGES: Final = {name: language for language, names in _NAMES.items() for name in names.split()}
_TARGET: Final = rf"(?P<target>{'|'.join(sorted(_LANGUAGES, key=len, reverse=True))})\b"
_TEXT: Final = r"(?P<text>\S.*)"
_OPEN: Final = "\"'\u201c\u201e\u00ab\u2018"
_CLOSE: Final = "\"'\u201d\u201c\u00bb\u2019"
_QUOTED: Final = f"(?P<text>[{_OPEN}].{{1,600}}?[{_CLOSE}])"
_POLITE: Final = r"\W*(?:(?:please|pls|can you|could you|bitte|kannst du|peux-tu|por favor|puedes) )?"
_THEN: Final = rf"{_TARGET}(?: (?:please|pls|bitte))?\s*[:,\n-]\s*{_TEXT}"
_PART: Final = r"(?: (?:sentence|text|phrase|line))?"
_THIS_DE: Final = r"(?: mir| mal)?(?: bitte)?(?: (?:das|dies|den satz|diesen satz|folgendes|den text))?"
_THIS_FR: Final = r"(?:[ -](?:moi|ceci|ça|cette phrase|ce texte))*"
_FORMS: Final = (
    rf"(?:translate|translation)(?: (?:this|the following|it))?{_PART}(?: from \w+)? (?:in|into|to) {_THEN}",
    rf"(?:how do (?:you|i|we) say|say|translate) {_QUOTED} (?:in|into|to) {_TARGET}\W*",
    rf"(?:übersetze?n?|übersetzung){_THIS_DE}(?: bitte)? (?:ins?|in das|auf|nach|zu) {_THEN}",
    rf"(?:übersetze?n?|wie sagt man|was hei(?:ß|ss)t)(?: mir)?(?: bitte)? {_QUOTED} (?:ins?|auf) {_TARGET}\W*",
    rf"(?:traduis|traduisez|traduire|traduction){_THIS_FR} (?:en|vers l[e']) ?{_THEN}",
    rf"(?:comment dit-on|traduis) {_QUOTED} en {_TARGET}\W*",
    rf"(?:traduce|tradúceme|traduzca|traducir|traducción)(?: (?:esto|esta frase|este texto))? (?:al|a|en) {_THEN}",
    rf"(?:cómo se dice|traduce) {_QUOTED} (?:en|al) {_TARGET}\W*",
)
_MAX: Final = 12_000


class Translation(NamedTuple):
    """A text that is to be translated, and the English name of the language."""

    text: str
    target: str


def read_translation(request: str) -> Translation | None:
    """The text and the language of a request for a translation and nothing else; None for any other request."""
    asked = request.strip()
    if len(asked) > _MAX:
        return None
    flags = re.IGNORECASE | re.DOTALL  # compiled at the first request, and kept
    found = next((found for form in _FORMS if (found := re.fullmatch(_POLITE + form, asked, flags))), None)
    if found is None or not (text := found["text"].strip(f" {_OPEN}{_CLOSE}")):
        return None
    return Translation(text, _LANGUAGES[found["target"].casefold()])
