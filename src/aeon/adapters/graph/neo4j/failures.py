"""What the server refuses, as errors of the port that hold no value at all, of a parameter or of the data (platform 3).

What a server says of a value is not quoted: it may be a parameter's, cut or escaped, or one that was in the graph.
"""

from aeon.platform.graph import (
    DuplicateError,
    GraphError,
    GraphUnavailableError,
    GuardError,
    QueryError,
    QueryTimeoutError,
    ReadOnlyError,
)

ALREADY_THERE = ("SchemaRuleAlreadyExists", "ConstraintAlreadyExists", "IndexAlreadyExists")
"""Ends of codes: another one was quicker to make the same constraint or index."""

CONTRADICTED = "Schema.ConstraintCreationFailed"
"""Part of a code: the data that are there break a constraint that is to be."""

_KINDS: tuple[tuple[str, type[GraphError], str], ...] = (
    ("Schema.ConstraintValidationFailed", DuplicateError, "Use what is there, or another value."),
    (CONTRADICTED, DuplicateError, "Correct the data."),
    ("Statement.AccessMode", ReadOnlyError, "Use write."),
    ("Transaction.TransactionTimedOut", QueryTimeoutError, "Ask for less at once, or give it more time."),
    ("Transaction.Terminated", QueryTimeoutError, "Ask for less at once, or give it more time."),
    ("Transaction.LockClientStopped", QueryTimeoutError, "Ask for less at once, or give it more time."),
)
"""What a query met, by what its code contains: the error, whose class says it, and what to do next."""

_TROUBLES: tuple[tuple[str, str, str], ...] = (
    ("Security.Forbidden", "does not allow this user the query", "Give the address of a user who may write."),
    ("Security.", "refuses the user or the password", "Give the right user in the address, and the password."),
    ("Database.", "has no such database, or it is not online", "Name another database in the address."),
    ("OutOfMemory", "has not enough memory for one query", "Ask for less at once, or give it more memory."),
    ("MemoryLimit", "has not enough memory for one query", "Ask for less at once, or give it more memory."),
    ("ReadOnly", "is a copy that takes no writes", "Give the address of the server that takes them."),
    ("TransientError.", "cannot serve the query now", "Wait a little and ask again."),
    ("DatabaseError.", "has failed at the query", "See the server's own log."),
)
"""What ails the server, by what the code contains: what it does, and what to do next."""

_SAYS_NO_VALUE = ("Statement.SyntaxError", "Statement.ParameterMissing", "Procedure.ProcedureNotFound")
"""Codes of messages that the server makes from the query's text alone."""


class TurnedDownError(Exception):
    """The transaction met another one and was taken back, so that it may be repeated."""


def is_turned_down(code: str) -> bool:
    """Whether it was another transaction that was in the way."""
    return code.startswith("Neo.TransientError.Transaction.")


def failure(code: str, message: str, *, may_have_happened: bool = False) -> GraphError:
    """The error that a `code` of the server means. `may_have_happened` says whether a commit was under way."""
    if "Statement.ArithmeticError" in code and "by zero" in message:
        return GuardError(next_step="Read again what the query was to change, and why it may not.")
    for part, kind, step in _KINDS:
        if part in code:
            return kind(next_step=step)
    for part, trouble, step in _TROUBLES:
        if part in code:
            is_doubtful = may_have_happened and part == "DatabaseError."
            return GraphUnavailableError(
                f"The graph's server {trouble} ({code}).", next_step=step, may_have_happened=is_doubtful
            )
    said = f": {' '.join(message.split())}" if any(part in code for part in _SAYS_NO_VALUE) else ""
    return QueryError(f"The graph refuses the query, {code}{said}.", next_step="Correct the query.")
