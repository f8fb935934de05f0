"""A company's own questions with known answers: added one by one, each checked against what its reader may read."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.shared.home_files.golden_file import add_row
from services.answering.search import SearchService
from services.models.evaluation import check_reader
from vouch.access import parse_tag
from vouch.adapters.data_files.golden_questions import read_golden
from vouch.errors import BadInput, NotFound
from vouch.learning.collections.golden import GoldenQuestion
from vouch.messages import LONGEST_QUESTION
from vouch.values.candidate import Passage


@dataclass(frozen=True)
class GoldenService:
    """Golden questions over the version that is served. No model is loaded."""

    search: SearchService
    file: Path

    def questions(self) -> list[GoldenQuestion]:
        """The questions in the order they were added; none if there is no file yet."""
        return read_golden(self.file) if self.file.exists() and self.file.stat().st_size else []

    def add(self, text: str, path: str, quote: str, reader: str, kind: str) -> dict[str, Any]:
        """A question that the quotation answers, as a row of the file. Without `path` and `quote` nothing answers it.

        Raises NotFound unless the reader may read a document there that holds the quotation, BadInput for a question
        that is there already.
        """
        check_reader(self.search.permissions().directory, parse_tag(reader))
        if not text.strip() or len(text) > LONGEST_QUESTION:
            raise BadInput(f"a question has 1 to {LONGEST_QUESTION} characters", cure="write it in a sentence")
        if bool(path) != bool(quote.strip()):
            raise BadInput("the document and the words of it that answer the question go together",
                           cure="name both, or neither if no document answers it")
        sources = self._sources_with(path, quote, reader) if path else []
        row = self._row(text, path, quote, reader, kind)
        if any(row["id"] == question.id for question in self.questions()):
            raise BadInput("this question is there already", cure="see: vouch golden list")
        add_row(self.file, row)
        return {**row, **({"sources": sources} if sources else {})}

    def _row(self, text: str, path: str, quote: str, reader: str, kind: str) -> dict[str, Any]:
        name = hashlib.sha256("\0".join((text, path, quote, reader)).encode()).hexdigest()[:12]
        quoted = {"quotes": [quote], "quote_paths": [path]} if path else {}
        return {"id": name, "question": text, "answerable": bool(path), "kind": kind, "reader": reader, **quoted}

    def _sources_with(self, path: str, quote: str, reader: str) -> list[str]:
        """Sources with such a document. Of what the reader may not read nothing is told, not even that it is there."""
        permissions = self.search.permissions()
        view = self.search.index.view(permissions.directory.audience([reader]))
        documents = {name: view.passages(view.of_document(name, path)) for name in sorted(permissions.rulebooks)}
        wanted = " ".join(quote.split())
        sources = [name for name, passages in documents.items() if wanted in " ".join(_text(passages).split())]
        if not sources:
            if any(documents.values()):
                raise NotFound(f"{path} does not hold these words",
                               cure="copy them exactly as vouch show prints them")
            raise NotFound(f"{reader} may read no document {path}",
                           cure="check the path, see: vouch documents; name who asks, and may read it, with --as")
        return sources


def _text(passages: Sequence[Passage]) -> str:
    """The document's text, as far as its passages hold it, each character once."""
    text, end = "", 0
    for one in sorted(passages, key=lambda passage: passage.start):
        text += one.text[end - one.start:] if one.start < end else ("\n" if text else "") + one.text
        end = max(end, one.end)
    return text
