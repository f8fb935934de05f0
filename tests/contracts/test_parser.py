"""What every Parser promises, whatever the format."""

import io

import pytest

from vouch.adapters.parsers import DocumentParser, parser_for
from vouch.documents.document import Content
from vouch.errors import Unreadable
from vouch.ports.ingestion import Parser

SENTENCE = "Everybody may take leave when their manager agrees, and says so in the calendar."


def _pdf() -> bytes:
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    page = writer.add_blank_page(700, 800)
    names = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font = DictionaryObject({NameObject(key): NameObject(value) for key, value in names.items()})
    fonts = DictionaryObject({NameObject("/F1"): font})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    stream = DecodedStreamObject()
    stream.set_data(f"BT /F1 12 Tf 50 700 Td ({SENTENCE}) Tj ET".encode())
    page[NameObject("/Contents")] = stream
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


FILES = {
    "guide.md": f"# Leave\n\n{SENTENCE}\n".encode(),
    "guide.txt": f"{SENTENCE}\n".encode(),
    "guide.html": f"<html><body><h1>Leave</h1><p>{SENTENCE}</p></body></html>".encode(),
    "guide.pdf": _pdf(),
}


@pytest.fixture(params=[*FILES, "any"])
def parser_and_content(request: pytest.FixtureRequest) -> tuple[Parser, Content]:
    if request.param == "any":
        return DocumentParser(), Content("guide.md", FILES["guide.md"], "hash")
    return parser_for(request.param), Content(request.param, FILES[request.param], "hash")


def test_the_words_are_in_the_blocks(parser_and_content: tuple[Parser, Content]) -> None:
    parser, content = parser_and_content
    parsed = parser.parse(content)
    assert any(SENTENCE in parsed.text[b.start : b.end] for b in parsed.blocks)
    assert parsed.narrowed is None


def test_blocks_are_in_order_apart_and_trimmed(parser_and_content: tuple[Parser, Content]) -> None:
    parser, content = parser_and_content
    parsed = parser.parse(content)
    reached = 0
    for block in parsed.blocks:
        assert reached <= block.start < block.end <= len(parsed.text)
        assert parsed.text[block.start : block.end].strip()
        reached = block.end


def test_the_place_changes_nothing(parser_and_content: tuple[Parser, Content]) -> None:
    parser, content = parser_and_content
    suffix = content.path.rpartition(".")[2]
    assert parser.parse(content) == parser.parse(Content(f"else/where.{suffix}", content.data, "other"))


def test_the_text_can_be_stored(parser_and_content: tuple[Parser, Content]) -> None:
    parser, content = parser_and_content
    parsed = parser.parse(content)
    assert "\0" not in parsed.text + parsed.title
    (parsed.text + parsed.title).encode()


@pytest.mark.parametrize("path", FILES)
def test_what_is_broken_is_unreadable_with_a_reason(path: str) -> None:
    unclear = b"---\naccess: all\n---\n<p>x"
    broken = {"guide.md": b"\xff", "guide.txt": b"a\0b", "guide.html": unclear, "guide.pdf": b"%PDF"}
    with pytest.raises(Unreadable) as caught:
        DocumentParser().parse(Content(path, broken[path], "hash"))
    assert caught.value.cause and caught.value.cure
