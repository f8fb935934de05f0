"""Reader of questions with known answers: JSON lines, plain or gzip."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vouch.adapters.data_files.public import json_rows, reading, text_of
from vouch.errors import BadInput
from vouch.learning.collections.golden import GoldenQuestion, GoldQuote
from vouch.messages import LONGEST_QUESTION

_MOST = 100_000_000                     # characters in all
_CURE = "docs/evaluation.md describes the fields of a question"


def read_golden(path: Path) -> list[GoldenQuestion]:
    """Lines of `{question, answerable, quotes, quote_paths}` with `id`, `kind`, `corpus`, `all_quotes_needed`,
    `alt_quotes`, `correction` and `reader` where they have some. Raises BadInput that names the line.
    """
    questions: list[GoldenQuestion] = []
    ids: set[str] = set()
    for where, row in json_rows(path, _MOST, _CURE):
        with reading(where, _CURE):
            json.dumps(row, ensure_ascii=False).encode()        # half of a pair can be read, and never be written again
            question = _question(row, len(questions) + 1)
        if question.id in ids:
            raise BadInput(f"{where}: the id {question.id!r} was there before", cure="give each question its own id")
        ids.add(question.id)
        questions.append(question)
    if not questions:
        raise BadInput(f"{path} holds no question", cure='give lines of {"question", "answerable", "quotes"}')
    return questions


def _question(row: Mapping[str, Any], number: int) -> GoldenQuestion:
    answerable = row["answerable"]
    if not isinstance(answerable, bool):
        raise ValueError(f"'answerable' is {answerable!r}, not true or false")
    quotes = [str(quote) for quote in row.get("quotes") or []]
    paths = [str(path) for path in row.get("quote_paths") or []]
    if len(quotes) != len(paths) or (answerable and not quotes):
        raise ValueError(f"{len(quotes)} quotes and {len(paths)} quote_paths, where each quote needs its path")
    if len(text := text_of(row, "question")) > LONGEST_QUESTION:
        raise ValueError(f"the question has {len(text)} characters, and may have {LONGEST_QUESTION}")
    gold = [[GoldQuote(*pair)] for pair in zip(paths, quotes, strict=True)]
    for other in row.get("alt_quotes") or []:
        if other["instead_of"] not in range(len(quotes)):
            raise ValueError(f"'instead_of' is {other['instead_of']!r}, and there are {len(quotes)} quotes")
        gold[other["instead_of"]].append(GoldQuote(text_of(other, "path"), text_of(other, "quote")))
    if correction := row.get("correction"):
        gold.append([GoldQuote(text_of(correction, "path"), text_of(correction, "quote"))])
    if not all(one.text.strip() for alternatives in gold for one in alternatives):
        raise ValueError("a quote is empty, and stands in every document")
    return GoldenQuestion(
        str(row.get("id") or number), text, answerable, str(row.get("kind") or ""),
        str(row.get("corpus") or ""), tuple(map(tuple, gold)), bool(row.get("all_quotes_needed")),
        str(row.get("reader") or ""),
    )
