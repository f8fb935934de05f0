"""Formats that are not text: what their own libraries wrote is found again, with its structure and places."""

import datetime
import io
import json
import time
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

import pytest
from homes.small_world import passage
from hostile_files.office_by_hand import docx as docx_by_hand
from hostile_files.office_by_hand import locked, odt, old_office, paragraph, pptx, sheet, slide, xlsx

from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.adapters.parsers import parse
from vouch.adapters.parsers.office import container
from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.answering.quoting.units import units
from vouch.documents.document import Content, Parsed
from vouch.documents.text.markup import shown
from vouch.errors import Unreadable


def read(path: str, data: bytes | str) -> Parsed:
    return parse(Content(path, data if isinstance(data, bytes) else data.encode(), ""))


def kinds(parsed: Parsed) -> list[tuple[str, str]]:
    return [(b.kind, parsed.text[b.start : b.end]) for b in parsed.blocks]


def headings(parsed: Parsed) -> list[tuple[int, str]]:
    return [(b.level, b.title) for b in parsed.blocks if b.kind == "heading"]


def written(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def word() -> bytes:
    import docx

    made = docx.Document()
    made.add_heading("Travel policy", 0)
    made.add_heading("Booking", 1)
    made.add_paragraph("Book a flight two weeks ahead.")
    for words, style in (("Ask your manager", "List Number"), ("Book", "List Number"), ("by train", "List Bullet")):
        made.add_paragraph(words, style=style)
    table = made.add_table(3, 3)
    for n, row in enumerate([("Plan", "Days", "Who"), ("Basic", "5 | 6", "# all"), ("Plus", "7\n8", "some")]):
        for k, words in enumerate(row):
            table.cell(n, k).text = words
    made.add_heading("Refunds", 2)
    made.add_paragraph("Within 30 days.")
    return written(made)


def deck() -> bytes:
    from pptx import Presentation
    from pptx.util import Inches

    made = Presentation()
    first = made.slides.add_slide(made.slide_layouts[0])
    first.shapes.title.text, first.placeholders[1].text = "Kickoff", "Spring"
    second = made.slides.add_slide(made.slide_layouts[1])
    second.shapes.title.text = "Goals"
    second.placeholders[1].text_frame.text = "Grow"
    deeper = second.placeholders[1].text_frame.add_paragraph()
    deeper.text, deeper.level = "By ten percent", 1
    second.notes_slide.notes_text_frame.text = "Say hello."
    third = made.slides.add_slide(made.slide_layouts[6])
    table = third.shapes.add_table(2, 2, *[Inches(1)] * 4).table
    for n, words in enumerate(["Quarter", "Sum", "Q1", "5"]):
        table.cell(n // 2, n % 2).text = words
    return written(made)


def workbook() -> bytes:
    import openpyxl

    made = openpyxl.Workbook()
    made.active.title = "Prices"
    for row in (["Price list 2024"], [], ["Item", "Price", "Share", "From"],
                ["Lamp", 1234.5, 0.25, datetime.date(2024, 3, 1)], ["Desk", 80, 1, None]):
        made.active.append(row)
    for n in (4, 5):
        made.active.cell(n, 2).number_format, made.active.cell(n, 3).number_format = "#,##0.00 [$€-407]", "0%"
    made.create_sheet("Hidden").append(["secret", "words"])
    made["Hidden"].sheet_state = "hidden"
    made.create_sheet("People").append(["Name", "Room"])
    made["People"].append(["Ana", 7])
    return written(made)


def test_word_keeps_headings_lists_and_tables() -> None:
    parsed = read("a.docx", word())
    assert parsed.title == "Travel policy"
    assert headings(parsed) == [(1, "Travel policy"), (2, "Booking"), (3, "Refunds")]
    assert kinds(parsed)[2:5] == [
        ("paragraph", "Book a flight two weeks ahead."),
        ("list", "1. Ask your manager\n2. Book\n- by train"),
        ("table", "| Plan | Days | Who |\n|-|-|-|\n| Basic | 5 \\| 6 | # all |\n| Plus | 7 8 | some |"),
    ]


def test_word_shows_what_word_shows() -> None:
    """Numbers of headings, inserted and linked words; not the deleted, moved away, hidden or doubled ones."""
    levels = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for n, (start, form, text) in enumerate(
            [(4, "decimal", "%1."), (1, "decimal", "%1.%2"), (2, "lowerRoman", "(%3)")])
    )
    numbering = (f'<w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>'
                 '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>')
    heading = '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'

    def numbered(depth: int) -> str:
        return f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="1"/></w:numPr>'

    run = "<w:r><w:t>%s</w:t></w:r>"
    marked = (f"<w:p>{run % 'kept '}<w:ins>{run % 'added '}</w:ins><w:del>{run % 'deleted '}</w:del><w:hyperlink>"
              f"{run % 'linked'}</w:hyperlink><w:moveFrom>{run % 'moved'}</w:moveFrom>"
              "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>")
    body = (paragraph("Scope", '<w:pStyle w:val="berschrift1"/>' + numbered(0)) + marked
            + f"<w:sdt><w:sdtContent>{paragraph('In a control.')}</w:sdtContent></w:sdt>"
            + paragraph("First", numbered(1)) + paragraph("Second", numbered(1)) + paragraph("Deep", numbered(2)))
    note = f'<w:footnote w:id="1">{paragraph("See the law.")}</w:footnote>'
    parsed = read("a.docx", docx_by_hand(body, styles=heading, numbering=numbering, footnotes=note))
    assert headings(parsed) == [(1, "4. Scope")]
    assert [words for _, words in kinds(parsed)[1:]] == [
        "kept added linked", "In a control.", "  - 4.1 First\n  - 4.2 Second\n    - (ii) Deep",
        "Footnote 1: See the law.",
    ]  # fmt: skip


def test_slides_are_pages_with_their_titles() -> None:
    parsed = read("a.pptx", deck())
    assert headings(parsed) == [(1, "Kickoff"), (1, "Goals"), (1, "Slide 3")]
    assert [(b.page, b.kind) for b in parsed.blocks] == [
        (1, "heading"), (1, "paragraph"), (2, "heading"), (2, "list"), (2, "paragraph"), (3, "heading"), (3, "table"),
    ]
    assert "- Grow\n  - By ten percent" in parsed.text and "Notes: Say hello." in parsed.text
    assert "| Quarter | Sum |\n|-|-|\n| Q1 | 5 |" in parsed.text
    assert headings(read("b.pptx", pptx(slide("By hand", "words")))) == [(1, "By hand")]


def test_sheets_are_sections_and_cells_look_as_they_do() -> None:
    parsed = read("a.xlsx", workbook())
    assert headings(parsed) == [(1, "Prices"), (1, "People")]
    assert kinds(parsed)[1:3] == [
        ("paragraph", "Price list 2024"),
        ("table", "| Item | Price | Share | From |\n|-|-|-|-|\n| Lamp | 1,234.50 € | 25% | 2024-03-01 |\n"
                  "| Desk | 80.00 € | 100% |  |"),
    ]
    assert "secret" not in parsed.text
    assert "| c | d |" in read("b.xlsx", xlsx(sheet([["a", "b"], ["c", "d"]]))).text


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_csv_is_a_table_whatever_parts_its_cells(mark: str, encoding: str) -> None:
    text = f'Name{mark}Straße{mark}Ort\r\nMüller{mark}"Haupt{mark} 5\n# oben"{mark}München\r\n'
    words = "Haupt\\| 5 # oben" if mark == "|" else f"Haupt{mark} 5 # oben".replace("\t", " ")
    assert kinds(read("a.csv", text.encode(encoding))) == [
        ("table", f"| Name | Straße | Ort |\n|-|-|-|\n| Müller | {' '.join(words.split())} | München |")
    ]


def test_mail_has_its_subject_its_people_and_its_words() -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Ana <ana@acme.test>", "bo@acme.test", "Küchenplan für März"
    mail["Date"] = datetime.datetime(2024, 3, 1, 9, tzinfo=datetime.UTC)
    mail.set_content("Die Küche bleibt zu.\n\n# laut\n", charset="iso-8859-1")
    mail.add_alternative("<p>HTML words</p>", subtype="html")
    mail.add_attachment(b"%PDF-1.7 secret", maintype="application", subtype="pdf", filename="plan.pdf")
    parsed = read("a.eml", mail.as_bytes())
    assert parsed.title == "Küchenplan für März"
    assert [words for _, words in kinds(parsed)] == [
        "# Küchenplan für März",
        "From: Ana <ana@acme.test>\nDate: Fri, 01 Mar 2024 09:00:00 +0000\nTo: bo@acme.test",
        "Die Küche bleibt zu.", "\\# laut", "Attachments: plan.pdf",
    ]  # fmt: skip
    only = EmailMessage()
    only["Subject"] = "Page"
    only.set_content("<h2>Days off</h2><p>Everybody may take leave.</p>", subtype="html")
    assert "Everybody may take leave." in read("b.eml", only.as_bytes()).text


@pytest.mark.parametrize("people", ["team: ana@acme.test; cto: bo@acme.test;", "team: ana@acme.test; all:;"])
def test_people_that_the_library_cannot_read_stand_as_they_are_written(people: str) -> None:
    text = read("a.eml", f"From: bo@acme.test\nTo: {people}\nSubject: Leave\n\nTake it.\n").text
    assert f"To: {people}" in text and "Take it." in text


def long_parts() -> str:
    named = "--B\nContent-Disposition: x; " + ";".join(f"filename*{n}=a" for n in range(2000)) + "\n\nx\n"
    return f"Content-Type: multipart/mixed; boundary=B\n\n{named * 40}--B--"


@pytest.mark.parametrize(("head", "kept"), [
    ("Subject: " + "=?utf-8?q?a?= " * 20_000, "# aaaa"),
    ("Subject: x\nTo: " + "ana@acme.test, " * 20_000, "To: ana@acme.test, ana@acme.test"),
    ("Subject: x\nTo: " + "g:ana@acme.test;, " * 20_000, "To: g: ana@acme.test;"),
    ("Subject: " + "word " * 20_000 + "\nX: y", "word word\n"),
    ("Subject: x\n" + long_parts(), "# x"),
])  # fmt: skip
def test_no_header_of_a_mail_takes_long(head: str, kept: str) -> None:
    began = time.process_time()
    text = read("a.eml", f"From: bo@acme.test\n{head}\n\nWords.\n").text
    assert time.process_time() - began < 5
    assert kept in text and len(text) < 4_000
    assert "=?" not in text.partition("Attachments")[0]


@pytest.mark.parametrize(("level", "meant"), [(1_000_000_000, 6), (7, 6), (3, 3), (0, 1), (-5, 1), (-(10**30), 1)])
def test_headings_of_old_notebooks_have_levels_that_there_are(level: int, meant: int) -> None:
    cells = [{"cell_type": "heading", "level": level, "source": "Leave"}, {"cell_type": "markdown", "source": "Ask."}]
    assert headings(read("a.ipynb", json.dumps({"worksheets": [{"cells": cells}]}))) == [(meant, "Leave")]


def test_notebooks_keep_words_and_code_and_no_output() -> None:
    cells = [
        {"cell_type": "raw", "source": "---\naccess: group:science\ntitle: Study\n---\n"},
        {"cell_type": "markdown", "source": ["# Study\n", "\n", "Words.\n", "```\n", "never closed"]},
        {"cell_type": "code", "source": "x = '```'", "outputs": [{"text": "printed"}]},
        {"cell_type": "markdown", "source": "## After\n\n![p](data:image/png;base64,AAAA)\n\n- one"},
    ]
    book = {"nbformat": 4, "metadata": {"kernelspec": {"language": "python"}}, "cells": cells}
    parsed = read("a.ipynb", json.dumps(book))
    assert (parsed.title, parsed.narrowed) == ("Study", {"group:science"})
    assert headings(parsed) == [(1, "Study"), (2, "After")]
    assert ("code", "````python\nx = '```'\n````") in kinds(parsed) and ("list", "- one") in kinds(parsed)
    assert "printed" not in parsed.text and "base64" not in parsed.text
    with pytest.raises(Unreadable, match="front matter"):
        read("b.ipynb", json.dumps({"cells": [{"cell_type": "markdown", "source": "---\naccess: all\n---\nWords"}]}))


def test_rich_text_keeps_headings_lists_and_tables() -> None:
    parsed = read("a.rtf", (
        r"{\rtf1\ansi\ansicpg1252{\stylesheet{\s1\outlinelevel0 heading 1;}}\pard\s1\outlinelevel0 Holidays\par"
        r"\pard Gr\'fc\'dfe to all.\par {\listtext 1.\tab}First\par {\listtext 2.\tab}Second\par"
        r"\trowd\intbl Plan\cell Days\cell\row\trowd\intbl Basic\cell 5\cell\row\pard The end \u8364?.\par}"
    ))  # fmt: skip
    assert kinds(parsed) == [
        ("heading", "# Holidays"), ("paragraph", "Grüße to all."), ("list", "1. First\n2. Second"),
        ("table", "| Plan | Days |\n|-|-|\n| Basic | 5 |"), ("paragraph", "The end €."),
    ]  # fmt: skip


def test_opendocument_keeps_headings_lists_and_tables() -> None:
    row = "<table:table-row>%s</table:table-row>"
    cell = "<table:table-cell><text:p>%s</text:p></table:table-cell>"
    parsed = read("a.odt", odt(
        '<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>'
        '<text:h text:outline-level="1">Guide</text:h>'
        "<text:p>Two<text:s text:c='2'/><text:span>words</text:span><text:note>"
        "<text:note-citation>1</text:note-citation>"
        "<text:note-body><text:p>a note</text:p></text:note-body></text:note> on.</text:p>"
        "<text:list><text:list-item><text:p>one</text:p>"
        "<text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list></text:list-item></text:list>"
        f"<table:table><table:table-header-rows>{row % (cell % 'Plan' + cell % 'Days')}</table:table-header-rows>"
        f"{row % (cell % 'Basic' + cell % '5')}</table:table>"
    ))  # fmt: skip
    assert kinds(parsed) == [
        ("heading", "# Guide"), ("paragraph", "Two  words [a note] on."), ("list", "- one\n  - deep"),
        ("table", "| Plan | Days |\n|-|-|\n| Basic | 5 |"),
    ]  # fmt: skip


FORGED = "# Heading\n## Two\n| a | b |\n|---|---|\n```\n~~~ \n> # Quoted"


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.docx", docx_by_hand("".join(paragraph(line.replace(">", "&gt;")) for line in FORGED.split("\n")))),
        ("a.xlsx", xlsx(sheet([["Name", "Notes"], ["x", FORGED.replace(">", "&gt;")]]))),
        ("a.csv", f'Name,Notes\nx,"{FORGED}"\n'.encode()),
        ("a.pptx", pptx(slide("", FORGED.replace(">", "&gt;")))),
        ("a.eml", f"Subject: s\n\n{FORGED}".encode()),
        ("a.odt", odt(f"<text:p>{FORGED.replace('>', '&gt;')}</text:p>")),
    ],
)
def test_words_forge_no_structure(path: str, data: bytes) -> None:
    """Neither in the blocks nor for those who read the text by its lines."""
    parsed = read(path, data)
    made = {b.title for b in parsed.blocks if b.kind == "heading"}
    assert made <= {"Sheet1", "Slide 1", "s"}
    tables = [words for kind, words in kinds(parsed) if kind == "table"]
    assert all(words.count("\n") == 2 for words in tables)
    for block in parsed.blocks:
        if block.kind == "paragraph":
            words = parsed.text[block.start : block.end]
            marks = parsed.markup.within(parsed.text, block.start, block.end)
            assert {u.kind for u in units(passage(words, markup=marks))} <= {"prose"}
            assert not words.lstrip("> ").startswith(("#", "|", "`", "~"))
            assert shown(words, 0, len(words), marks) in " ".join(FORGED.split()), "a mark of ours is shown"


@pytest.mark.parametrize("suffix", ["docx", "pptx", "xlsx", "odt"])
@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "is empty"), (b"words", "is not a"), (locked(), "protected by a password .save it without one"),
     (old_office(), r"is an older kind of .* \(save it as")],
)  # fmt: skip
def test_office_files_that_cannot_be_read_say_why(suffix: str, data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(f"a.{suffix}", data)


def test_an_rtf_file_that_is_word_inside_says_so() -> None:
    with pytest.raises(Unreadable, match="older kind of Word document"):
        read("a.rtf", old_office())


def test_planted_a_container_that_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the look at the archive, what declares entities is read as if nothing were missing."""
    data = docx_by_hand(paragraph("Pay &e; euros."), head='<!DOCTYPE x [<!ENTITY e "ten">]>')
    with pytest.raises(Unreadable, match="declares XML entities"):
        read("a.docx", data)
    monkeypatch.setattr(container, "_refuse_entities", lambda *_: None)
    assert "ten" not in read("a.docx", data).text


@pytest.fixture(scope="module")
def child() -> Iterator[IsolatedParser]:
    tokenizer = load_tokenizer()
    made = IsolatedParser(lambda: tokenizer)
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "data", "words", "section", "page"),
    [
        ("Reise – план.docx", word(), "Within 30 days.", ("Travel policy", "Booking", "Refunds"), None),
        ("a.pptx", deck(), "By ten percent", ("Goals",), 2),
        ("a.xlsx", workbook(), "| Ana | 7 |", ("People",), None),
        ("a.csv", b"a,b\nc,d\n", "| c | d |", (), None),
        ("a.odt", odt("<text:h>Guide</text:h><text:p>Words.</text:p>"), "Words.", ("Guide",), None),
    ],
)
def test_passages_know_their_place(
    child: IsolatedParser, path: str, data: bytes, words: str, section: tuple[str, ...], page: int | None
) -> None:
    found = child.take_apart("docs", Content(path, data, ""), size=180, overlap=30)
    chunk = next(c for c in found.chunks if words in found.text[c.start : c.end])
    assert (chunk.section, chunk.page) == (section, page)


def test_the_libraries_never_look_into_archives_inside() -> None:
    out = io.BytesIO(word())
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("word/embeddings/inner.docx", docx_by_hand(paragraph("inner words")))
    assert "inner words" not in read("a.docx", out.getvalue()).text
