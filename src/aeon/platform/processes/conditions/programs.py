"""Compiled conditions, each kept, and environments that declare what they read and nothing else."""

from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from aeon.base.errors import InputError, MissingExtraError
from aeon.platform.processes.conditions.words import describe_compile_error

if TYPE_CHECKING:
    from cel_expr_python import cel


class ConditionError(InputError):
    """The condition cannot be used."""

    next_step = "Correct the condition of the step."


class CelProgramCache:
    """Compiled conditions by their text and what they read. The memory of a compilation is never given back."""

    MAX_PROGRAMS = 1024

    def __init__(self) -> None:
        self._kept: dict[tuple[str, frozenset[str]], cel.Expression] = {}
        self._lock = Lock()

    def get_or_compile(self, source: str, read: frozenset[str], declared: frozenset[str]) -> "cel.Expression":
        """The program, compiled if need be where `declared` is declared, which is what it reads and maybe more."""
        with self._lock:
            if (kept := self._kept.get((source, read))) is not None:
                return kept
        made = _compile(source, declared)
        with self._lock:
            if len(self._kept) >= self.MAX_PROGRAMS:
                del self._kept[next(iter(self._kept))]
            self._kept[source, read] = made
        return made


def _compile(source: str, declared: frozenset[str]) -> "cel.Expression":
    try:
        program = _environment(declared).compile(source)
    except RuntimeError as error:
        raise ConditionError(f"The condition is not valid: {describe_compile_error(str(error))}.") from None
    if (kind := program.return_type().name()) not in {"BOOL", "DYN"}:
        raise ConditionError(f"The condition gives a {kind}, not true or false.")
    return program


@lru_cache(maxsize=64)
def _environment(declared: frozenset[str]) -> "cel.Env":
    try:
        from cel_expr_python import cel
    except ImportError as missing:
        raise MissingExtraError(
            "Conditions of steps need cel-expr-python.", next_step="Install aeon-orchestrator[platform]."
        ) from missing
    return cel.NewEnv(variables=dict.fromkeys(sorted(declared), cel.Type.DYN))
