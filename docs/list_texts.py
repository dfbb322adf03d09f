"""Print what Aeon says: the first lines of all docstrings, or all messages and help lines.

`python docs/list_texts.py docstrings` reads like documentation. `python docs/list_texts.py messages` is kept as
`tests/messages.txt`, so that a change of words is seen in review: add `--write` to bring it up to date.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "aeon"
MESSAGES = ROOT / "tests" / "messages.txt"
_TEXT_KEYWORDS = {"help", "next_step", "advice", "message"}
_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def sources() -> Iterator[tuple[str, ast.Module]]:
    """Each module's path below `src/aeon` with its syntax tree; the shipped skills are programs of their own."""
    for path in sorted(SRC.rglob("*.py")):
        if "shipped" not in path.parts and "testing" not in path.parts:
            yield str(path.relative_to(SRC)), ast.parse(path.read_text("utf-8"))


def docstrings() -> Iterator[str]:
    """`module: name: first line` of every docstring."""
    for module, tree in sources():
        for node in [tree, *(each for each in ast.walk(tree) if isinstance(each, _DEFINITIONS))]:
            if text := ast.get_docstring(node):
                name = "" if isinstance(node, ast.Module) else f"{node.name}: "
                yield f"{module}: {name}{text.splitlines()[0]}"


def messages() -> Iterator[str]:
    """`module: text` of every text given to an error, as a next step or as help; placeholders as `{}`."""
    for module, tree in sources():
        found = {
            text
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            for part in _spoken_parts(node)
            if (text := _rendered(part)) and " " in text
        }
        yield from (f"{module}: {text}" for text in sorted(found))


def _spoken_parts(call: ast.Call) -> Iterator[ast.expr]:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if called.endswith("Error") or called in {"group", "print_message"}:
        yield from call.args[:1]
    yield from (keyword.value for keyword in call.keywords if keyword.arg in _TEXT_KEYWORDS)


def _rendered(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return " ".join(node.value.split())
    if isinstance(node, ast.JoinedStr):
        parts = [str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values]
        return " ".join("".join(parts).split())
    return ""


def main() -> None:
    """Print or write the list that the command line names."""
    lines = list({"docstrings": docstrings, "messages": messages}[sys.argv[1]]())
    if "--write" in sys.argv:
        MESSAGES.write_text("\n".join(lines) + "\n", "utf-8")
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
