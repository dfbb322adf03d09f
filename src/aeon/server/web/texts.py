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
    "request_number": ("Request {n} to the model", "Anfrage {n} an das Modell"),
    "retry": ("Try again", "Erneut versuchen"),
    "retry_keeps": (
        "as a new run, which keeps the steps that are completed",
        "als neuer Lauf, der die fertigen Schritte behält",
    ),
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
    "sign_out": ("Sign out", "Abmelden"),
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
    "pages": ("Pages", "Seiten"),
    "processes": ("Processes", "Prozesse"),
    "settings": ("Settings", "Einstellungen"),
    "tools": ("Tools", "Werkzeuge"),
    "services": ("Services", "Dienste"),
    "secrets": ("Secrets", "Geheimnisse"),
    "secret": ("Secret", "Geheimnis"),
    "service": ("Service", "Dienst"),
    "new_process": ("New Process", "Neuer Prozess"),
    "new_secret": ("New secret", "Neues Geheimnis"),
    "check_now": ("Check health now", "Zustand jetzt prüfen"),
    "begins_with": ("Name begins with", "Name beginnt mit"),
    "source": ("Whose", "Von wem"),
    "own": ("my own", "eigene"),
    "of_others": ("of others", "von anderen"),
    "shared": ("shared", "geteilt"),
    "disabled": ("disabled", "abgeschaltet"),
    "healthy": ("healthy", "in Ordnung"),
    "degraded": ("degraded", "beeinträchtigt"),
    "down": ("down", "ausgefallen"),
    "all_inputs": ("All inputs", "Alle Eingaben"),
    "required": ("required", "nötig"),
    "is_json": ("JSON", "JSON"),
    "is_any": ("Text, or JSON such as 3, true or [1, 2]", "Text oder JSON wie 3, true oder [1, 2]"),
    "manage": ("Rename, share, delete", "Umbenennen, teilen, löschen"),
    "name": ("Name", "Name"),
    "disable": ("Disable", "Abschalten"),
    "enable": ("Enable", "Einschalten"),
    "share_it": ("Share", "Teilen"),
    "unshare": ("Stop sharing", "Nicht mehr teilen"),
    "delete": ("Delete", "Löschen"),
    "delete_this": ("Delete {name}?", "{name} löschen?"),
    "used_by": ("It is used by: {names}.", "Es wird benutzt von: {names}."),
    "uses": ("Used by", "Benutzt von"),
    "copy_to_edit": ("Copy to edit", "Kopieren und bearbeiten"),
    "make_copy": ("Make a copy", "Kopie anlegen"),
    "start_run": ("Start a run", "Lauf starten"),
    "drawing": ("Drawing", "Zeichnung"),
    "drawing_of": (
        "{n} steps and what each waits for; the list below says the same in words.",
        "{n} Schritte und worauf jeder wartet; die Liste darunter sagt dasselbe in Worten.",
    ),
    "more_steps": ("and {n} more steps", "und {n} weitere Schritte"),
    "asks_person": ("asks a person", "fragt einen Menschen"),
    "after": ("after", "nach"),
    "if": ("if", "falls"),
    "as_text": ("As text", "Als Text"),
    "versions": ("Versions", "Fassungen"),
    "version": ("version {n}", "Fassung {n}"),
    "what_changed": ("What changed", "Was sich änderte"),
    "from": ("From", "Von"),
    "to": ("To", "Nach"),
    "compare": ("Compare", "Vergleichen"),
    "compare_with": ("Compare with", "Vergleichen mit"),
    "step_added": ("added", "hinzugefügt"),
    "step_removed": ("removed", "entfernt"),
    "step_moved": ("moved", "verschoben"),
    "step_changed": ("changed", "geändert"),
    "no_difference": ("They do not differ.", "Sie unterscheiden sich nicht."),
    "count_faults": ("Faults: {n}", "Fehler: {n}"),
    "line": ("line {n}", "Zeile {n}"),
    "no_faults": ("No fault was found.", "Kein Fehler gefunden."),
    "check": ("Check", "Prüfen"),
    "save": ("Save", "Speichern"),
    "your_text": ("your text", "dein Text"),
    "saving_replaces": (
        "Your text is below, and nothing was saved. Saving it again replaces what was saved meanwhile.",
        (
            "Dein Text steht unten, und nichts wurde gespeichert. "
            "Noch einmal speichern ersetzt, was inzwischen gespeichert wurde."
        ),
    ),
    "draft_shown": (
        "This is what you typed before, which is not saved.",
        "Das hast du früher getippt; es ist nicht gespeichert.",
    ),
    "show_saved": ("Show the saved text", "Gespeicherten Text zeigen"),
    "differs_from_yours": ("What your text would change", "Was dein Text ändern würde"),
    "last_check": ("Last health check", "Letzte Prüfung"),
    "never": ("never", "nie"),
    "trust": ("Trust", "Vertrauen"),
    "trusted": ("You let your plans use it.", "Deine Pläne dürfen es benutzen."),
    "not_trusted": ("Your plans do not use it.", "Deine Pläne benutzen es nicht."),
    "trust_outdated": (
        "Its owner changed it since you trusted it; your plans do not use it until you trust it again.",
        "Es wurde geändert, seit du ihm vertraust; deine Pläne benutzen es erst wieder, wenn du ihm neu vertraust.",
    ),
    "trust_it": ("Let my plans use it", "Meinen Plänen erlauben"),
    "distrust_it": ("Do not use it any more", "Nicht mehr benutzen"),
    "secret_for_you": ("Your secret that it uses for you", "Dein Geheimnis, das es für dich benutzt"),
    "none": ("none", "keines"),
    "needs_secret": ("It needs a secret of yours.", "Es braucht ein Geheimnis von dir."),
    "test_call": ("Test call", "Probeaufruf"),
    "test_call_more": ("The call is real, with all its effects.", "Der Aufruf ist echt, mit allen Folgen."),
    "call": ("Call", "Aufrufen"),
    "operation": ("Operation", "Vorgang"),
    "connection": ("Connection", "Verbindung"),
    "input_schema": ("Schema of the inputs", "Schema der Eingaben"),
    "output_schema": ("Schema of the output", "Schema des Ergebnisses"),
    "limits": ("Limits", "Grenzen"),
    "type": ("Type", "Art"),
    "secret_is_kept": (
        "The value goes into the vault. No page, log or answer shows it again.",
        "Der Wert kommt in den Tresor. Keine Seite, kein Log und keine Antwort zeigt ihn wieder.",
    ),
    "rotate": ("Another value", "Anderer Wert"),
    "other_version": (
        "The two runs had two versions of the Process.",
        "Die beiden Läufe hatten zwei Fassungen des Prozesses.",
    ),
    "same": ("the same", "gleich"),
    "differs": ("differs", "verschieden"),
    "no_such_step": ("no such step", "kein solcher Schritt"),
    "forget": ("Forget", "Vergessen"),
    "forget_this": ("Forget {name}?", "{name} vergessen?"),
    "forget_message": ("Forget this?", "Dies vergessen?"),
    "forgotten": ("Forgotten", "Vergessen"),
    "erases_messages": ("Messages that are erased: {n}", "Nachrichten, die gelöscht werden: {n}"),
    "erases_answers": ("Answers that are erased: {n}", "Antworten, die gelöscht werden: {n}"),
    "erases_files": ("Files that are erased: {n}", "Dateien, die gelöscht werden: {n}"),
    "erases_runs": ("Runs that are erased: {n}", "Läufe, die gelöscht werden: {n}"),
    "stays_below": (
        "Messages and answers below it that stay: {n}",
        "Nachrichten und Antworten darunter, die bleiben: {n}",
    ),
    "stays_forks": (
        "Conversations that continue from it and lose what they continue: {n}",
        "Unterhaltungen, die von hier weitergehen und verlieren, woran sie anschließen: {n}",
    ),
    "erasing_is_final": (
        "The words are erased from the record, the search, the runs and the files. Nothing brings them back.",
        "Die Worte werden aus dem Bestand, der Suche, den Läufen und den Dateien gelöscht. Nichts bringt sie zurück.",
    ),
    "erasing_done": ("Nothing of it is left.", "Nichts davon ist übrig."),
    "erasing_goes_on": (
        "The words are gone from the record. The rest is erased as soon as its runs have ended.",
        "Die Worte sind aus dem Bestand gelöscht. Der Rest wird gelöscht, sobald die Läufe zu Ende sind.",
    ),
    "add_by_text": ("Add services and tools by a text", "Dienste und Werkzeuge als Text anlegen"),
    "apply_more": (
        "The text is what `aeon apply` reads: documents with --- between them. What exists is changed.",
        "Der Text ist, was `aeon apply` liest: Dokumente, zwischen denen --- steht. Was es gibt, wird geändert.",
    ),
    "would_be_applied": ("What saving would do", "Was Speichern täte"),
    "was_applied": ("What was done", "Was getan wurde"),
    "applied_create": ("new", "neu"),
    "applied_change": ("changed", "geändert"),
    "applied_keep": ("unchanged", "unverändert"),
    "affects": ("No more usable for:", "Nicht mehr nutzbar für:"),
    "breaks": ("Does not fit any more:", "Passt nicht mehr:"),
    "erasing_in_files": (
        "The files of the database server have it until the server cleans them up.",
        "Die Dateien des Datenbankservers enthalten es, bis der Server sie aufräumt.",
    ),
    "model_page": ("The model", "Das Modell"),
    "model_first": ("First, a model is needed", "Zuerst braucht es ein Modell"),
    "model_missing": (
        "No model can answer yet: {title}, which suits this machine, is not on it.",
        "Noch kann kein Modell antworten: {title}, das zu diesem Rechner passt, ist nicht da.",
    ),
    "model_fetch_now": ("Fetch it now ({size} MB)", "Jetzt holen ({size} MB)"),
    "model_other_ways": ("Another model, or a model server", "Ein anderes Modell oder ein Modellserver"),
    "model_ask_owner": (
        "The user to whom the folder of this project belongs can fetch one.",
        "Wem der Ordner dieses Projekts gehört, kann eines holen.",
    ),
    "model_answers": ("{name} answers ({where}).", "{name} antwortet ({where})."),
    "model_ready": ("Ask it something", "Frag es etwas"),
    "this_machine": ("on this machine", "auf diesem Rechner"),
    "model_fetch_heading": ("Models that run on this machine", "Modelle, die auf diesem Rechner laufen"),
    "model_fetch_more": (
        (
            "Fetching is done once. It goes on if you close this page, and what was downloaded is kept. "
            "Then the model answers at once."
        ),
        (
            "Geholt wird einmal. Es geht weiter, wenn du diese Seite schließt, und was geladen ist, bleibt. "
            "Danach antwortet das Modell sofort."
        ),
    ),
    "model_is_here": ("is here", "ist da"),
    "model_suits": ("suits this machine", "passt zu diesem Rechner"),
    "model_fetch": ("Fetch {name}", "{name} holen"),
    "fetch_waiting": ("Another process is fetching it ...", "Ein anderer Prozess holt es gerade ..."),
    "fetch_trying": ("Connecting ...", "Verbindet ..."),
    "fetch_downloading": ("Downloading from {source}:", "Lädt von {source}:"),
    "fetch_joining": ("Putting the parts together:", "Setzt die Teile zusammen:"),
    "fetch_verifying": ("Verifying:", "Prüft:"),
    "fetch_rejected": (
        "The file here is not what was published, and is replaced ...",
        "Die Datei hier ist nicht die veröffentlichte und wird ersetzt ...",
    ),
    "fetch_source_failed": (
        "{source} did not deliver it; the next source is tried ...",
        "{source} hat es nicht geliefert; die nächste Quelle wird versucht ...",
    ),
    "model_server_heading": ("A model server instead", "Stattdessen ein Modellserver"),
    "model_server_more": (
        (
            "Give the server these variables and start it again. The key stays in its variable: "
            "settings only have the variable's name, and no page shows or takes a key."
        ),
        (
            "Gib dem Server diese Variablen und starte ihn neu. Der Schlüssel bleibt in seiner Variablen: "
            "Einstellungen haben nur deren Namen, und keine Seite zeigt oder nimmt einen Schlüssel."
        ),
    ),
    "settings_more": (
        "The server keeps the settings that it started with: start it again after a change. Changes are written to",
        "Der Server behält die Einstellungen, mit denen er begann: Starte ihn nach Änderungen neu. Sie stehen in",
    ),
    "not_set": ("not set", "nicht gesetzt"),
    "setting_default": ("default", "Standard"),
    "setting_not_in_use": ("the server still uses another value", "der Server benutzt noch einen anderen Wert"),
    "setting_by_variable": (
        "{name} sets it, and wins over every file: change it there, and start the server again.",
        "{name} setzt es und gilt vor jeder Datei: Ändere es dort und starte den Server neu.",
    ),
    "setting_grant": (
        (
            "This allows something to scripts or tools. A project's file may come from somebody else, "
            "so it cannot do that: set {name} yourself, and start the server again."
        ),
        (
            "Dies erlaubt Skripten oder Werkzeugen etwas. Die Datei eines Projekts kann von anderen stammen "
            "und kann das nicht: Setze {name} selbst und starte den Server neu."
        ),
    ),
    "setting_empty": (
        "Empty: it is taken out of the file, and the next source or the default counts.",
        "Leer: Es verschwindet aus der Datei, und die nächste Quelle oder der Standard gilt.",
    ),
    "change_it": ("Change", "Ändern"),
    "skills": ("Skills", "Fähigkeiten"),
    "skills_more": (
        "What lies in the folders of skills: texts to follow, and scripts that run isolated.",
        "Was in den Ordnern der Fähigkeiten liegt: Texte zum Befolgen und Skripte, die abgeschirmt laufen.",
    ),
    "skills_reload": ("Read the folders again", "Ordner neu lesen"),
    "skill_notes": ("What was left out", "Was ausgelassen wurde"),
    "skill_from_project": ("from the project", "aus dem Projekt"),
    "skill_trusted": ("trusted", "vertraut"),
    "skill_is_trusted": (
        "You trust it with its current files. Trust ends when one of them changes.",
        "Du vertraust ihr mit ihren jetzigen Dateien. Das Vertrauen endet, wenn sich eine ändert.",
    ),
    "skill_not_trusted": (
        "It came with the project, and you have not trusted its current files. Look at them first.",
        "Sie kam mit dem Projekt, und ihren jetzigen Dateien vertraust du nicht. Sieh sie dir zuerst an.",
    ),
    "skill_is_yours": ("It is your own, or came with Aeon.", "Sie ist deine eigene oder kam mit Aeon."),
    "skill_was_changed": (
        "It changed since it was installed. Look at its files first.",
        "Sie wurde geändert, seit sie eingerichtet wurde. Sieh dir zuerst ihre Dateien an.",
    ),
    "skill_declares": ("It asks for:", "Sie verlangt:"),
    "skill_granted": ("It is granted:", "Ihr ist erlaubt:"),
    "grant_network": ("the network", "das Netz"),
    "grant_model": ("the model", "das Modell"),
    "grant_write": ("writing to {folder}", "in {folder} schreiben"),
    "nothing_more": ("nothing beyond its own folder", "nichts außerhalb ihres Ordners"),
    "skill_trust": (
        "Trust it with these files, and grant what it asks for",
        "Ihr mit diesen Dateien vertrauen und erlauben, was sie verlangt",
    ),
    "skill_distrust": ("Trust it no longer", "Nicht mehr vertrauen"),
    "skill_files": ("Files", "Dateien"),
    "file_new": ("new since you trusted it", "neu, seit du vertraust"),
    "file_changed": ("changed since you trusted it", "geändert, seit du vertraust"),
    "file_removed": ("removed since you trusted it", "entfernt, seit du vertraust"),
    "skill_prompt": ("What it tells the model", "Was sie dem Modell sagt"),
    "secret_is_set": (
        "It is set. Leave the field empty to keep it.",
        "Es ist gesetzt. Lass das Feld leer, um es zu behalten.",
    ),
    "script": ("Script", "Skript"),
    "one_argument_a_line": ("One argument a line.", "Ein Argument je Zeile."),
    "run_script": ("Run it", "Ausführen"),
    "skill_runs_once_trusted": (
        "It runs once you trust the skill.",
        "Es läuft, sobald du der Fähigkeit vertraust.",
    ),
    "failed_attempts": ("Failed attempts", "Gescheiterte Versuche"),
    "script_events": ("What the script sent", "Was das Skript schickte"),
    "diagnostics": ("What it wrote beside that", "Was es daneben schrieb"),
    "final_state": ("What it left", "Was es hinterließ"),
    "pending": ("waiting", "wartend"),
    "timeout": ("timed out", "Zeit überschritten"),
    "model_own_server": ("A server of your own, such as vLLM:", "Ein eigener Server, etwa vLLM:"),
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
