"""Readers of FinanceBench in the layout of two files: pages of filings, and questions; plain or gzip JSON lines."""

from pathlib import Path

from vouch.adapters.datasets import BeirDocument, json_rows, reading, text_of
from vouch.errors import BadInput
from vouch.learning.evaluation.financebench import FilingQuestion

_CURE = "docs/evaluation.md describes the layout"


def read_pages(path: Path) -> list[BeirDocument]:
    """Lines of `{doc_name, page, text}`, each a document in the folder of its filing. Raises BadInput."""
    found = []
    for where, row in json_rows(path, cure=_CURE):
        with reading(where, _CURE):
            filing = text_of(row, "doc_name")
            found.append(BeirDocument(f"{filing}/{int(row['page'])}", filing.replace("_", " "), text_of(row, "text")))
    return found


def read_filing_questions(path: Path) -> list[FilingQuestion]:
    """Lines of `{financebench_id, question, answer, doc_name, evidence: [{evidence_page_num}]}`. Raises BadInput, also
    without any."""
    found = []
    for where, row in json_rows(path, cure=_CURE):
        with reading(where, _CURE):
            filing = text_of(row, "doc_name")
            pages = frozenset(f"{one.get('doc_name') or filing}/{int(one['evidence_page_num'])}.md"
                              for one in row["evidence"])
            found.append(FilingQuestion(text_of(row, "financebench_id"), text_of(row, "question"), filing,
                                        str(row["answer"]), pages))
    if not found:
        raise BadInput(f"{path} holds no question", cure=_CURE)
    return found
