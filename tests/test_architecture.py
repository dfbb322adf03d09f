"""The kernel's budget, with nothing hidden next door, and the floors (SC-008)."""

import ast
from pathlib import Path

import grimp

SOURCE = Path(__file__).parents[1] / "src"
KERNEL = ("aeon.kernel.orchestrator", "aeon.kernel.executor")
BUDGET = 800

HONEST_ROOMS: dict[str, str] = {}
"""Modules that only the kernel uses and that are still no part of its body, each with its reason. None today."""


def code_lines(module: str) -> int:
    """Lines that are neither blank, comment nor docstring."""
    path = SOURCE / (module.replace(".", "/") + ".py")
    path = path if path.exists() else SOURCE / module.replace(".", "/") / "__init__.py"
    text = path.read_text()
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False):
            documented.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and number not in documented
        for number, line in enumerate(text.splitlines(), 1)
    )


def only_the_kernel_uses(kernel: set[str]) -> set[str]:
    """Every module whose importers are, transitively, the kernel and nothing else."""
    graph = grimp.build_graph("aeon")
    importers = {
        module: {i for i in graph.find_modules_that_directly_import(module) if not i.startswith("aeon.testing")}
        for module in graph.modules
        if not module.startswith("aeon.testing")
    }
    own = set(kernel)
    while True:
        more = {module for module, used_by in importers.items() if module not in own and used_by and used_by <= own}
        if not more:
            return own
        own |= more


def test_the_kernel_stays_under_its_budget_with_no_body_next_door_sc_008():
    body = only_the_kernel_uses(set(KERNEL)) - HONEST_ROOMS.keys()

    lines = {module: code_lines(module) for module in sorted(body)}

    assert sum(lines.values()) < BUDGET, lines


def test_the_check_sees_a_body_next_door():
    """The check itself can fail: what only the kernel imports is found."""
    assert "aeon.kernel.prompts" in only_the_kernel_uses(set(KERNEL))


def test_every_room_says_its_purpose_in_a_line():
    for init in SOURCE.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(init.read_text())), f"{init.relative_to(SOURCE)} has no docstring"


def decodes_json(path: Path) -> bool:
    """Whether a module decodes JSON with the standard library's own decoder."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in ("loads", "load", "JSONDecoder")
        and isinstance(node.value, ast.Name)
        and node.value.id == "json"
        for node in ast.walk(ast.parse(path.read_text()))
    )


DECODERS = {
    "base/json.py": "the decoder",
    "skills/protocol.py": "counts the levels of a line that msgspec has read; keeps no value",
}


def test_there_is_one_json_decoder_core_9_core_12():
    """A second one forgot what the first refuses. Scripts of shipped skills are programs of their own."""
    rooms = SOURCE / "aeon"
    decoding = {path.relative_to(rooms).as_posix() for path in rooms.rglob("*.py") if decodes_json(path)}

    assert {path for path in decoding if not path.startswith("skills/shipped/")} == DECODERS.keys()
