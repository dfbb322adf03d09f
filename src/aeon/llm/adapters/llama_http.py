"""Requests to the loopback port that llama.cpp opens in this process."""

from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from aeon.base.json import JsonObject, canonical_json, parse_strict

_TIMEOUT_SECONDS = 60.0
_OK = 200


def post_json(address: str, api_key: str, path: str, body: JsonObject) -> JsonObject | None:
    """Return the answer to a request; None if there is none, or if it is not 200."""
    place = urlsplit(address)
    connection = HTTPConnection(place.hostname or "", place.port, timeout=_TIMEOUT_SECONDS)
    headers = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}
    try:
        connection.request("POST", path, canonical_json(body), headers)
        response = connection.getresponse()
        answer = response.read()
        return parse_strict(answer.decode()) if response.status == _OK else None
    except (OSError, HTTPException, ValueError):
        return None
    finally:
        connection.close()
