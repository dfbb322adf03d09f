"""Streaming across retries: what a second attempt may still show."""

from aeon.llm.interface import TextSink


class DeduplicatingSink:
    """A text sink that never shows anything twice.

    A retry begins the answer again, and a sink cannot take text back. So while the new attempt repeats what was shown,
    nothing is sent; once it goes beyond, the rest is sent; if it says something else, nothing more is sent. The reply's
    text is what counts, and what was shown is a part of it unless a retry answered differently.
    """

    def __init__(self, sink: TextSink) -> None:
        self._sink = sink
        self._shown: list[str] = []
        self.begin_attempt()

    def begin_attempt(self) -> None:
        """A new attempt begins."""
        self._before = "".join(self._shown)
        self._at = 0
        self._agrees = True

    def __call__(self, piece: str) -> None:
        again = self._before[self._at : self._at + len(piece)]
        self._at += len(piece)
        self._agrees = self._agrees and piece.startswith(again)
        news = piece[len(again) :]
        if self._agrees and news:
            self._shown.append(news)
            self._sink(news)
