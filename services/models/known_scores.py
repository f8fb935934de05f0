"""Scores that are asked for again and again: a training runs the same questions over the same passages."""

from collections.abc import Sequence
from hashlib import blake2b

from vouch.ports.models import Reranker


class KnownScores:
    """Implements Reranker: of equal pairs, which have equal scores by that port, the model reads one. It forgets none.

    Threads may share it; two that ask for a pair at the same time may both have it read.
    """

    def __init__(self, model: Reranker) -> None:
        self._model = model
        self._known: dict[bytes, float] = {}

    @property
    def fingerprint(self) -> str:
        return self._model.fingerprint

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Raises what the model raises; nothing is remembered then."""
        keys = [_key(*pair) for pair in pairs]
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._known}
        if new:
            self._known.update(zip(new, self._model.scores(list(new.values())), strict=True))
        return [self._known[key] for key in keys]


def _key(question: str, passage: str) -> bytes:
    asked = question.encode(errors="surrogatepass")
    return blake2b(b"%d %b%b" % (len(asked), asked, passage.encode(errors="surrogatepass")), digest_size=16).digest()
