"""The table of a run. Pure."""

from collections.abc import Collection, Mapping, Sequence
from math import sqrt
from statistics import fmean, median, stdev

from reader.answers import Answer, AnswerKey
from reader.memories import WholeConversations
from reader.prompts import UNCLEAR
from reader.scores import is_exact, token_f1

HEADS = ("", "answers", "exact", "F1", "judged right", "tokens of memory", "passages", "used", "seconds")


def table(answers: Collection[Answer], verdicts: Mapping[AnswerKey, str]) -> str:
    """Return a row for each memory, in the order of the answers; `verdicts` are those of one judge, or empty.

    F1 stands with its standard error. Tokens, passages and the share used are means, seconds a median; the share is
    that of the answers that were told something.
    """
    memories = dict.fromkeys(each.memory for each in answers)
    rows = [_row(memory, [each for each in answers if each.memory == memory], verdicts) for memory in memories]
    return "\n".join(map(_line, [HEADS, ("---", *["--:"] * (len(HEADS) - 1)), *rows]))


def notes(answers: Collection[Answer], verdicts: Mapping[AnswerKey, str]) -> list[str]:
    """Return what the table does not show: whether all that was said fitted, what was refused, and a judge's doubts."""
    found: list[str] = []
    for memory in dict.fromkeys(each.memory for each in answers):
        own = [each for each in answers if each.memory == memory]
        if memory == WholeConversations.name:
            found.append(
                f"{memory}: it fitted the context for {sum(each.is_all for each in own)} of {len(own)} questions; "
                "for the others, its newest part was told."
            )
        if unclear := sum(verdicts.get(each.key) == UNCLEAR for each in own):
            found.append(f"{memory}: {unclear} verdicts were neither right nor wrong, and count as wrong.")
        if refused := [each.failure for each in own if each.failure is not None]:
            found.append(f"{memory}: {len(refused)} requests were refused and count as wrong; the first: {refused[0]}")
    return found


def _row(memory: str, answers: Sequence[Answer], verdicts: Mapping[AnswerKey, str]) -> tuple[str, ...]:
    told = [each for each in answers if each.passages]
    judged = [verdicts[each.key] for each in answers if each.key in verdicts]
    return (
        memory,
        str(len(answers)),
        f"{fmean([is_exact(each.text, each.expected) for each in answers]):.3f}",
        with_error([token_f1(each.text, each.expected) for each in answers]),
        f"{fmean([each == 'right' for each in judged]):.3f} of {len(judged)}" if judged else "-",
        f"{fmean([each.tokens for each in answers]):,.0f}",
        f"{fmean([each.passages for each in answers]):,.1f}",
        f"{fmean([each.used for each in told]):.3f}" if told else "-",
        f"{median(each.seconds for each in answers):.1f}",
    )


def with_error(values: Sequence[float]) -> str:
    """Return the mean with its standard error."""
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{fmean(values):.3f} ± {error:.3f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
