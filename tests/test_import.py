"""The public face: small, lazy, light (issue: `import aeon` under 150 ms)."""

import importlib
import subprocess
import sys

import pytest

import aeon

HEAVY = "{'pydantic', 'httpx2', 'typer', 'rich', 'yaml', 'xllamacpp', 'jsonschema_rs', 'json_repair', 'sqlite3'}"


def fresh(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_aeon_loads_nothing_heavy_and_no_room():
    assert fresh(f"import sys, aeon; print({{m.partition('.')[0] for m in sys.modules}} & {HEAVY})") == "set()"
    assert fresh("import sys, aeon; print([m for m in sys.modules if m.startswith('aeon.')])") == "[]"


def test_the_quick_starts_names_load_no_adapter_no_client_and_no_command():
    loaded = fresh(
        "import sys; from aeon import Orchestrator, tool, Plan, SQLiteMemory; "
        "print({m.partition('.')[0] for m in sys.modules} & "
        "{'asyncio', 'httpx2', 'jsonschema_rs', 'ssl', 'typer', 'rich', 'yaml', 'xllamacpp'})"
    )
    assert loaded == "set()"


@pytest.mark.parametrize("name", aeon.__all__)
def test_every_public_name_is_there(name):
    assert getattr(aeon, name) is not None
    assert name in dir(aeon)


def test_names_are_the_rooms_own():
    assert aeon.Orchestrator is importlib.import_module("aeon.kernel.orchestrator").Orchestrator
    assert aeon.tool is importlib.import_module("aeon.tools.function").tool


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Orchestratr"):
        _ = aeon.Orchestratr
