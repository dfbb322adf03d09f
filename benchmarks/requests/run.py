"""How good is it? 300 requests with checkable answers: Aeon's command, the same model alone, and the command `llm`.

    python benchmarks/requests/run.py [--model standard,small] [--system aeon,direct,llm] [--split tuning]
        [--only files] [--limit 20] [--seed 1] [--continue] [--verbose]

Appends every judged answer to `results/answers.jsonl` beside this file as it comes, and prints the tables at the end.
A run that was stopped goes on with the same options and --continue; without it, the file is begun anew. Needs the
weights (`aeon model fetch`) and, for `llm`, the group `bench`.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from questions import KINDS, SPLITS, Question, load, sample
from score import Answer, judge
from systems import SYSTEMS, System
from table import tables

from aeon.adapters.weights import CATALOG, find_verified, weights_dir

ANSWERS = Path(__file__).parent / "results" / "answers.jsonl"


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    ANSWERS.parent.mkdir(exist_ok=True)
    if options.goes_on:
        drop_cut_line(ANSWERS)
    else:
        ANSWERS.unlink(missing_ok=True)
    chosen = choose(options.split, options.only, options.limit, options.seed)
    for model in options.model:
        weights = find_verified(CATALOG[model], weights_dir(os.environ), lambda _progress: None)
        if weights is None:
            print(f"skipped {model}: its weights are not here; run: aeon model fetch {model}")
            continue
        for system in options.system:
            _run(model, system, weights, chosen, options.verbose)
    asked = {(model, system, each.id) for model in options.model for system in options.system for each in chosen}
    print(tables([rejudged(row, chosen) for row in read_answers(ANSWERS) if _key(row) in asked]))


def choose(splits: Sequence[str], kinds: Sequence[str], limit: int | None, seed: int) -> list[Question]:
    """The requests of some splits and kinds, at most `limit` of each split."""
    loaded = ([each for each in load(split) if each.kind in kinds] for split in splits)
    return [question for questions in loaded for question in sample(questions, limit, seed)]


def read_answers(path: Path) -> Iterator[dict[str, Any]]:
    """The judged answers in a file, which may be missing."""
    if path.exists():
        yield from (json.loads(line) for line in path.read_text().split("\n") if line)


def drop_cut_line(path: Path) -> None:
    """Take away a last line that was not written to its end, so that the next line stands alone."""
    if path.exists():
        text = path.read_text()
        path.write_text(text[: text.rfind("\n") + 1])


def _run(model: str, system: str, weights: Path, questions: Sequence[Question], is_verbose: bool) -> None:
    """Ask a system every request that has no answer yet, and keep each answer at once."""
    known = {_key(row) for row in read_answers(ANSWERS)}
    open_questions = [each for each in questions if (model, system, each.id) not in known]
    if not open_questions:
        return
    try:
        with SYSTEMS[system](model, weights) as ask:
            for question in open_questions:
                row = judged(model, system, question, asked(ask, question))
                _append(row)
                if is_verbose:
                    print(
                        f"{model} {system} {question.id}, {row['verdict']}: {row['text'] or row['failure']!r}",
                        flush=True,
                    )
    except ImportError as error:
        print(f"skipped {system}: {error}; install the group `bench`")


def asked(ask: System, question: Question) -> Answer:
    """The answer of a system. A crash is an answer too."""
    start = time.perf_counter()
    try:
        return ask(question)
    except Exception as error:  # noqa: BLE001  # a crash is a result
        return Answer(None, f"crashed: {type(error).__name__}: {error}", seconds=time.perf_counter() - start)


def judged(model: str, system: str, question: Question, answer: Answer) -> dict[str, Any]:
    """The line of an answer in the file of answers."""
    return {
        "model": model,
        "system": system,
        "split": question.split,
        "kind": question.kind,
        "language": question.language,
        "id": question.id,
        "verdict": str(judge(question, answer)),
        "text": answer.text,
        "failure": answer.failure,
        "marks": answer.marks,
        "is_declined": answer.is_declined,
        "tools": answer.tools,
        "seconds": round(answer.seconds, 3),
        "first_output": answer.first_output,
        "plan": answer.plan,
    }


def rejudged(row: dict[str, Any], questions: Sequence[Question]) -> dict[str, Any]:
    """The line of an answer with the verdict of today's scorer, which may be another than when it was kept."""
    question = next(each for each in questions if each.id == row["id"])
    answer = Answer(**{each.name: row[each.name] for each in fields(Answer)})
    return judged(row["model"], row["system"], question, answer)


def _append(row: dict[str, Any]) -> None:
    with ANSWERS.open("a") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _key(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["model"], row["system"], row["id"]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=_listed(CATALOG), default=["standard"], metavar="NAMES")
    parser.add_argument("--system", type=_listed(SYSTEMS), default=list(SYSTEMS), metavar="NAMES")
    parser.add_argument("--split", type=_listed(SPLITS), default=list(SPLITS), metavar="NAMES")
    parser.add_argument("--only", type=_listed(KINDS), default=list(KINDS), metavar="KINDS")
    parser.add_argument("--limit", type=int, help="at most so many requests of each split, the kinds in turn")
    parser.add_argument("--seed", type=int, default=0, help="draws the order of the requests")
    parser.add_argument("--continue", dest="goes_on", action="store_true", help="keep answers that are there")
    parser.add_argument("--verbose", action="store_true", help="print every answer")
    return parser.parse_args(arguments)


def _listed(known: Any) -> Any:
    """A parser of names with commas between them."""

    def names(text: str) -> list[str]:
        found = text.split(",")
        if unknown := [each for each in found if each not in known]:
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}; there are {', '.join(known)}")
        return found

    return names


if __name__ == "__main__":
    main()
