"""The JSON Schema of a Process in YAML: every Process in the documentation and the template fit it, and it explains all."""

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from aeon.application.process_schema import document_schema
from aeon.application.process_template import new_process_text
from aeon.plan.yaml import load_yaml
from aeon.platform.catalog.documents import DocumentFile, split_files

ROOT = Path(__file__).parents[2]
SCHEMA = document_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def texts():
    """Every text of a Process in the documentation, the examples and what Aeon ships."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").iterdir()]
    files = [*(ROOT / "src" / "aeon" / "platform" / "defaults").glob("*.yaml"), *pages]
    for file in (each for each in files if each.is_file()):
        text = file.read_text()
        found = re.findall(r"^```yaml[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        found += re.findall(r'"""(kind: .*?)"""', text, re.DOTALL)
        for block in [text] if file.suffix == ".yaml" else found:
            for part in split_files([DocumentFile(block)]):
                if re.search("^kind: Process$|^kind: Process #", part.text, re.MULTILINE):
                    yield pytest.param(part.text, id=f"{file.name}-{part.location}")


TEXTS = list(texts())


def with_every_part(text):
    """The text of a new Process with all that is commented out in use."""
    return re.sub("^# ", "", text, flags=re.MULTILINE)


def problems(text):
    return [f"{each.json_path}: {each.message}" for each in VALIDATOR.iter_errors(load_yaml(text))]


def test_it_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("text", TEXTS)
def test_every_process_of_the_documentation_fits(text):
    assert problems(text) == []


def test_there_are_processes_in_the_documentation():
    assert len(TEXTS) >= 8


def test_the_template_fits_also_with_every_part():
    text = new_process_text("mine")
    assert problems(text) == []
    assert problems(with_every_part(text)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("kind: Process", "kind: Proces"),
        ("output: kept", "output: {name: kept}"),
        ("concurrency: 5", "concurrency: 500"),
        ("onTimeout: answer", "onTimeout: nothing"),
        ("steps:", "step:"),
        ("retry: {attempts: 3", "retry: {attempts: 9"),
    ],
)
def test_what_is_wrong_does_not_fit(before, after):
    text = with_every_part(new_process_text("mine"))
    assert before in text
    assert problems(text.replace(before, after, 1))


def properties(schema):
    """Every property of a schema, with its own."""
    for owner in (schema, *schema["$defs"].values()):
        yield from owner.get("properties", {}).items()


def test_every_field_is_described():
    assert [name for name, each in properties(SCHEMA) if not each.get("description")] == []


def used_fields(value):
    if isinstance(value, dict):
        return set(value) | {name for each in value.values() for name in used_fields(each)}
    return {name for each in value for name in used_fields(each)} if isinstance(value, list) else set()


def test_the_template_has_every_part_of_the_language():
    used = used_fields(load_yaml(with_every_part(new_process_text("mine"))))
    of_reminders = {"remind", "after", "every"}  # which need a Process of one's own, and the template has one
    assert {name for name, _ in properties(SCHEMA)} - used == of_reminders


def test_the_template_says_each_part_in_one_line():
    for line in new_process_text("mine").splitlines():
        assert len(line) <= 130
