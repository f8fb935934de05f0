"""What makes text and blocks of a document's bytes."""

from typing import Protocol

from vouch.documents.document import Content, Parsed


class Parser(Protocol):
    def parse(self, content: Content) -> Parsed:
        """Raises Unreadable with a reason a person understands."""
        ...
