"""What is wrong with a definition, all of it at once."""

from collections.abc import Sequence
from typing import NamedTuple

from aeon.base.json import Json
from aeon.platform.errors import RuleError

_MOST_TOLD = 50
"""Problems in the message; the error's details hold all of them."""


class DefinitionProblem(NamedTuple):
    """One thing wrong: where (`$.steps[2].inputs.query`), by which rule, and what."""

    path: str
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def raise_problems(problems: Sequence[DefinitionProblem]) -> None:
    """Raises RuleError with all of them, `rule` and `field` those of the first; does nothing where there are none."""
    if not problems:
        return
    told = "; ".join(map(str, problems[:_MOST_TOLD]))
    more = f"; and {len(problems) - _MOST_TOLD} more" if len(problems) > _MOST_TOLD else ""
    raise RuleError(
        f"The process is not valid: {told}{more}.",
        rule=problems[0].rule,
        field=problems[0].path,
        next_step="Correct it and save it again.",
        problems=list[Json](problem._asdict() for problem in problems),
    )
