import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from documents.drawn_markdown import BODY, FRONT
from hypothesis import given, settings
from hypothesis import strategies as st
from model_fakes.chunk_input import chunk_input

from vouch.adapters.models.tokenizer import FastTokenizer
from vouch.adapters.parsers.markdown.parser import parse_markdown
from vouch.adapters.parsers.pdf import PAGE_BREAK
from vouch.chunking.document_chunks import chunk_document, chunker_fingerprint
from vouch.documents.chunk import Chunk, chunk_id, model_input, passage_input
from vouch.documents.document import Block, Parsed

Cut = Callable[..., tuple[Chunk, ...]]
DOCUMENT = st.builds(str.__add__, FRONT, BODY)
SIZES = st.sampled_from([(180, 30), (60, 15), (40, 0)])


def tokens(tokenizer: FastTokenizer, text: str, chunk: Chunk) -> int:
    return len(tokenizer.spans(chunk_input(text, chunk))) + 2


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(DOCUMENT, SIZES)
def test_every_word_outside_front_matter_and_headings_lies_in_a_chunk(
    cut: Cut, text: str, sizes: tuple[int, int]
) -> None:
    text = text.replace("<!-- a note -->", " " * len("<!-- a note -->"))       # which nobody sees
    chunks = cut(text, size=sizes[0], overlap=sizes[1])
    covered = {i for c in chunks for i in range(c.start, c.end)}
    headings = {i for b in parse_markdown(text).blocks if b.kind == "heading" for i in range(b.start, b.end)}
    front = len(text) - len(re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL))
    assert not [text[i - 5 : i + 5] for i in range(front, len(text))
                if text[i].isalnum() and i not in covered | headings]
    spoken = {w for c in chunks for t in (*c.section, text[c.start : c.end]) for w in re.findall(r"\w+", t)}
    for block in parse_markdown(text).blocks:
        if block.kind == "heading":
            assert set(re.findall(r"\w+", block.title)) <= spoken


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(DOCUMENT, SIZES)
def test_chunks_fit_start_cleanly_and_know_their_place(
    cut: Cut, tokenizer: FastTokenizer, text: str, sizes: tuple[int, int]
) -> None:
    chunks = cut(text, size=sizes[0], overlap=sizes[1])
    text = parse_markdown(text).text    # comments are blanks there
    for n, chunk in enumerate(chunks):
        words = text[chunk.start : chunk.end]
        assert words == words.strip() and any(map(str.isalnum, words))
        assert not re.match(r"[,;)\]}]|[.:!?…]+(\s|\Z)", words)
        assert chunk.ordinal == n
        assert chunk.first_line == text.count("\n", 0, chunk.start) + 1
        assert chunk.last_line == text.count("\n", 0, chunk.end) + 1
        heading = len(tokenizer.spans(" > ".join(chunk.section))) + 2
        assert tokens(tokenizer, text, chunk) <= max(sizes[0], heading + 16)
    assert len({c.id for c in chunks}) == len(chunks)
    assert all(a.start < b.start and a.end < b.end for a, b in pairwise(chunks))
    for a, b in pairwise(chunks):
        shared = text[b.start : a.end] if b.start < a.end else ""
        assert not shared or (a.section == b.section and len(tokenizer.spans(passage_input(shared))) <= sizes[1] + 2)


def test_a_section_cut_for_size_repeats_whole_sentences(cut: Cut, tokenizer: FastTokenizer) -> None:
    text = "# Leave\n\n" + " ".join(f"Rule number {n} says that leave {n} must be asked for." for n in range(40))
    chunks = cut(text)
    assert len(chunks) > 2
    for a, b in pairwise(chunks):
        shared = text[b.start : a.end]
        assert shared.startswith("Rule number") and shared.endswith("asked for.")
        assert len(tokenizer.spans(shared)) <= 30


def test_code_and_rows_stay_whole(cut: Cut) -> None:
    filler = "We keep this short but say a few words more than needed, so that the section grows. " * 6
    code = "```sh\n" + "\n".join(f"step-{n} --flag" for n in range(15)) + "\n```"
    table = "| name | value |\n|---|---|\n" + "\n".join(f"| key {n} | a value of some words {n} |" for n in range(60))
    text = f"# Setup\n\n{filler}\n\n{code}\n\n{table}\n"
    chunks = cut(text)
    assert any(code in text[c.start : c.end] for c in chunks)
    rows = [c for c in chunks if c.has_table]
    assert len(rows) > 1 and all(text[c.start : c.end].split("\n")[-1].endswith("|") for c in rows)
    assert all(text[c.start - 1] == "\n" for c in rows)


def test_sections_are_the_titles_above_without_marks(cut: Cut) -> None:
    text = (
        "---\ntitle: Handbook\n---\nHello.\n\n## **Time** off {#off}\n\nTake it.\n\n### [Sick](x.md) days\n\nRest.\n\n"
        "## Pay\n\nMonthly.\n\n## Contact: help@acme.test\n"
    )
    found = [(c.section, text[c.start : c.end]) for c in cut(text)]
    assert found == [
        (("Handbook",), "Hello."),
        (("Handbook", "Time off"), "Take it."),
        (("Handbook", "Time off", "Sick days"), "Rest."),
        (("Handbook", "Pay"), "Monthly."),
        (("Handbook",), "Contact: help@acme.test"),
    ]
    assert [c.section for c in cut("---\ntitle: T\n---\n# One\n\nText.\n")] == [("One",)]


def test_ids_survive_edits_elsewhere_and_line_shifts(cut: Cut) -> None:
    sections = [f"## Part {n}\n\nThis part tells about subject {n}. It is short.\n" for n in range(6)]
    text = "# Guide\n\n" + "\n".join(sections)
    before = cut(text)
    edited = cut(text.replace("subject 3", "another subject"))
    assert [a.id == b.id for a, b in zip(before, edited, strict=True)] == [n != 3 for n in range(6)]
    shifted = cut(text.replace("# Guide\n", "# Guide\n\n\n\n"))
    assert [c.id for c in shifted] == [c.id for c in before]
    assert [c.first_line - 3 for c in shifted] == [c.first_line for c in before]
    assert not {c.id for c in cut(text, path="b.md")} & {c.id for c in before}


def test_equal_passages_are_told_apart_by_occurrence(cut: Cut) -> None:
    text = "# A\n\nSame words.\n\n# B\n\nOther.\n\n# A\n\nSame words.\n"
    chunks = cut(text)
    expected = [chunk_id("handbook", "a.md", ("A",), "Same words.", n) for n in (0, 1)]
    assert [chunks[0].id, chunks[2].id] == expected


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(BODY, min_size=3, max_size=5), BODY)
def test_an_edit_in_one_section_leaves_the_ids_of_the_others(cut: Cut, bodies: list[str], other: str) -> None:
    def document(parts: list[str]) -> str:
        return "".join(f"# Part {n}\n\nIntro.\n\n{re.sub('^#', '', part, flags=re.M)}\n\n<!-- -->\n\n"
                       for n, part in enumerate(parts))

    def ids(text: str) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for chunk in cut(text):
            found.setdefault(chunk.section[0] if chunk.section else "", set()).add(chunk.id)
        return found

    before, after = ids(document(bodies)), ids(document([bodies[0], other, *bodies[2:]]))
    for n in range(len(bodies)):
        if n != 1:
            assert before.get(f"Part {n}") == after.get(f"Part {n}")


@pytest.mark.slow
@pytest.mark.parametrize("blob", ["x" * 200_000, "word " * 40_000, "a,b;" * 50_000, "休" * 50_000])
def test_very_long_lines_are_cut(cut: Cut, tokenizer: FastTokenizer, blob: str) -> None:
    chunks = cut(blob)
    assert all(tokens(tokenizer, blob, c) <= 180 and c.end - c.start <= 180 * 32 for c in chunks)
    covered = {i for c in chunks for i in range(c.start, c.end)}
    assert all(i in covered for i, c in enumerate(blob) if c.isalnum())


def test_chunks_do_not_cross_pages(tokenizer: FastTokenizer) -> None:
    text = f"First page.{PAGE_BREAK}Second page."
    second = text.index("Second")
    blocks = (Block("paragraph", 0, 11, page=1), Block("paragraph", second, len(text), page=2))
    chunks = chunk_document("s", "a.pdf", Parsed(text, "", blocks), tokenizer)
    found = [(text[c.start : c.end], c.page, c.first_line) for c in chunks]
    assert found == [("First page.", 1, 1), ("Second page.", 2, 3)]


def test_nothing_gives_no_chunk(cut: Cut) -> None:
    assert cut("") == () and cut("---\ntitle: x\n---\n") == () and cut("***\n\n---\n\n...\n") == ()


def test_the_fingerprint_tells_settings_apart() -> None:
    assert len({chunker_fingerprint(180, 30), chunker_fingerprint(181, 30), chunker_fingerprint(180, 31)}) == 3


def test_an_id_keeps_its_parts_apart() -> None:
    """Joined without lengths, one document could have the id of another's passage."""
    ids = [
        chunk_id("s", "a", ("bc",), "t", 0), chunk_id("s", "ab", ("c",), "t", 0), chunk_id("sa", "b", ("c",), "t", 0),
        chunk_id("s", "a", ("b", "c"), "t", 0), chunk_id("s", "a", ("b",), "ct", 0),
        chunk_id("s", "a", ("b",), "c", 10), chunk_id("s", "a", ("b",), "c1", 0),
    ]
    assert len(set(ids)) == len(ids)


def test_a_run_of_words_over_the_limit_is_cut_at_blanks_only(cut: Cut) -> None:
    text = " ".join(f"interoperability{n} antidisestablishmentarianism" for n in range(200))
    chunks = cut(text)
    assert len(chunks) > 3
    assert [word for c in chunks for word in text[c.start : c.end].split()] == text.split()


def test_what_neighbors_share_is_at_most_a_third_of_the_room(cut: Cut, tokenizer: FastTokenizer) -> None:
    """However much overlap is asked for; here three sentences of twelve words would fit."""
    def words(count: int, end: str) -> str:
        return " ".join(["Word", *["word"] * (count - 2)]) + end

    announced = " ".join([words(12, "."), words(12, "."), words(12, ":")])
    text = f"{words(15, '.')}\n\n{announced}\n\n{words(18, '.')}\n"
    first, second = cut(text, size=62, overlap=500)         # room for 60 tokens
    assert 0 < tokenizer.count(text[second.start : first.end]) <= 20


def test_a_chunk_a_third_full_takes_in_no_further_block(cut: Cut) -> None:
    """Small blocks share a chunk; one that fills a third of it stays alone, so that an edit moves few borders."""
    small, third = "one two three four five.", " ".join(["word"] * 64) + "."
    assert len(cut(f"# A\n\n{small}\n\n{small}\n")) == 1
    assert len(cut(f"# A\n\n{third}\n\n{small}\n")) == 2


def test_capitals_of_a_heading_are_not_embedded_but_those_of_names_are() -> None:
    assert model_input(("Making A Career",), "Ask.") == model_input(("Making a career",), "Ask.")
    assert model_input(("The GitHub SRE",), "Ask A Friend.") == "the GitHub SRE\nAsk A Friend."
