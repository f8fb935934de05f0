"""A line in larger letters ends with a paragraph break, so that it is not read as a part of the sentence below."""

import io

import pytest
from adapters.parsers.test_parsers import read
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.parsers.pdf_headings import Piece, parted
from vouch.errors import Unreadable


def pdf(drawn: str) -> bytes:
    """A page with these operators inside its text object."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    page = writer.add_blank_page(600, 800)
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    named = DictionaryObject({NameObject(k): NameObject(v) for k, v in font.items()})
    page[NameObject("/Resources")] = DictionaryObject(
        {NameObject("/Font"): DictionaryObject({NameObject("/F1"): named})})
    stream = DecodedStreamObject()
    stream.set_data(f"BT {drawn} ET".encode())
    page[NameObject("/Contents")] = stream
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def paragraphs(drawn: str) -> list[str]:
    parsed = read("a.pdf", pdf(drawn))
    return [parsed.text[block.start : block.end] for block in parsed.blocks]


BODY = "/F1 11 Tf 0 -24 Td (Parents get twelve weeks.) Tj 0 -14 Td (They may split it.) Tj"


def test_a_heading_is_a_paragraph_of_its_own() -> None:
    title, pay = "/F1 20 Tf 50 700 Td (Parental leave) Tj", "/F1 15 Tf 0 -20 Td (Pay) Tj"
    body = "Parents get twelve weeks.\nThey may split it."
    assert paragraphs(f"{title} {BODY} {pay} {BODY}") == ["Parental leave", body, "Pay", body]


def test_a_heading_of_two_lines_stays_one_and_its_subtitle_is_another() -> None:
    two = "/F1 20 Tf 50 700 Td (Parental leave and) Tj 0 -22 Td (unpaid leave) Tj /F1 15 Tf 0 -20 Td (For all) Tj"
    assert paragraphs(f"{two} {BODY}")[:2] == ["Parental leave and\nunpaid leave", "For all"]


def test_letters_are_as_large_as_their_matrix_makes_them() -> None:
    drawn = ("/F1 1 Tf 20 0 0 20 50 700 Tm (Parental leave) Tj 11 0 0 11 50 670 Tm (Parents get twelve weeks.) Tj "
             "11 0 0 11 50 656 Tm (They may split it.) Tj")
    assert paragraphs(drawn) == ["Parental leave", "Parents get twelve weeks.\nThey may split it."]


def test_equal_letters_and_initials_part_nothing() -> None:
    body = "Parents get twelve weeks.\nThey may split it."
    assert paragraphs(f"/F1 11 Tf 50 700 Td (Leave) Tj {BODY}") == [f"Leave\n{body}"]
    assert paragraphs(f"/F1 40 Tf 50 700 Td (P) Tj {BODY}") == [f"P\n{body}"]


def test_an_access_line_below_a_heading_is_seen_as_before() -> None:
    drawn = "/F1 20 Tf 50 700 Td (Parental leave) Tj /F1 11 Tf 0 -24 Td (access: group:hr) Tj"
    with pytest.raises(Unreadable, match="look like an access: line"):
        read("a.pdf", pdf(f"{drawn} {BODY}"))


@given(st.lists(st.tuples(st.text("ab \n", max_size=12), st.sampled_from([8.0, 11.0, 20.0])), max_size=12))
def test_nothing_but_blank_lines_is_added(pieces: list[Piece]) -> None:
    text, found = "".join(piece for piece, _ in pieces), parted(pieces)
    assert [line for line in found.split("\n") if line.strip()] == [line for line in text.split("\n") if line.strip()]
    assert len(found) >= len(text)
