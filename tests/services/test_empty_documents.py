"""A document without a word is told as empty, with the words that ingests use for files without a byte."""

from typing import Any

from indexers.parts.document_parts import Header
from services.documents.access_report import AccessReport
from vouch.access import Directory, Permissions
from vouch.documents.formats import EMPTY


def header(path: str, chunks: int, state: Any = "indexed", reason: str = "") -> Header:
    return Header("notes", path, "0" * 64, state, "", None, reason, chunks)


def test_a_document_without_words_says_that_it_is_empty() -> None:
    documents = [header("full.md", 2), header("nothing.md", 0), header("torn.pdf", 0, "quarantined", "is empty")]
    report = AccessReport(Permissions(1, {}, Directory()), (), tuple(documents))
    told = {row["path"]: (row["state"], row["reason"]) for row in report.rows(None)}
    assert told == {"full.md": ("indexed", None), "nothing.md": ("empty", EMPTY), "torn.pdf": ("quarantined", EMPTY)}
