"""Writes docs/openapi.json, the description of the REST API, from its code: python docs/make_openapi.py"""

import json
from pathlib import Path

from fastapi import FastAPI

import aeon
from aeon.server.rest.router import mount_rest

KEPT = Path(__file__).with_name("openapi.json")


def main() -> None:
    """Write the file."""
    app = FastAPI(version=aeon.__version__)
    mount_rest(app)
    KEPT.write_text(json.dumps(app.openapi(), indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
