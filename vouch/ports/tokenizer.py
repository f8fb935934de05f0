"""What a text is long by."""

from typing import Protocol


class Tokenizer(Protocol):
    """Counts text in the encoder's tokens, without loading the encoder."""

    @property
    def limit(self) -> int:
        """Most tokens one encoder input may have, special tokens included."""
        ...

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Character ranges of the tokens of `text`, in order, special tokens left out."""
        ...

    def count(self, text: str) -> int:
        """How many `spans` of `text` there are, found out faster."""
        ...
