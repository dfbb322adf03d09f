"""Command lines for a published script, read from its own usage, its examples and its skill's texts."""

import itertools
import re
import shlex
from collections.abc import Iterator, Sequence

from aeon.skills.models import Skill, SkillScript

MOST_COMMANDS = 60
_MOST_OF_ONE = 24
_TEXTS = ("*.md", "references/*.md", "reference/*.md")

_FOLDERS = ["unpacked-docx", "unpacked-pptx", "unpacked-xlsx", "sample-skill", "runs"]
_FILES = ["sample.docx", "sample.pptx", "sample.xlsx", "sample.pdf", "notes.md", "table.csv", "sample.png", "page.html"]
_JSON = ["fields.json", "values.json", "results.json", "list.json"]
_SAMPLES = frozenset([*_FOLDERS, *_FILES, *_JSON, "plan.md", "made-skill", "HEAD"])
_BY_WORD: tuple[tuple[str, Sequence[str]], ...] = (
    (r"\.docx|word doc", ["sample.docx"]),
    (r"\.pptx|powerpoint", ["sample.pptx"]),
    (r"\.xlsx|excel", ["sample.xlsx"]),
    (r"office[ _]file|packed[ _]file", _FILES[:3]),
    (r"pdf", ["sample.pdf"]),
    (r"json|eval|results|field", _JSON),
    (r"png|jpe?g|image", ["sample.png"]),
    (r"html", ["page.html"]),
    (r"csv", ["table.csv"]),
    (r"^base$", ["HEAD~1"]),
    (r"^head$", ["HEAD"]),
    (r"plan", ["plan.md"]),
    (r"\.md|markdown", ["notes.md"]),
    (r"skill[ _-]?name|^name$", ["made-skill"]),
    (r"skill", ["sample-skill"]),
    (r"benchmark|runs", ["runs"]),
    (r"unpacked|dir|folder|/$", _FOLDERS),
    (r"slide|source|layout", ["slide1.xml"]),
    (r"number|count|\bid\b|_id|timeout|page|^n$", ["1"]),
    (r"text|message|body|title|author", ["Some text"]),
    (r"path|file|input", [*_FILES, *_FOLDERS, *_JSON]),
)
_ENDS = {"pdf": "out.pdf", "json": "out.json", "docx": "out.docx", "pptx": "out.pptx", "xlsx": "out.xlsx"}
_ENDS |= {"png": "out.png", "html": "out.html", "image": "out.png", "dir": "out", "folder": "out", "file": "out.docx"}


def command_lines(skill: Skill, script: SkillScript, told: Sequence[str]) -> list[list[str]]:
    """Returns the command lines to try: those of examples first. `told`: what the script printed as its usage."""
    lines = itertools.chain(
        _usages(skill, script, told), ([["FILE"], ["FILE", "OUTPUT_FILE"], ["SKILL_NAME", "--path", "."]])
    )
    tried: dict[tuple[str, ...], None] = {}
    for words in lines:
        for command in itertools.islice(_filled(words, skill.name), _MOST_OF_ONE):
            if _SAMPLES.intersection(command):
                tried.setdefault(tuple(command))
    return [list(each) for each in tried][:MOST_COMMANDS]


def _usages(skill: Skill, script: SkillScript, told: Sequence[str]) -> Iterator[list[str]]:
    name = re.escape(script.path.name)
    texts = [script.path.read_text(errors="replace"), *told]
    for pattern in _TEXTS:
        texts += [path.read_text(errors="replace") for path in sorted(skill.directory_path.glob(pattern))]
    for text in texts:
        joined = re.sub(r"\\\n", " ", text)
        for found in re.finditer(rf"[\w./-]*{name}[ \t]+([^\n`]+(?:\n {{6,}}[^\n]+)*)", joined):
            if (words := _words(found[1])) is not None:
                yield words


def _words(text: str) -> list[str] | None:
    """Returns the words of one usage without its optional parts; None if it is no command line."""
    text = re.split(r"\s#|\s[&|;>]+\s|\"\)|\\n", text)[0]
    text = re.sub(r"\[[^\[\]]*--?\w[^\[\]]*\]|\[[^\[\]]*\.\.\.\]", " ", text).replace("...", " ")
    text = re.sub(r"<([^<>]+)>|\[([^\[\]]+)\]", lambda each: "@" + re.sub(r"[ /]", "_", each[1] or each[2]), text)
    try:
        return [word for word in shlex.split(text.strip().strip("\"'`,")) if word.strip()][:8]
    except ValueError:
        return None


def _filled(words: Sequence[str], skill: str) -> Iterator[list[str]]:
    """Yields the words with sample files instead of the files and placeholders that they name.

    Files of the kind that the skill is named after come first.
    """
    choices: list[Sequence[str]] = []
    has_input = False
    for index, word in enumerate(words):
        after_option = index > 0 and words[index - 1].startswith("-")
        choice = _choices(word, has_input=has_input or (after_option and "out" in words[index - 1]))
        has_input = has_input or not _SAMPLES.isdisjoint(choice)
        choices.append(sorted(choice, key=lambda each: skill not in each))
    yield from (list(each) for each in itertools.product(*choices))


def _choices(word: str, *, has_input: bool) -> Sequence[str]:
    if word.startswith("-") or word in (".", "|"):
        return [word]
    plain = word.lstrip("@").lower()
    kind = plain.rpartition(".")[2] if "." in plain else ""
    is_output = has_input and re.search(
        r"out|result|modified|new|final|clean|filled|valid|grid|packed(?!.*dir)|report", plain
    )
    if is_output or (has_input and plain.rstrip("/") == "unpacked"):
        return [next((name for end, name in _ENDS.items() if end in (kind or plain)), "out")]
    return next((names for pattern, names in _BY_WORD if re.search(pattern, plain)), [word.lstrip("@")])
