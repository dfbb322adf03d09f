"""`docs/glossary.md` and the names in the code: one meaning a word."""

import ast
import re
from collections import Counter, defaultdict
from pathlib import Path

SRC = Path(__file__).parents[1] / "src" / "aeon"
ROWS = re.findall(
    r"^\| ([^|]+) \| ([^|]+) \| ([^|]*) \|", (SRC.parents[1] / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE
)[2:]
BOTH_SPECIFIED = {"Tool"}
"""A tool of the kernel and a stored tool: two published interfaces have this name."""


def public_classes():
    for path in SRC.rglob("*.py"):
        if "shipped" not in path.parts:  # scripts of their own, each a program
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    yield node.name, path


def test_each_term_has_one_meaning_and_a_place():
    assert len(ROWS) >= 120
    terms = Counter(term for term, _, _ in ROWS)
    assert [term for term, number in terms.items() if number > 1] == []
    rooms = [room for _, _, where in ROWS for room in re.findall(r"`([\w.]+)`", where)]
    places = [SRC.joinpath(*room.split(".")) for room in rooms]
    assert [place for place in places if not (place.is_dir() or place.with_suffix(".py").exists())] == []


def test_no_public_class_name_means_two_things():
    homes = defaultdict(set)
    for name, path in public_classes():
        homes[name].add(path)
    assert {name for name, paths in homes.items() if len(paths) > 1} == BOTH_SPECIFIED


def test_a_class_is_named_by_a_noun():
    """No bare participle or gerund, such as Asked or Carrying (house style 19)."""
    assert [name for name, _ in public_classes() if re.fullmatch(r"[A-Z][a-z]+(ing|ed)", name)] == []
