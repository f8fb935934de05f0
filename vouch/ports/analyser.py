"""What words are looked up by."""

from typing import Protocol


class Analyser(Protocol):
    """Turns text into index terms; one instance of one kind for documents and questions."""

    @property
    def fingerprint(self) -> str: ...

    def terms(self, text: str) -> list[str]:
        """Terms in order, repeats kept, stop words left out; there are no blanks in a term."""
        ...
