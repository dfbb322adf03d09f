"""Makes a new, working skill in the language of your choice (skills 1, 8 to 10)."""

import json
from pathlib import Path
from typing import Literal, TypeAlias

from aeon.base.errors import InputError, SkillError
from aeon.base.json import JsonObject
from aeon.skills.authoring.export import quote_yaml
from aeon.skills.discovery.skill_reader import CONFIG_SCHEMA
from aeon.skills.discovery.standard_fields import standard_name
from aeon.skills.models import SKILL_JSON, SKILL_MD

Language: TypeAlias = Literal["python", "bash", "javascript"]

_FILES: dict[Language, str] = {"python": "run.py", "bash": "run.sh", "javascript": "run.mjs"}


def new_skill(name: str, folder: Path, language: Language = "python") -> Path:
    """Writes a skill with this name into a new folder inside `folder`, and returns that folder.

    Raises InputError for an invalid name or language, SkillError if the folder already exists.
    """
    if not name or not name.isascii() or standard_name(name) != name:
        near = standard_name(name.encode("ascii", "ignore").decode()) or "my-skill"
        raise InputError(
            f"{name[:100]!r} is not a valid skill name: use lower case letters, digits and single hyphens, at most 64.",
            next_step=f"Try {near}.",
        )
    if language not in _FILES:
        raise InputError(
            f"There is no skill template in {language!r}.", next_step="Use one of " + ", ".join(_FILES) + "."
        )
    target = folder / name
    try:
        target.mkdir(parents=True)
        (target / "scripts").mkdir()
        for path, text in _contents(name, language).items():
            (target / path).write_text(text, encoding="utf-8", newline="\n")
        (target / "scripts" / _FILES[language]).chmod(0o755)
    except FileExistsError:
        raise SkillError(f"{target} already exists.", next_step="Choose another name or folder.") from None
    except OSError as error:
        raise SkillError(f"{target} cannot be written: {error.strerror}.", next_step="Choose another folder.") from None
    return target


def _contents(name: str, language: Language) -> dict[str, str]:
    script = f"scripts/{_FILES[language]}"
    return {
        SKILL_MD: _SKILL_MD.format(name=name, description=quote_yaml(_DESCRIPTION), title=name.replace("-", " ")),
        SKILL_JSON: _pretty(_manifest(name, script)),
        CONFIG_SCHEMA: _pretty(_CONFIG_SCHEMA),
        script: _SCRIPTS[language],
    }


def _pretty(value: JsonObject) -> str:
    return json.dumps(value, indent=2) + "\n"


_DESCRIPTION = "Greets a person by name. Use it when the user wants a greeting."

_SKILL_MD = """\
---
name: "{name}"
description: {description}
---

# {title}

Say here when to use this skill and what its result looks like.

- `run` greets a person: input `{{"name": "Ada"}}`, result `{{"greeting": "Hello, Ada!"}}`.
"""

_CONFIG_SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "greeting": {"type": "string", "description": "The word to greet with.", "default": "Hello", "maxLength": 40}
    },
    "additionalProperties": False,
}


def _manifest(name: str, script: str) -> JsonObject:
    return {
        "name": name,
        "version": "0.1.0",
        "description": _DESCRIPTION,
        "scripts": [
            {
                "name": "run",
                "path": script,
                "description": "Greets one person.",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "name": {
                            "type": "string",
                            "description": "The person to greet.",
                            "minLength": 1,
                            "maxLength": 100,
                        }
                    },
                    "required": ["name"],
                    "additionalProperties": False,
                },
                "outputSchema": {
                    "type": "object",
                    "properties": {"greeting": {"type": "string"}, "summary": {"type": "string"}},
                    "required": ["greeting"],
                },
                "timeout": 10000,
            }
        ],
    }


_PYTHON = '''\
"""Greets a person. Reads one JSON object from stdin, writes one JSON event per line to stdout, `done` last."""

import json
import os
import sys


def emit(kind, **fields):
    print(json.dumps({"version": "0", "type": kind, **fields}), flush=True)


def main():
    call = json.load(sys.stdin)
    config = json.loads(os.environ.get("AEON_SKILL_CONFIG", "{}"))
    greeting = f"{config.get('greeting', 'Hello')}, {call['input']['name']}!"
    emit("log", level="info", message="Greeting made.")
    emit("state_patch", patch={"greeting": greeting})
    emit("done", ok=True, summary=greeting)


main()
'''

_BASH = r"""#!/usr/bin/env bash
# Greets a person. Reads one JSON object from stdin, writes one JSON event per line to stdout, `done` last.
set -euo pipefail

# Prints a text field of a one-line JSON object, still escaped as JSON, so that it can be written back unchanged.
field() {
  local pattern="\"$2\":[[:space:]]*\"(([^\"\\\\]|\\\\.)*)\""
  if [[ "$1" =~ $pattern ]]; then printf '%s' "${BASH_REMATCH[1]}"; else printf '%s' "${3:-}"; fi
}

call=$(cat)
word=$(field "${AEON_SKILL_CONFIG:-}" greeting Hello)
name=$(field "$call" name)
greeting="$word, $name!"

printf '{"version":"0","type":"log","level":"info","message":"Greeting made."}\n'
printf '{"version":"0","type":"state_patch","patch":{"greeting":"%s"}}\n' "$greeting"
printf '{"version":"0","type":"done","ok":true,"summary":"%s"}\n' "$greeting"
"""

_JAVASCRIPT = """\
// Greets a person. Reads one JSON object from stdin, writes one JSON event per line to stdout, `done` last.
import { readFileSync } from "node:fs";

const emit = (type, fields) => console.log(JSON.stringify({ version: "0", type, ...fields }));

const call = JSON.parse(readFileSync(0, "utf8"));
const config = JSON.parse(process.env.AEON_SKILL_CONFIG ?? "{}");
const greeting = `${config.greeting ?? "Hello"}, ${call.input.name}!`;
emit("log", { level: "info", message: "Greeting made." });
emit("state_patch", { patch: { greeting } });
emit("done", { ok: true, summary: greeting });
"""

_SCRIPTS: dict[Language, str] = {"python": _PYTHON, "bash": _BASH, "javascript": _JAVASCRIPT}
