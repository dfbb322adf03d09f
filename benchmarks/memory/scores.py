"""How much of the evidence is among the first results. Pure."""

from collections.abc import Collection, Iterable, Sequence


def recall(ranking: Sequence[int], evidence: Collection[int], first: int) -> float:
    """The share of the evidence that is among the first results."""
    return len(set(ranking[:first]) & set(evidence)) / len(set(evidence))


def sessions_of(ranking: Iterable[int], session_of: Sequence[int]) -> list[int]:
    """The sessions of results, each once, in the order of their best result."""
    return [*dict.fromkeys(session_of[place] for place in ranking)]


def mean(values: Collection[float]) -> float:
    """The mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
