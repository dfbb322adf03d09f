"""How good is it? Requests with known answers, on the embedded models, beside the model alone and Pydantic AI.

    python benchmarks/requests/run.py [--models small,standard] [--systems aeon,direct,pydantic-ai] [--set before]

Prints a table and writes every answer to `results/` beside this file. Needs the weights (`aeon model fetch`).
"""

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import yaml
from score import Answer, has_right_tools, is_right
from systems import SYSTEMS

from aeon.adapters.weights import CATALOG, find_verified, weights_dir

HERE = Path(__file__).parent
SETS = ("before", "after")


def main() -> None:
    options = _options()
    rows: list[str] = []
    for model in options.models.split(","):
        weights = find_verified(CATALOG[model], weights_dir(os.environ), lambda _progress: None)
        if weights is None:
            print(f"skipped {model}: its weights are not here; run: aeon model fetch {model}")
            continue
        for system in options.systems.split(","):
            rows += _run(model, system, weights, options)
    table = "\n".join([_HEAD, *rows])
    print(table)


def _run(model: str, system: str, weights: Path, options: argparse.Namespace) -> list[str]:
    rows = []
    try:
        opened = SYSTEMS[system](weights)
        with opened as ask:
            for name in options.set.split(","):
                questions = yaml.safe_load((HERE / f"questions_{name}.yaml").read_text())
                done = [(question, _asked(ask, question)) for question in questions]
                _keep(model, system, name, done)
                rows.append(_row(model, system, name, done, options.verbose))
    except ImportError as error:
        print(f"skipped {system}: {error}; install the group `bench`")
    return rows


def _asked(ask: Any, question: dict[str, Any]) -> Answer:
    start = time.perf_counter()
    try:
        answer = ask(question)
    except Exception as error:  # noqa: BLE001  # a crash is a result
        answer = Answer(None, "crashed", crash=f"{type(error).__name__}: {error}")
    answer.seconds = time.perf_counter() - start
    return answer


def _keep(model: str, system: str, name: str, done: list[tuple[dict[str, Any], Answer]]) -> None:
    folder = HERE / "results"
    folder.mkdir(exist_ok=True)
    lines = [json.dumps({**vars(a), "id": q["id"], "right": is_right(q, a)}) for q, a in done]
    (folder / f"{model}-{system}-{name}.jsonl").write_text("\n".join(lines) + "\n")


_HEAD = (
    "| model | system | set | n | right | valid plans | right tools | repairs (model) | crashes | s, p50 | s, p90 |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|"
)


def _row(model: str, system: str, name: str, done: list[tuple[dict[str, Any], Answer]], verbose: bool) -> str:
    right = [is_right(q, a) for q, a in done]
    for (q, a), ok in zip(done, right, strict=True):
        if verbose and not ok:
            what = f"{q['id']}: {q['request'][:70]!r} -> {a.text!r} {a.tools} {a.crash or ''}"
            print(f"  wrong {what}", file=sys.stderr)
    seconds = sorted(a.seconds for _, a in done)
    plans = [a.plan_is_valid for _, a in done if a.plan_is_valid is not None]
    tools = sum(has_right_tools(q, a) for q, a in done)
    n = len(done)
    return (
        f"| {model} | {system} | {name} | {n} | {_share(sum(right), n)} "
        f"| {_share(sum(plans), n) if system == 'aeon' else '-'} | {'-' if system == 'direct' else _share(tools, n)} "
        f"| {sum(a.repairs for _, a in done)} ({sum(a.model_repairs for _, a in done)}) "
        f"| {sum(a.crash is not None for _, a in done)} "
        f"| {statistics.median(seconds):.1f} | {seconds[int(n * 0.9)]:.1f} |"
    )


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.0f} %)"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="small,standard")
    parser.add_argument("--systems", default="aeon,direct,pydantic-ai")
    parser.add_argument("--set", default=",".join(SETS))
    parser.add_argument("--verbose", action="store_true", help="print every wrong answer")
    return parser.parse_args()


if __name__ == "__main__":
    main()
