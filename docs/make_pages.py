"""Make the pages that follow from the code: settings, documents, errors, events, and the list of decisions.

Run it as `python docs/make_pages.py [--check]`.
"""

import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

import aeon
from aeon.base.errors import AeonError
from aeon.base.next_steps import TEXTS, words_of
from aeon.cli.next_steps import COMMANDS
from aeon.observability import events as kernel_events
from aeon.observability import skill_events
from aeon.platform.catalog.model import NewSecret, NewService, NewTool
from aeon.platform.catalog.operations import ConversationReply, Operation, Pagination
from aeon.platform.runs.machine import events as run_events
from aeon.settings.model import ModelPriceSettings, Settings

DOCS = Path(__file__).parent
_MADE = "Made from the code by `python docs/make_pages.py`."
_CODE_OR_BRACKET = re.compile(r"`[^`]*`|<")
_BOUNDS = {"Ge": ("ge", "at least"), "Gt": ("gt", "more than"), "Le": ("le", "at most"), "Lt": ("lt", "less than")}


def main() -> None:
    stale = [name for name, make in PAGES.items() if not _is_written(DOCS / name, "\n".join(make()) + "\n")]
    if stale:
        sys.exit(f"{', '.join(stale)} in docs/ is stale; run: python docs/make_pages.py")


def _is_written(page: Path, text: str) -> bool:
    """Whether the page has this text; without `--check` it is written."""
    if "--check" in sys.argv:
        return page.exists() and page.read_text("utf-8") == text
    page.write_text(text, "utf-8")
    return True


def settings_page() -> Iterator[str]:
    yield from ["# Settings", "", _MADE, ""]
    yield (
        "A setting comes from an option of a command, an environment variable, `aeon.toml` of the project, your own "
        "`aeon.toml`, or its default, in this order. `aeon config list` shows the value in force and its origin, "
        "`aeon config set KEY VALUE` changes it, and `aeon config schema` prints all of them as a JSON schema."
    )
    for name, section in Settings.model_fields.items():
        model: Any = section.annotation
        yield from ["", f"## {name}", "", inspect.getdoc(model) or "", ""]
        yield from _table(
            ("key", "variable", "type", "default", "meaning"),
            (_setting(name, key, field) for key, field in model.model_fields.items()),
        )
    yield from ["", "## model.prices.NAME", "", inspect.getdoc(ModelPriceSettings) or "", ""]
    yield from _table(
        ("key", "meaning"),
        ((f"`{key}`", field.description or "") for key, field in ModelPriceSettings.model_fields.items()),
    )


def _setting(section: str, key: str, field: FieldInfo) -> tuple[str, ...]:
    default = "" if field.default is None else f"`{field.default!r}`"
    variable = f"`AEON_{section.upper()}_{key.upper()}`"
    return f"`{section}.{key}`", variable, _type_words(field), default, field.description or ""


def _type_words(field: FieldInfo) -> str:
    """The type of a setting in words, with its bounds."""
    bounds = [
        f"{words} {getattr(bound, attribute):,}"
        for bound in field.metadata
        if (found := _BOUNDS.get(type(bound).__name__))
        for attribute, words in [found]
    ]
    return ", ".join([_words_of_type(field.annotation), *bounds])


def _words_of_type(kind: Any) -> str:
    parts = [part for part in get_args(kind) if part is not type(None)]
    if get_origin(kind) is Literal:
        return " or ".join(f"`{part}`" for part in parts)
    if get_origin(kind) is list:
        return f"list of {_words_of_type(parts[0])}"
    if get_origin(kind) is dict:
        return "table"
    if get_origin(kind) and parts:
        return _words_of_type(parts[0])
    return {str: "text", int: "whole number", float: "number", bool: "true or false"}.get(kind, "text")


def documents_page() -> Iterator[str]:
    yield from ["# What a file describes", "", _MADE, ""]
    yield (
        "`aeon apply -f FILE` and `project.apply` take YAML documents, divided by lines with `---`. The command "
        "takes several files (`-f a.yaml -f b.yaml`) and folders (`-f stored/`: the files `*.yaml`, `*.yml` and "
        "`*.json` in it, not those of its subfolders) as one: their documents may refer to each other, and a fault "
        "in one of them changes nothing. Each has a `kind`. These are the fields of services, secrets and tools; a "
        "`Process` has [a language of its own](language.md). A `Schedule`, an `Alert` and a `Webhook` are shown "
        "where they are used: [schedule](howto/schedule-a-process.md), "
        "[alert](howto/be-told-when-processes-fail.md), [webhook](howto/start-a-process-by-a-webhook.md). `aeon "
        "tool export NAME` and `aeon process export NAME` print what a record has in this form, to apply it in "
        "another one: with names in place of ids, and without values of secrets. With `template: NAME`, a service "
        "or a tool has the fields of that `ServiceTemplate` or `ToolTemplate`."
    )
    for kind, model in _DOCUMENTS.items():
        yield from ["", f"## {kind}", "", inspect.cleandoc(model.__doc__ or "").partition("\n\n")[0], ""]
        yield from _table(("field", "type", "default", "meaning"), map(_field, model.model_fields.items()))
    yield from ["", "Parts of a secret's value, by its type:", "", *_PARTS_OF_SECRETS]
    for model in get_args(get_args(Operation)[0]):
        if model is not ConversationReply:
            name = model.model_fields["type"].default
            yield from ["", f"## Operation `{name}`", "", inspect.getdoc(model) or "", "", _CONNECTIONS[name], ""]
            yield from _table(("field", "type", "default", "meaning"), map(_field, model.model_fields.items()))
    yield from ["", "## `pagination` of `rest_request`", "", inspect.getdoc(Pagination) or "", ""]
    yield from _table(("field", "type", "default", "meaning"), map(_field, Pagination.model_fields.items()))


_DOCUMENTS: dict[str, type[BaseModel]] = {"Service": NewService, "Secret": NewSecret, "Tool": NewTool}
_BY_NAME = {  # a document names its service and its secret, where the stored tool has their ids
    "service_id": ("service", "the name of a service, of this file or stored"),
    "secret_id": ("secret", "the name of a secret of yours, of this file or stored"),
}
_PARTS_OF_SECRETS = (
    "- `api_key`: `key`",
    "- `password`: `username`, `password`",
    "- `certificate`: `certificate`, `private_key`, in PEM",
    "- `oauth_token`: `access_token`, and to refresh it `refresh_token`, `token_url`, `client_id`, `client_secret`",
    "- `oauth_token` of a program: `grant: client_credentials`, `token_url`, `client_id`, `client_secret`",
)
_CONNECTIONS = {
    "graph_query": "The `connectionParams` have `endpoint`, and `database` where it is not the default; "
    "`aeon:graph` is Aeon's own record, for named queries.",
    "rest_request": "The `connectionParams` have `endpoint`; `authHeader`, `authPrefix` or `authQuery` say where a key "
    "goes.",
    "llm_call": "The `connectionParams` have `endpoint`, the address of an API like OpenAI's, and `model`; the secret "
    "is its key. The endpoint `aeon:model` is the model of the settings, and needs no more.",
    "mcp_call": "The `connectionParams` have `command`, `args` and `env` for the protocol stdio, else `endpoint`.",
    "skill_script": 'The `connectionParams` are `{command: "aeon:self"}`.',
    "agent_request": 'The `connectionParams` are `{command: "aeon:self"}`.',
}


def _field(each: tuple[str, FieldInfo]) -> tuple[str, ...]:
    name, field = each
    written, meaning = _BY_NAME.get(name, (field.alias or name, field.description or ""))
    is_required = field.is_required() or name == "type"  # the type decides which operation it is
    default = "required" if is_required else _default_words(field.default)
    return f"`{written}`", _field_type(field), default, _cell(meaning)


def _default_words(default: object) -> str:
    return "" if default is None or isinstance(default, BaseModel) else f"`{json.dumps(default)}`"


def _field_type(field: FieldInfo) -> str:
    parts = [part for part in (get_args(field.annotation) or (field.annotation,)) if part is not type(None)]
    if any(_is_below(part, BaseModel) for part in parts) or get_origin(parts[0]) is dict:
        return "object"
    return "any value" if field.annotation is Any else _type_words(field).replace("table", "object")


def errors_page() -> Iterator[str]:
    yield from ["# Errors", "", _MADE, ""]
    yield (
        "Every error says what is wrong, where, and what to do next. A command prints `error:` and `next:` on stderr, "
        "or an object with `error.code`, `error.message` and `error.next_step` on stdout with `--json`. In Python, all "
        "are `aeon.AeonError`: `message`, `advice`, `details`, and `as_dict()`. Many errors are raised with a message "
        "and a next step of their own; the table shows those of the class. *Again* says whether the same request may "
        "succeed later. [Exit codes](exit-codes.md) are 2 for wrong input and 1 for the rest."
    )
    yield from ["", "## All errors", ""]
    yield from _table(
        ("error", "kind of", "meaning", "what to do", "exit code", "again"), map(_error, _error_classes())
    )
    yield from ["", "## Next steps", ""]
    yield "An error names its next step by a code, which programs can read. These are all codes."
    yield ""
    yield from _table(
        ("code", "at the command line", "elsewhere"),
        ((f"`{code}`", _cell(COMMANDS.get(code, text)), _cell(text)) for code, text in sorted(TEXTS.items())),
    )


def _error_classes() -> list[type[AeonError]]:
    """All error classes that `src` defines outside the shipped test doubles, by name."""
    for module in pkgutil.walk_packages(aeon.__path__, "aeon."):
        if not module.name.startswith(("aeon.testing", "aeon.__main__")) and ".shipped" not in module.name:
            importlib.import_module(module.name)
    found = {one for one in _below(AeonError) if one.__module__.startswith("aeon.") and "testing" not in one.__module__}
    return sorted(found, key=lambda one: (one.__name__, one.__module__))


def _below(kind: type[AeonError]) -> Iterator[type[AeonError]]:
    yield kind
    for inner in kind.__subclasses__():
        yield from _below(inner)


def _error(kind: type[AeonError]) -> tuple[str, ...]:
    meaning = (inspect.cleandoc(kind.__doc__ or "")).partition("\n")[0]
    advice = words_of(kind.next_step, COMMANDS) if "{" not in str(kind.next_step) else str(kind.next_step)
    code = "2" if kind.is_wrong_input else "1"
    again = "yes" if kind.is_retryable else "no"
    parents = ", ".join(f"`{base.__name__}`" for base in kind.__bases__ if issubclass(base, Exception))
    return f"`{kind.__name__}`", parents, _cell(meaning), _cell(advice), code, again


def events_page() -> Iterator[str]:
    yield from ["# Events", "", _MADE, ""]
    yield from ["## Requests and plans of skills", ""]
    yield (
        "An observer (`observer=` of `Orchestrator` and `Project`) receives these in order; `aeon run --json` and "
        "`aeon skill run --json` print them."
    )
    yield ""
    named = {**vars(kernel_events), **vars(skill_events)}
    kinds = [one for one in named.values() if _is_below(one, kernel_events.Event)]
    yield from _table(
        ("event", "class", "fields", "meaning"),
        (
            (f"`{kind.kind}`", f"`{kind.__name__}`", _names(field.name for field in fields(kind)), _first_line(kind))
            for kind in kinds
        ),
    )
    yield from ["", "## Runs of Processes", ""]
    yield (
        "The state of a run follows from its events in their order. `aeon log events RUN` prints them, "
        "`project.stream(project.runs.follow(RUN))` follows them."
    )
    yield ""
    records = [one for one in vars(run_events).values() if _is_below(one, BaseModel) and "event" in one.model_fields]
    yield from _table(
        ("event", "class", "fields", "meaning"),
        (
            (
                f"`{kind.model_fields['event'].default}`",
                f"`{kind.__name__}`",
                _names(name for name in kind.model_fields if name != "event"),
                _first_line(kind),
            )
            for kind in records
        ),
    )


def _is_below(value: Any, base: type) -> bool:
    return inspect.isclass(value) and issubclass(value, base) and value is not base


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _first_line(kind: type) -> str:
    doc = vars(kind).get("__doc__") or ""
    return "" if doc.startswith(f"{kind.__name__}(") else _cell(inspect.cleandoc(doc).partition("\n")[0])


def decisions_page() -> Iterator[str]:
    yield from ["# Decisions", "", _MADE, "", "What could have gone otherwise, and why it did not.", ""]
    for page in sorted((DOCS / "decisions").glob("0*.md")):
        title = page.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        yield f"- [{title.replace('. ', ': ', 1)}]({page.name})"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _cell(text: str) -> str:
    """The text as one cell of a table; code in backticks stays as it is."""
    escaped = _CODE_OR_BRACKET.sub(lambda found: "&lt;" if found[0] == "<" else found[0], text)
    return " ".join(escaped.split()).replace("|", "\\|")


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "settings.md": settings_page,
    "documents.md": documents_page,
    "errors.md": errors_page,
    "events.md": events_page,
    "decisions/index.md": decisions_page,
}

if __name__ == "__main__":
    main()
