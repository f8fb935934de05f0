"""Question and passage as the tokens of one row, whatever their lengths."""

from collections.abc import Sequence
from typing import Any

QUESTION = 2 / 3                        # of a row at most; the passage has the rest, and what the question leaves


class PairTokens:
    """Pairs of at most `most` tokens: of one that is longer the passage is cut, and of a long question its end."""

    def __init__(self, tokenizer: Any, most: int) -> None:
        """The tokenizer, which nobody else uses, may pad."""
        from tokenizers import Tokenizer

        self._alone = Tokenizer.from_str(tokenizer.to_str())
        self._alone.no_truncation()
        self._alone.no_padding()
        self._tokenizer = tokenizer
        self._tokenizer.enable_truncation(most, strategy="only_second")
        self._room = int(most * QUESTION)

    def encode_batch(self, pairs: Sequence[tuple[str, str]]) -> list[Any]:
        asked = {question: self._shortened(question) for question in {question for question, _ in pairs}}
        return list(self._tokenizer.encode_batch([(asked[question], passage) for question, passage in pairs]))

    def _shortened(self, question: str) -> str:
        offsets = self._alone.encode(question, add_special_tokens=False).offsets
        return question if len(offsets) <= self._room else question[: offsets[self._room - 1][1]]
