"""The descriptions of the settings in German, by their English text."""

from collections.abc import Mapping
from typing import Final

SETTING_TEXTS: Final[Mapping[str, str]] = {
    # model and embeddings
    "auto, embedded, openai, anthropic or vllm": "auto, embedded, openai, anthropic oder vllm",
    "embedded: standard, small, tiny or a .gguf file; remote: the model id": (
        "eingebettet: standard, small, tiny oder eine .gguf-Datei; entfernt: die Kennung des Modells"
    ),
    "root of the model's HTTP API": "Basisadresse der HTTP-API des Modells",
    "name of the environment variable that holds the API key": (
        "Name der Umgebungsvariablen, in der der API-Schlüssel steht"
    ),
    "seconds a remote model may be silent": "Sekunden, die ein entferntes Modell schweigen darf",
    "whether a remote model is asked how sure it was of each word, as the embedded one and vLLM are": (
        "ob ein entferntes Modell gefragt wird, wie sicher es bei jedem Wort war, so wie das eingebettete und vLLM"
    ),
    "tokens of context of the embedded model": "Token, die der Kontext des eingebetteten Modells fasst",
    "where weights are fetched from, in order": "woher die Gewichte der Modelle geholt werden, der Reihe nach",
    "by model: prompt and completion (for a million tokens) and currency; else no cost is shown": (
        "je Modell: prompt und completion (für eine Million Token) und currency; sonst werden keine Kosten gezeigt"
    ),
    "embedded: all-MiniLM-L6-v2 in this process, for English; remote: a server with OpenAI's API": (
        "embedded: all-MiniLM-L6-v2 in diesem Programm selbst, für Englisch; remote: ein Server mit der API von OpenAI"
    ),
    "remote: root of the HTTP API": "remote: Basisadresse der HTTP-API",
    "remote: the model id": "remote: die Kennung des Modells",
    "remote: name of the environment variable that holds the API key": (
        "remote: Name der Umgebungsvariablen, in der der API-Schlüssel steht"
    ),
    "seconds that a request may take": "Sekunden, die eine Anfrage dauern darf",
    # run, memory and tools
    "steps that a run may visit": "Schritte, die ein Lauf durchlaufen darf",
    "folder for the logs of runs": "Ordner für die Logs der Läufe",
    "a step whose tool does not exist: the model answers, marked as fallback, or the step fails": (
        "ein Schritt, dessen Werkzeug es nicht gibt: Das Modell antwortet, als fallback gekennzeichnet, "
        "oder der Schritt scheitert"
    ),
    'file of the key/value memory; ":memory:" keeps nothing': (
        'Datei des Gedächtnisses aus Schlüsseln und Werten; ":memory:" behält nichts'
    ),
    "folders whose files tools may read": "Ordner, deren Dateien Werkzeuge lesen dürfen",
    "folders in which tools may read and write files": "Ordner, in denen Werkzeuge Dateien lesen und schreiben dürfen",
    "hosts whose pages tools may get, besides those that a request names": (
        "Hosts, deren Seiten Werkzeuge abrufen dürfen, zusätzlich zu denen, die eine Anfrage nennt"
    ),
    # skills
    "more folders of skills, searched first": "weitere Ordner mit Fähigkeiten, die zuerst durchsucht werden",
    "names of skills that are not used": "Namen von Fähigkeiten, die nicht benutzt werden",
    "isolation of scripts: auto takes the best that works, require refuses plain": (
        "Abschirmung der Skripte: auto nimmt die beste, die funktioniert, require lehnt plain ab"
    ),
    "scripts at once; default: the CPU cores": "Skripte zugleich; Standard: so viele wie CPU-Kerne",
    "seconds that one plan of skills may take": "Sekunden, die ein Plan aus Fähigkeiten dauern darf",
    "start Python scripts from a warm process": "Python-Skripte aus einem Python starten, das schon läuft",
    "memory of one script, all its processes, MiB": (
        "Arbeitsspeicher eines Skripts mit allen seinen Unterprozessen, in MiB"
    ),
    "processes of one script at once": "Betriebssystemprozesse eines Skripts zugleich",
    "what one script may write in all, in MiB": "was ein Skript insgesamt schreiben darf, in MiB",
    "open files of each process of a script": "offene Dateien je Betriebssystemprozess eines Skripts",
    "run the skills of any project, trusted or not": (
        "die Fähigkeiten jedes Projekts ausführen, ob du ihnen vertraust oder nicht"
    ),
    "let every script use the network": "jedes Skript das Netz benutzen lassen",
    "let skills of a project that ask for the model use it": (
        "Fähigkeiten eines Projekts, die das Modell verlangen, es benutzen lassen"
    ),
    "install the Python packages that scripts declare": "die Python-Pakete installieren, die Skripte angeben",
    "Python packages that uv installs for every script": "Python-Pakete, die uv für jedes Skript installiert",
    "folders that every script may write to": "Ordner, in die jedes Skript schreiben darf",
    "offer fitting skills as tools to aeon run": "passende Fähigkeiten als Werkzeuge für aeon run anbieten",
    # store, graph, graphiti and conversations
    "postgresql://user@host:5432/database; default: the SQLite file .aeon/aeon.db": (
        "postgresql://user@host:5432/database; Standard: die SQLite-Datei .aeon/aeon.db"
    ),
    "name of the environment variable that holds the database's password": (
        "Name der Umgebungsvariablen, in der das Passwort der Datenbank steht"
    ),
    "bolt://user@host:7687/database or falkordb://user@host:6379; default: no graph database": (
        "bolt://user@host:7687/database oder falkordb://user@host:6379; Standard: keine Graphdatenbank"
    ),
    "name of the environment variable that holds the graph server's password": (
        "Name der Umgebungsvariablen, in der das Passwort des Graphservers steht"
    ),
    "let the model name conversations after the first answer, in the background": (
        "das Modell Unterhaltungen nach der ersten Antwort benennen lassen, im Hintergrund"
    ),
    "let answers use your statements in other conversations about what you now name": (
        "Antworten nutzen lassen, was du in anderen Unterhaltungen über das gesagt hast, was du jetzt nennst"
    ),
    (
        "how facts are found in what you say: your own sentences, by code; by a model, if it is strong; or by Graphiti "
        "with such a model, on the server of graphiti.address"
    ): (
        "wie in dem, was du sagst, Fakten gefunden werden: in deinen eigenen Sätzen, vom Programm; von einem Modell, "
        "wenn es stark ist; oder von Graphiti mit einem solchen Modell, auf dem Server von graphiti.address"
    ),
    "compressions of a conversation after which the model makes a note for itself, if you let it": (
        "nach so vielen Zusammenfassungen einer Unterhaltung macht sich das Modell eine Notiz, wenn du es lässt"
    ),
    "messages that mention something before the model describes it": (
        "so viele Nachrichten müssen etwas erwähnen, bevor das Modell es beschreibt"
    ),
    # engine
    (
        "postgresql://user@host/database, temporal://host:7233/namespace, or memory; default: SQLite in .aeon/runs.db"
    ): "postgresql://user@host/database, temporal://host:7233/namespace oder memory; Standard: SQLite in .aeon/runs.db",
    "queries of graphs at once; 0: left to workers of that type": (
        "Abfragen von Graphen zugleich; 0: bleiben Workern dieser Art überlassen"
    ),
    "requests to HTTP services at once; 0: left to workers of that type": (
        "Anfragen an HTTP-Dienste zugleich; 0: bleiben Workern dieser Art überlassen"
    ),
    "requests to language models at once; 0: left to workers of that type": (
        "Anfragen an Sprachmodelle zugleich; 0: bleiben Workern dieser Art überlassen"
    ),
    "calls of MCP servers at once; 0: left to workers of that type": (
        "Aufrufe von MCP-Servern zugleich; 0: bleiben Workern dieser Art überlassen"
    ),
    "what calls may need of this process, such as gpu or site=berlin (runsOn of a tool)": (
        "was Aufrufe von diesem Programm verlangen können, etwa gpu oder site=berlin (runsOn eines Werkzeugs)"
    ),
    "days for which runs that have ended are kept": "Tage, für die beendete Läufe aufbewahrt werden",
    (
        "full: a step is on disk before it counts as complete; relaxed: faster, but a power cut may lose the last "
        "steps, which then run again"
    ): (
        "full: Ein Schritt steht auf dem Datenträger, bevor er als fertig gilt; relaxed: schneller, aber bei einem "
        "Stromausfall können die letzten Schritte verloren gehen, die dann noch einmal laufen"
    ),
    # server
    "address to listen on; 0.0.0.0 is every one of IPv4": (
        "Adresse, an der der Server lauscht; 0.0.0.0 ist jede IPv4-Adresse"
    ),
    "names by which others ask the server, such as aeon.example.org": (
        "Namen, unter denen andere den Server ansprechen, etwa aeon.example.org"
    ),
    "addresses of proxies that are believed about scheme and client": (
        "Adressen von Proxys, denen geglaubt wird, was sie über Schema und Client sagen"
    ),
    "file with the certificate chain, for https": "Datei mit der Zertifikatskette, für https",
    "file with the certificate's private key": "Datei mit dem privaten Schlüssel des Zertifikats",
    "the OpenID provider's issuer, such as https://login.example.org": (
        "der Aussteller (issuer) des OpenID-Anbieters, etwa https://login.example.org"
    ),
    "the id that the provider gave this server": "die Kennung, die der Anbieter diesem Server gab",
    "name of the environment variable that holds the client's secret, if it has one": (
        "Name der Umgebungsvariablen, in der das Geheimnis des Clients steht, falls er eines hat"
    ),
    "what the provider is asked for": "was vom Anbieter erbeten wird",
    "who has a verified e-mail address there may sign in as a new user": (
        "wer dort eine bestätigte E-Mail-Adresse hat, darf sich als neuer Benutzer anmelden"
    ),
    "claim that decides at each sign-in who is an operator, such as groups": (
        "Angabe (claim), die bei jeder Anmeldung entscheidet, wer Betreuer ist, etwa groups"
    ),
    "values of that claim that make a user an operator": (
        "Werte dieser Angabe, die einen Benutzer zum Betreuer machen"
    ),
}
