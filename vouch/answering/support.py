"""How far the quotes of a sentence support it, and what becomes of a sentence that they do not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from vouch.documents.chunk import plain
from vouch.ports.reranker import Reranker

Weak = Literal["warn", "mark", "drop"]
LEAST_WORDS = 0.5                       # of a sentence's words, that its quotes must hold
LEAST_CLOSENESS = 0.7                   # of MaxSim; a little below what a quotation that answers needs
MARK = " (its quotes may not say so)"


@dataclass(frozen=True, slots=True)
class Support:
    """What is done with a `weak` sentence of a language model, and what scores it: `model`, or the share of words.

    Quotations are their own support.
    """

    weak: Weak = "warn"
    model: Reranker | None = None
    least: float = LEAST_WORDS

    def share(self, sentence: str, cited: str, terms: Callable[[str], list[str]]) -> float:
        """From 0 to 1: how close the quotes are to the sentence, or how many of its words they hold."""
        if self.model is None:
            wanted = set(terms(sentence))
            return len(wanted & set(terms(cited))) / len(wanted) if wanted else 1.0
        [score] = self.model.scores([(plain(sentence), plain(cited))])
        return min(max(score, 0.0), 1.0)

    @property
    def why(self) -> str:
        return "shares few words with what it cites" if self.model is None else "is not close to what it cites"
