"""Readers of FinanceBench and of QASPER: documents, and questions on them; plain or gzip JSON lines."""

from pathlib import Path

from vouch.adapters.data_files.public import BeirDocument, json_rows, reading, text_of
from vouch.errors import BadInput
from vouch.learning.evaluation.financebench import FilingQuestion
from vouch.learning.evaluation.qasper import PaperQuestion

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
    questions = []
    for where, row in json_rows(path, cure=_CURE):
        with reading(where, _CURE):
            filing = text_of(row, "doc_name")
            pages = frozenset(f"{piece.get('doc_name') or filing}/{int(piece['evidence_page_num'])}.md"
                              for piece in row["evidence"])
            questions.append(FilingQuestion(text_of(row, "financebench_id"), text_of(row, "question"), filing,
                                            str(row["answer"]), pages))
    if not questions:
        raise BadInput(f"{path} holds no question", cure=_CURE)
    return questions


def read_papers(path: Path) -> list[BeirDocument]:
    """Lines of `{paper_id, title, full_text}`. Raises BadInput that names the line."""
    found = []
    for where, row in json_rows(path, cure=_CURE):
        with reading(where, _CURE):
            found.append(BeirDocument(text_of(row, "paper_id"), text_of(row, "title"), text_of(row, "full_text")))
    return found


def read_paper_questions(path: Path, papers: frozenset[str]) -> list[PaperQuestion]:
    """Lines of `{qid, paper_id, question, answer, evidence}`, the last two lists of texts. Raises BadInput, also for a
    question on a paper that is not there, and without any question."""
    questions = []
    for where, row in json_rows(path, cure=_CURE):
        with reading(where, _CURE):
            paper = text_of(row, "paper_id")
            if paper not in papers:
                raise ValueError(f"there is no paper {paper!r}")
            questions.append(PaperQuestion(text_of(row, "qid"), text_of(row, "question"), f"{paper}.md",
                                           tuple(map(str, row["answer"])), tuple(map(str, row["evidence"]))))
    if not questions:
        raise BadInput(f"{path} holds no question", cure=_CURE)
    return questions
