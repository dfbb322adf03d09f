"""The words of the page, in English and German, by key."""

from collections.abc import Mapping
from typing import Final

LANGUAGES: Final = ("en", "de")

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "answer": ("Answer", "Antwort"),
    "answer_it": ("Answer", "Beantworten"),
    "answered": ("answered", "beantwortet"),
    "answered_once": ("The answer is complete.", "Die Antwort ist fertig."),
    "answering": ("Is being answered ...", "Wird beantwortet ..."),
    "archive": ("Archive", "Archivieren"),
    "archived": ("Archived conversations", "Archivierte Unterhaltungen"),
    "ask_placeholder": ("Ask something", "Frag etwas"),
    "attach": ("Attach files", "Dateien anhängen"),
    "attempt": ("attempt {n}", "Versuch {n}"),
    "back": ("Back", "Zurück"),
    "back_to_conversation": ("Back to the conversation", "Zurück zur Unterhaltung"),
    "branch_shown": (
        "You are looking at one branch or an earlier part. Nothing was switched.",
        "Du siehst einen Zweig oder einen früheren Teil. Es wurde nichts umgeschaltet.",
    ),
    "cancel_run": ("Cancel this run", "Diesen Lauf abbrechen"),
    "cancelled": ("cancelled", "abgebrochen"),
    "cancelling": ("is being cancelled", "wird abgebrochen"),
    "complete": ("complete", "fertig"),
    "completed": ("completed", "fertig"),
    "conversation": ("Conversation", "Unterhaltung"),
    "conversations": ("Conversations", "Unterhaltungen"),
    "copied": ("Copied", "Kopiert"),
    "copy": ("Copy", "Kopieren"),
    "count_tokens": ("{n} tokens", "{n} Token"),
    "cut_off": ("ended at the model's limit", "endete an der Grenze des Modells"),
    "details": ("Details", "Einzelheiten"),
    "duration": ("Duration", "Dauer"),
    "edit": ("Edit", "Bearbeiten"),
    "edit_hint": (
        "The earlier words stay: you can page between the two.",
        "Der frühere Wortlaut bleibt: Du kannst zwischen beiden blättern.",
    ),
    "empty": ("(empty)", "(leer)"),
    "erased": ("[erased]", "[gelöscht]"),
    "error": ("Error", "Fehler"),
    "failed": ("failed", "gescheitert"),
    "failing": ("is failing", "scheitert gerade"),
    "filter": ("Filter", "Filtern"),
    "fork": ("Fork", "Abzweigen"),
    "forked_from": ("Forked from", "Abgezweigt von"),
    "from_start": ("Earlier messages", "Frühere Nachrichten"),
    "image_not_loaded": ("image not loaded", "Bild nicht geladen"),
    "inputs": ("Inputs", "Eingaben"),
    "is_reference": ("from the conversation it continues", "aus der fortgesetzten Unterhaltung"),
    "jump": ("Jump to the latest", "Zum Neuesten springen"),
    "key_edit": ("edit the chosen message", "gewählte Nachricht bearbeiten"),
    "key_help": ("show these keys", "diese Tasten zeigen"),
    "key_move": ("choose the message before or after", "vorige oder nächste Nachricht wählen"),
    "key_newline": ("new line", "neue Zeile"),
    "key_page": ("page between alternatives", "zwischen Alternativen blättern"),
    "key_regions": ("move between the messages and the input", "zwischen Nachrichten und Eingabe wechseln"),
    "key_regenerate": ("regenerate the chosen answer", "gewählte Antwort neu erzeugen"),
    "key_search": ("search", "suchen"),
    "key_send": ("send", "senden"),
    "key_stop": ("stop the answer", "Antwort anhalten"),
    "keys": ("Keys", "Tasten"),
    "left_out": ("Left out", "Weggelassen"),
    "lost": (
        "The connection is lost. What you typed is kept; this page tries again.",
        "Die Verbindung ist unterbrochen. Dein Text bleibt erhalten; die Seite versucht es wieder.",
    ),
    "made_from": ("What the answer was made from", "Woraus die Antwort entstand"),
    "marks": ("Marks", "Hinweise"),
    "message": ("Message", "Nachricht"),
    "messages_elsewhere": (
        "{n} messages on another branch",
        "{n} Nachrichten auf einem anderen Zweig",
    ),
    "message_elsewhere": ("1 message on another branch", "1 Nachricht auf einem anderen Zweig"),
    "model": ("model", "Modell"),
    "more": ("More", "Mehr"),
    "new": ("not started", "nicht begonnen"),
    "new_conversation": ("New conversation", "Neue Unterhaltung"),
    "newest": ("To the newest message", "Zur neuesten Nachricht"),
    "next": ("next alternative", "nächste Alternative"),
    "no_runs": ("No runs match.", "Kein Lauf passt."),
    "nothing_found": ("Nothing was found.", "Nichts gefunden."),
    "of": ("{n} of {count}", "{n} von {count}"),
    "output": ("Output", "Ergebnis"),
    "phase": ("Phase", "Phase"),
    "any": ("any", "beliebig"),
    "pin": ("Pin", "Anheften"),
    "previous": ("previous alternative", "vorige Alternative"),
    "process": ("Process", "Prozess"),
    "questions": ("Waits for your answer", "Wartet auf deine Antwort"),
    "refused": ("refused", "abgelehnt"),
    "regenerate": ("Regenerate", "Neu erzeugen"),
    "rename": ("Rename", "Umbenennen"),
    "restore": ("Restore", "Wiederherstellen"),
    "retry": ("Try again", "Erneut versuchen"),
    "retry_of": ("Retry of", "Wiederholung von"),
    "retrying": ("is retried", "wird wiederholt"),
    "run": ("Run", "Lauf"),
    "running": ("running", "läuft"),
    "runs": ("Runs", "Läufe"),
    "save_answer": ("Save and answer", "Speichern und beantworten"),
    "save_only": ("Save only", "Nur speichern"),
    "search": ("Search", "Suchen"),
    "search_for": ("Search your conversations", "Unterhaltungen durchsuchen"),
    "send": ("Send", "Senden"),
    "share": ("Share", "Anteil"),
    "show": ("Show", "Zeigen"),
    "show_branch": ("Show this branch", "Diesen Zweig zeigen"),
    "sign_in": ("Sign in", "Anmelden"),
    "sign_in_field": ("The link that the server printed", "Der Link, den der Server ausgegeben hat"),
    "sign_in_how": (
        (
            "Open the link that `aeon serve` printed. It signs you in once, within ten minutes. "
            "For a new link: `aeon serve link`."
        ),
        (
            "Öffne den Link, den `aeon serve` ausgegeben hat. Er meldet dich einmal an, innerhalb von zehn Minuten. "
            "Für einen neuen Link: `aeon serve link`."
        ),
    ),
    "sign_in_used": (
        "This link was used or has expired.",
        "Dieser Link wurde schon benutzt oder ist abgelaufen.",
    ),
    "sign_in_with": ("Sign in with {name}", "Mit {name} anmelden"),
    "sign_out": ("Sign out", "Abmelden"),
    "signed_in": ("You are signed in", "Du bist angemeldet"),
    "signed_out": ("You are not signed in", "Du bist nicht angemeldet"),
    "since": ("Since", "Seit"),
    "skip": ("Skip to the messages", "Zu den Nachrichten"),
    "skipped": ("skipped", "übersprungen"),
    "stale": ("stale", "veraltet"),
    "stale_answer": (
        "This answers other words of the message above, which are not the shown ones any more.",
        "Dies beantwortet einen anderen Wortlaut der Nachricht darüber, der nicht mehr gezeigt wird.",
    ),
    "stale_others": (
        "{n} answers to its other versions are stale: they answer other words.",
        "{n} Antworten auf andere Fassungen sind veraltet: Sie beantworten einen anderen Wortlaut.",
    ),
    "stale_other": (
        "1 answer to another version is stale: it answers other words.",
        "1 Antwort auf eine andere Fassung ist veraltet: Sie beantwortet einen anderen Wortlaut.",
    ),
    "started": ("Started", "Begonnen"),
    "steps": ("Steps", "Schritte"),
    "stop": ("Stop", "Anhalten"),
    "stopped": ("stopped", "angehalten"),
    "stopping": ("is being stopped", "wird angehalten"),
    "system": ("Instructions", "Anweisungen"),
    "timed_out": ("timed out", "Zeit überschritten"),
    "title": ("Title", "Titel"),
    "tokens": ("Tokens", "Token"),
    "tokens_of": ("{total} of {budget} tokens ({kind})", "{total} von {budget} Token ({kind})"),
    "tool": ("Tool", "Werkzeug"),
    "tree": ("All branches", "Alle Zweige"),
    "unpin": ("Unpin", "Lösen"),
    "waiting": ("waits", "wartet"),
    "welcome": ("What would you like to know?", "Was möchtest du wissen?"),
    "welcome_more": (
        "Type a question and press Enter. The answer is made on this machine or by the model that you have set.",
        (
            "Tippe eine Frage und drücke Enter. Die Antwort entsteht auf diesem Rechner oder durch das Modell, "
            "das du eingestellt hast."
        ),
    ),
    "what_to_do": ("What you can do", "Was du tun kannst"),
    "why": ("Why?", "Warum?"),
    "why_waiting": ("Why it does not continue", "Warum es nicht weitergeht"),
    "with_process": ("by", "durch"),
    "you": ("You", "Du"),
}


def text(language: str, key: str, **values: object) -> str:
    """The text of a key, with its values filled in. Raises KeyError for an unknown one."""
    return TEXTS[key][LANGUAGES.index(language)].format_map(values)


def choose_language(accepted: str) -> str:
    """The language that an Accept-Language header prefers; English if it names none of the page's."""
    ranked = sorted((_ranked(part, place) for place, part in enumerate(accepted.split(","))), reverse=True)
    return next((language for weight, _, language in ranked if language in LANGUAGES and weight > 0), LANGUAGES[0])


def _ranked(part: str, place: int) -> tuple[float, int, str]:
    name, _, rest = part.strip().partition(";")
    try:
        weight = float(rest.strip().removeprefix("q=") or 1)
    except ValueError:
        weight = 0.0
    return weight, -place, name.strip().lower().partition("-")[0]
