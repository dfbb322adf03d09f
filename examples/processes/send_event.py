"""Sends an event to a webhook of Aeon, signed as Standard Webhooks says. Needs Python alone.

    AEON_WEBHOOK_SECRET=whsec_... python send_event.py URL ID < event.json

Prints the status and the answer. Send it again with the same ID after any failure: it starts one run only.
"""

import base64
import hmac
import os
import sys
import time
import urllib.error
import urllib.request


def signed_headers(secret: str, id_: str, body: bytes) -> dict[str, str]:
    """The headers of an event that is sent now."""
    at = str(int(time.time()))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signature = base64.b64encode(hmac.digest(key, f"{id_}.{at}.".encode() + body, "sha256")).decode()
    return {
        "content-type": "application/json",
        "webhook-id": id_,
        "webhook-timestamp": at,
        "webhook-signature": f"v1,{signature}",
    }


def send(url: str, secret: str, id_: str, body: bytes) -> tuple[int, str]:
    """Send an event; returns the status and the answer."""
    request = urllib.request.Request(url, body, signed_headers(secret, id_, body))  # noqa: S310  # the user's own
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


if __name__ == "__main__":
    address, event_id = sys.argv[1:]
    print(*send(address, os.environ["AEON_WEBHOOK_SECRET"], event_id, sys.stdin.buffer.read()))
