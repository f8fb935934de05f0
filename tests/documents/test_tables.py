"""Tables: a piece of one carries its header, and every row is quoted under its true columns."""

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from documents.drawn_markdown import PARAGRAPH
from homes.small_world import passage, small_world
from hypothesis import given, settings
from hypothesis import strategies as st
from model_fakes.chunk_input import chunk_input

from vouch.adapters.models.tokenizer import FastTokenizer
from vouch.adapters.parsers.markdown.parser import parse_markdown
from vouch.answering.quoting.quotable import quotables
from vouch.chunking.document_chunks import chunk_document
from vouch.correction.loop import answer_question
from vouch.documents.chunk import Chunk, chunk_header
from vouch.documents.document import Block, Parsed
from vouch.documents.text.tables import cells, header_line, headers_of, table_rows
from vouch.ports.language import Evidence
from vouch.values.candidate import Passage

Cut = Callable[..., tuple[Chunk, ...]]
NAMES = [
    *("Olga", "Jakob", "Tina", "Quinn", "Marta", "Lena", "Piotr", "Sven", "Amara", "Yusuf", "Ingrid", "Carlos"),
    *("Wei", "Noor", "Hugo", "Elif", "Bram", "Zofia", "Dario"),
]
PHONES = [
    (f"{NAMES[n % 19]} {NAMES[n // 19]}sen", str(1000 + n), ("Sales", "Support", "Legal")[n % 3], f"{2 + n // 30}.{n}")
    for n in range(60)
]
COLUMNS = ("Name", "Extension", "Department", "Room")
TABLE = "\n".join(f"| {' | '.join(row)} |" for row in (COLUMNS, ("---",) * 4, *PHONES))
PAGE = f"# Phone list\n\nAll extensions of the Hamburg office.\n\n{TABLE}\n\nAsk the front desk.\n"
WORD = st.sampled_from(["leave", "3.5", "a b", "x\\|y", "naïve", "休暇", "", "130 €", "Dr. Who", "e.g. this", "`co*de`",
                        "a **b** c", "<user>"])


def passages(text: str, chunks: tuple[Chunk, ...]) -> list[Passage]:
    return [
        passage(text[c.start : c.end], chunk_id=c.id, section=c.section, start=c.start, end=c.end, ordinal=c.ordinal,
                document_chunks=len(chunks), has_table=c.has_table, header=chunk_header(text, c), path="phones.md",
                markup=c.markup)
        for c in chunks
    ]


def quoted(one: Passage) -> list[str]:
    return [q.text for q in quotables(Evidence(1, one, ((0, len(one.text)),), 0.9))]


def told(columns: tuple[str, ...], row: tuple[str, ...]) -> str:
    """The oracle: what a person would read out."""
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(columns, row, strict=True) if cell)


def test_a_renamed_column_leaves_the_table_cut_at_the_same_places(cut: Cut) -> None:
    long = PAGE.replace(" Sales ", f" {'Sells and visits customers. ' * 25}")      # rows that are cut inside
    renamed = long.replace("Extension", "Internal extension")
    before, after = ([text[c.start : c.end] for c in cut(text)] for text in (long, renamed))
    assert any(not piece.startswith("|") for piece in before[2:])
    assert before[2:] == after[2:]


def test_each_piece_carries_the_header_and_still_fits(cut: Cut, tokenizer: FastTokenizer) -> None:
    chunks = cut(PAGE)
    pieces = [c for c in chunks if c.has_table]
    assert len(pieces) > 3 and pieces[0].header is None
    for piece in pieces[1:]:
        assert chunk_header(PAGE, piece) == "| Name | Extension | Department | Room |"
        assert chunk_input(PAGE, piece).startswith("phone list\n| Name | Extension | Department | Room | |")
        assert len(tokenizer.spans(chunk_input(PAGE, piece))) + 2 <= 180


def test_every_row_of_a_long_table_is_quoted_under_its_columns_once(cut: Cut) -> None:
    found = [text for one in passages(PAGE, cut(PAGE)) for text in quoted(one)]
    assert [text for text in found if "Name:" in text] == [told(COLUMNS, row) for row in PHONES]


@pytest.mark.parametrize("row", [PHONES[23], PHONES[31], PHONES[47]])
def test_a_name_in_the_middle_is_answered_with_its_row_and_one_citation(cut: Cut, row: tuple[str, ...]) -> None:
    world = small_world(passages(PAGE, cut(PAGE)))
    answer = answer_question(world.ask(f"What is the extension of {row[0]}?"), world.components).answer
    [citation] = [c for c in answer.citations if row[0] in c.quote]
    [sentence] = [s for s in answer.sentences if s.citations == [citation.number]]
    assert sentence.text == told(COLUMNS, row)
    assert citation.quote == " | ".join(row) and citation.header == "| Name | Extension | Department | Room |"
    assert PAGE[slice(*citation.characters)] == citation.quote


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, tuple[str, ...], list[tuple[str, ...]]]:
    width = draw(st.integers(2, 6))
    columns = ("Key", *(draw(st.sampled_from(["", f"Column {n}", f"{2020 + n}"])) for n in range(1, width)))
    rows = [(f"k{n}", *(draw(WORD) for _ in range(1, width))) for n in range(draw(st.integers(1, 40)))]
    lines = [columns, ("---",) * width, *rows]
    body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return "\n\n".join([draw(PARAGRAPH), body, draw(PARAGRAPH)]), columns, rows


def shown(cell: str) -> str:
    return cell.replace("\\|", "|").replace("**", "")


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from([(180, 30), (70, 15)]))
def test_the_cells_of_every_quoted_row_stand_under_their_columns(
    tokenizer: FastTokenizer, drawn: tuple[str, tuple[str, ...], list[tuple[str, ...]]], sizes: tuple[int, int]
) -> None:
    text, columns, rows = drawn
    chunks = chunk_document("s", "a.md", parse_markdown(text), tokenizer, *sizes)
    expected = {row[0]: told(columns, tuple(map(shown, row))) for row in rows}
    found = [quote for one in passages(text, chunks) for quote in quoted(one) if quote.startswith("Key: k")]
    assert sorted(found) == sorted(expected.values())


def test_a_row_taken_for_the_header_is_found(cut: Cut) -> None:
    """The planted bug: the first row of a piece is its header."""
    piece = passages(PAGE, cut(PAGE))[2]
    planted = replace(piece, header=piece.text.split("\n")[0])
    true = {told(COLUMNS, row) for row in PHONES}
    assert set(quoted(piece)) <= true and not set(quoted(planted)) & true


@pytest.mark.parametrize(("text", "carried", "expected"), [
    ("| a | b |\n|---|---|\n| 1 | 2 |", "", ["a: 1; b: 2"]),
    ("| a | b |\n| 1 | 2 |", "", ["a, b", "1, 2"]),                   # no rule, no header
    ("| a | b |\n|---|\n| 1 | 2 |", "", ["a, b", "1, 2"]),            # a rule of other columns is none
    ("|  | b |\n|---|---|\n| 1 | 2 |", "", ["1; b: 2"]),
    ("| a | b |\n|---|---|\n|  | 2 |", "", ["b: 2"]),
    ("| a | b |\n|---|---|\n| 1 |", "", ["a: 1"]),
    ("| a | b |\n|---|---|\n| 1 | 2 | 3 |", "", ["a: 1; b: 2; 3"]),
    ("| a: | b |\n|:--|--:|\n| 1 | 2 |", "", ["a: 1; b: 2"]),
    ("| 1 | 2 |\n| --- | --- |\n| 3 | 4 |", "| a | b |", ["a: 1; b: 2", "a: 3; b: 4"]),     # a rule within is a row
    ("| 1 | 2 |\n\n| c | d |\n|---|---|\n| 3 | 4 |", "| a | b |", ["a: 1; b: 2", "c: 3; d: 4"]),
    ("Words.\n\n| 1 | 2 |", "| a | b |", ["Words.", "1, 2"]),          # not the table that the passage goes on with
    ("|---|---|\n| 1 | 2 |", "| a | b |", ["a: 1; b: 2"]),
    ("> | a | b |\n> |---|---|\n> | 1 | 2 |", "", ["a: 1; b: 2"]),
])
def test_rows_are_read_as_they_stand(text: str, carried: str, expected: list[str]) -> None:
    assert quoted(passage(text, header=carried)) == expected


@given(st.lists(st.lists(st.text("ab |\\-: ", max_size=6), min_size=1, max_size=4), min_size=3, max_size=5))
def test_cells_are_those_of_a_markdown_reader(drawn: list[list[str]]) -> None:
    from markdown_it import MarkdownIt

    text = "\n".join("|" + "|".join(line) + "|" for line in drawn)
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    read: list[list[str]] = []
    for token, following in pairwise(tokens):
        if token.type == "tr_open":
            read.append([])
        elif token.type in ("th_open", "td_open"):
            read[-1].append(following.content)
    if read and tokens[0].type == "table_open" and tokens[0].map == [0, len(drawn)]:
        lines = text.split("\n")
        width = len(read[0])
        own = [cells(line) for line in (lines[0], *lines[2:])]
        assert [[*line, *[""] * width][:width] for line in own] == read
        assert header_line(text, 0, len(text)) is not None or not any(read[0])


def test_a_header_that_takes_half_a_chunk_is_not_carried(cut: Cut) -> None:
    def piece(header: str) -> Chunk:
        rows = "\n".join(f"| row {n} with some words in it | {n} |" for n in range(80))
        return cut(f"| {header} | b |\n|---|---|\n{rows}")[3]

    assert piece("word " * 20).header is not None
    assert piece("x1y2z3 " * 40).header is None         # short enough to be read, and too many tokens
    assert piece("word " * 200).header is not None      # too long to be read with the rows: they are quoted with it
    assert piece("word " * 600).header is None


def test_headers_are_told_of_the_rows_a_range_meets() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n\nWords.\n\n| 3 | 4 |"
    rows = table_rows(text)
    assert headers_of(rows, text.index("1"), text.index("2") + 1) == "| a | b |"
    assert headers_of(rows, 0, len(text)) == ""         # it is there already
    assert headers_of(rows, text.index("Words"), len(text)) == ""


def test_many_bars_cost_little() -> None:
    began = time.process_time()
    for text in ("|" * 60_000, "| " * 30_000, "\\|" * 30_000, "|a|\n" * 15_000, "|-|\n" * 15_000, " " * 60_000 + "|"):
        rows = table_rows(text)
        headers_of(rows, 0, len(text))
        header_line(text, 0, len(text))
    assert time.process_time() - began < 5


def test_rows_of_a_page_that_are_no_table_have_no_header(tokenizer: FastTokenizer) -> None:
    text = "\n".join(f"| cell {n} | {n} |" for n in range(80))
    chunks = chunk_document("s", "a.html", Parsed(text, "", (Block("table", 0, len(text)),)), tokenizer)
    assert len(chunks) > 1 and all(chunk.header is None for chunk in chunks)
