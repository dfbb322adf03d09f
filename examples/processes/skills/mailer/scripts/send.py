"""Sends one plain e-mail by SMTP. Reads one JSON object from stdin, writes one JSON event per line to stdout."""

import json
import os
import smtplib
import ssl
import sys
from email.message import EmailMessage
from email.utils import make_msgid


def emit(kind: str, **fields: object) -> None:
    """Write one event."""
    print(json.dumps({"version": "0", "type": kind, **fields}), flush=True)


def main() -> None:
    """Send the mail that stdin describes with the skill's settings."""
    asked = json.load(sys.stdin)["input"]
    settings = json.loads(os.environ["AEON_SKILL_CONFIG"])
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = settings["sender"], asked["to"], asked["subject"]
    mail["Message-ID"] = make_msgid(domain=settings["sender"].rpartition("@")[2])
    mail.set_content("\n\n".join(asked["lines"]) + "\n")
    with smtplib.SMTP(settings["host"], settings["port"], timeout=20) as server:
        if settings["encryption"] == "starttls":
            server.starttls(context=ssl.create_default_context())
        if settings["user"]:
            server.login(settings["user"], settings["password"])
        server.send_message(mail)
    emit("state_patch", patch={"messageId": mail["Message-ID"]})
    emit("done", ok=True, summary=f"Sent to {asked['to']}.")


main()
