"""Office files that bite: swelling, nested and lying archives, XML with entities, endless rows, tables and lists."""

import io
import json
import zipfile
from collections.abc import Callable

from hostile_files.bite import MB, Bite, fixed, times
from hostile_files.office_by_hand import (
    LAUGHS,
    ODT,
    W_BODY,
    docx,
    eml,
    locked,
    odt,
    old_office,
    paragraph,
    pptx,
    sheet,
    slide,
    xlsx,
    zipped,
)

OUTSIDE = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
ENTITIES = "declares XML entities"


def office_bites() -> list[Bite]:
    return [*_archives(), *_xml(), *_word(), *_slides(), *_sheets(), *_opendocument(), *_mail(), *_texts()]


def _archives() -> list[Bite]:
    found = []
    for suffix, kind in (("docx", "Word document"), ("pptx", "PowerPoint presentation"), ("xlsx", "Excel workbook"),
                         ("odt", "document")):
        found += [
            Bite(f"bomb.{suffix}", _bomb, "unpacks to more than 200,000,000 bytes"),
            Bite(f"many_parts.{suffix}", _many_parts, None),
            Bite(f"nested.{suffix}", _nested, "."),
            Bite(f"cut.{suffix}", fixed(docx(paragraph("x"))[:-30]), f"is not a .{suffix} file"),
            Bite(f"no_zip.{suffix}", fixed(b"PK\x03\x04" + b"x" * 5000), f"is not a .{suffix} file"),
            Bite(f"empty_zip.{suffix}", fixed(zipped({})), "is not an? "),
            Bite(f"locked.{suffix}", fixed(locked()), "is protected by a password"),
            Bite(f"old.{suffix}", fixed(old_office()), f"is an older kind of {kind}"),
            Bite(f"flagged.{suffix}", fixed(_flagged(docx(paragraph("x")))), "is protected by a password"),
            Bite(f"overlapping.{suffix}", _overlapping, "."),
        ]
    return found


def _bomb(share: float) -> bytes:
    """Always the full size: it is small where it lies."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(21):
            archive.writestr(f"word/{n}.xml", bytes(10 * MB))
    return out.getvalue()


def _many_parts(share: float) -> bytes:
    return zipped({f"word/{n}.bin": b"" for n in range(int(60_000 * max(share, 0.2)))})


def _nested(share: float) -> bytes:
    data = zipped({"word/document.xml": b"x"})
    for n in range(30):
        data = zipped({f"inner{n}.zip": data, "word/document.xml": b"<x/>"})
    return data


def _overlapping(share: float) -> bytes:
    """A thousand entries of the table that name the same compressed kernel."""
    whole = zipped({"a": bytes(2 * MB)})
    table = whole.index(b"PK\x01\x02")
    entry, end = whole[table : whole.index(b"PK\x05\x06")], whole[whole.index(b"PK\x05\x06") :]
    count = 1000
    closing = end[:8] + count.to_bytes(2, "little") * 2 + (len(entry) * count).to_bytes(4, "little") + end[16:]
    return whole[:table] + entry * count + closing


def _flagged(data: bytes) -> bytes:
    """With the mark of encryption set for every member."""
    out, at = bytearray(data), data.find(b"PK\x01\x02")
    while at >= 0:
        out[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 4)
    return bytes(out)


def _xml() -> list[Bite]:
    """Each of the kinds, with words that would be entities, or the end of a very deep tree."""
    places: dict[str, Callable[[str, str], bytes]] = {
        "docx": lambda head, words: docx(paragraph(words), head=head),
        "pptx": lambda head, words: pptx(slide("Title", words), head=head),
        "xlsx": lambda head, words: xlsx(sheet([["a", "b"], ["c", words]]), head=head),
        "odt": lambda head, words: odt(f"<text:p>{words}</text:p>", head=head),
    }
    found = []
    for suffix, make in places.items():
        found += [
            Bite(f"laughs.{suffix}", fixed(make(LAUGHS, "&l11;")), ENTITIES),
            Bite(f"quadratic.{suffix}", lambda share, make=make: make(
                f'<!DOCTYPE x [<!ENTITY l11 "{"a" * int(200_000 * max(share, 0.1))}">]>', "&l11;" * 20_000), ENTITIES),
            Bite(f"outside.{suffix}", fixed(make(OUTSIDE, "start &e; end")), ENTITIES),
            Bite(f"rules.{suffix}", fixed(make('<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">', "x")), ENTITIES),
            Bite(f"parameters.{suffix}", fixed(make(
                '<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>', "x")), ENTITIES),
            Bite(f"late.{suffix}", lambda share, make=make: make(f"<!--{'x' * 70_000}-->{LAUGHS}", "&l11;"), None),
            Bite(f"deep.{suffix}", fixed(make("", "<a>" * 20_000 + "x" + "</a>" * 20_000)),
                 "nested too deep" if suffix != "xlsx" else None),
        ]
    wide = docx(paragraph("&l11;"), head=LAUGHS, encoding="utf-16")
    found.append(Bite("laughs_in_utf16.docx", fixed(wide), ENTITIES))
    return found


def _word() -> list[Bite]:
    cell = "<w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>"
    deep = "<w:tbl><w:tr><w:tc>" * 60 + paragraph("bottom") + "<w:p/></w:tc></w:tr></w:tbl>" * 60
    span = '<w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr><w:p/></w:tc>'
    wide = f"<w:tbl><w:tr>{span}{cell}</w:tr></w:tbl>"
    based = '<w:style w:styleId="%s"><w:basedOn w:val="%s"/></w:style>'
    style = based % ("A", "B") + based % ("B", "A")
    named = '<w:style w:styleId="S{0}"><w:name w:val="s{0}"/></w:style>'
    counted = paragraph("x", '<w:numPr><w:ilvl w:val="9999999999999999999"/><w:numId w:val="1"/></w:numPr>')
    return [
        Bite("paragraphs.docx", lambda share: docx(paragraph("word") * int(2 * MB * share))),
        Bite("empty_paragraphs.docx", lambda share: docx("<w:p/>" * int(20 * MB * share)), None),
        Bite("runs.docx", lambda share: docx("<w:p>" + "<w:r><w:t>a</w:t></w:r>" * int(4 * MB * share) + "</w:p>")),
        Bite("long_text.docx", lambda share: docx(paragraph("word " * int(35 * MB * share)))),
        Bite("rows.docx", lambda share: docx(
            "<w:tbl>" + f"<w:tr>{cell * 5}</w:tr>" * int(300_000 * share) + "</w:tbl>")),
        Bite("tables_in_tables.docx", fixed(docx(deep)), None),
        Bite("wide_cell.docx", fixed(docx(wide)), ""),
        Bite("styles_in_a_ring.docx", fixed(docx(
            paragraph("Words in a ring.", '<w:pStyle w:val="A"/>'), styles=style)), ""),
        Bite("deep_number.docx", fixed(docx(counted)), ""),
        Bite("many_styles.docx", lambda share: docx(
            paragraph("x", '<w:pStyle w:val="S1"/>') * 2000,
            styles="".join(named.format(n) for n in range(int(50_000 * share))))),
        Bite("no_body.docx", fixed(zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<x/>"})), "."),
        Bite("workbook.docx", fixed(xlsx(sheet([["a"]]))), "."),
        Bite("forged.docx", fixed(docx(paragraph("# Not a heading") + paragraph("| a | b |") + paragraph("```"))), ""),
        Bite("heading.docx", lambda share: docx(paragraph("x" * int(10 * MB * share), '<w:outlineLvl w:val="0"/>'))),
        Bite("no_paragraphs.docx", fixed(docx(W_BODY)), ""),
    ]  # fmt: skip


def _slides() -> list[Bite]:
    many = slide("T", "word ")
    group = "<p:grpSp><p:nvGrpSpPr><p:cNvPr id='9' name='g'/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>"
    return [
        Bite("groups.pptx", fixed(pptx(slide("T", "words", more=group * 70 + "</p:grpSp>" * 70))), None),
        Bite("slides.pptx", lambda share: pptx(*[many] * int(3000 * max(share, 0.01))), None),
        Bite("long_slide.pptx", lambda share: pptx(slide("T", "word " * int(30 * MB * share)))),
        Bite("one_slide_often.pptx", lambda share: pptx(many, repeat=int(100_000 * max(share, 0.1))), None),
        Bite("picture_only.pptx", fixed(pptx(slide("", ""))), "holds no text"),
    ]


def _sheets() -> list[Bite]:
    first = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'
    far = '<row r="1"><c r="A1" t="str"><v>a</v></c></row><row r="1048576"><c r="XFD1048576" t="str"><v>b</v></c></row>'
    return [
        Bite("rows.xlsx", lambda share: xlsx(_rows(int(1_048_576 * share)))),
        Bite("far_cell.xlsx", fixed(xlsx(far)), None),
        Bite("lying_size.xlsx", fixed(xlsx('<row r="1"><c r="A1" t="str"><v>word</v></c></row>',
                                           before='<dimension ref="A1:XFD1048576"/>')), ""),
        Bite("wide_row.xlsx", lambda share: xlsx(sheet([["a"] * 16_384] * int(200 * max(share, 0.005))))),
        Bite("strings.xlsx", lambda share: xlsx(first, strings="<si><t>word</t></si>" * int(4 * MB * share)), None),
        Bite("missing_string.xlsx", fixed(xlsx(first, strings="")), "."),
        Bite("long_cell.xlsx", lambda share: xlsx(sheet([["word " * int(30 * MB * share)]]))),
        Bite("huge_number.xlsx", fixed(xlsx(
            '<row r="1"><c r="A1"><v>1e308</v></c><c r="B1"><v>1e999</v></c><c r="C1"><v>nan</v></c></row>')), None),
        Bite("same_cell.xlsx", lambda share: xlsx(
            '<row r="1">' + '<c r="A1"><v>1</v></c>' * int(3 * MB * share) + "</row>")),
        Bite("many_sheets.xlsx", lambda share: xlsx(
            *[sheet([["a", "b"], ["c", "d"]])] * int(3000 * max(share, 0.01))), None),
        Bite("no_sheets.xlsx", fixed(xlsx()), "."),
        Bite("document.xlsx", fixed(docx(paragraph("x"))), "."),
    ]  # fmt: skip


def _rows(count: int) -> str:
    row = '<row r="{0}"><c r="A{0}"><v>{0}</v></c><c r="B{0}"><v>1</v></c></row>'
    return "".join(row.format(n) for n in range(1, count + 1))


def _opendocument() -> list[Bite]:
    repeated = 'table:number-columns-repeated="2000000000"'
    table = f"<table:table><table:table-row><table:table-cell {repeated}><text:p>a</text:p></table:table-cell>"
    lists = "<text:list><text:list-item>" * 80 + "<text:p>deep</text:p>" + "</text:list-item></text:list>" * 80
    return [
        Bite("repeated.odt", fixed(odt(table + "</table:table-row></table:table>")), ""),
        Bite("spaces.odt", fixed(odt('<text:p>Some<text:s text:c="2000000000"/>words</text:p>')), ""),
        Bite("lists.odt", fixed(odt(lists)), None),
        Bite("paragraphs.odt", lambda share: odt("<text:p>word</text:p>" * int(4 * MB * share))),
        Bite("no_content.odt", fixed(zipped({"mimetype": b"x"})), "is not a .odt file"),
        Bite("encrypted.odt", fixed(odt("<text:p>x</text:p>", manifest="<encryption-data/>")), "password"),
        Bite("sheet.odt", fixed(odt("", body=ODT.replace("text>", "spreadsheet>"))), "is not an OpenDocument text"),
    ]  # fmt: skip


def _mail() -> list[Bite]:
    nested = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(3000))
    return [
        Bite("nested.eml", fixed(f"From: a@b.c\nSubject: x\n{nested}\n\nwords".encode()), None),
        Bite("messages.eml", fixed(b"From: a@b.c\nSubject: x\n" + b"Content-Type: message/rfc822\n\n" * 3000), None),
        Bite("parts.eml", lambda share: eml("--b\n\nx\n" * int(1 * MB * share), 'multipart/mixed; boundary="b"')),
        Bite("subject.eml", lambda share: b"Subject: " + b"=?utf-8?q?=41?= " * int(1 * MB * share) + b"\n\nwords"),
        Bite("headers.eml", lambda share: b"Subject: x\n" + b"To: a@b.c\n" * int(1 * MB * share) + b"\nwords"),
        Bite("addresses.eml", lambda share: b"Subject: x\nTo: " + b"a@b.c, " * int(MB * share) + b"\n\nwords"),
        Bite("comments.eml", lambda share: b"Subject: x\nTo: " + b"(" * int(MB * share) + b"\n\nwords"),
        Bite("parameters.eml", lambda share: eml("words", "text/plain; " + "a*0=b; " * int(MB * share))),
        Bite("long.eml", lambda share: eml("words. " * int(2.5 * MB * share), "text/plain")),
        Bite("html.eml", lambda share: eml("<div>" * 20_000 + "words", "text/html"), None),
        Bite("charset.eml", fixed(eml("some words of a mail", "text/plain; charset=klingon")), ""),
        Bite("codec.eml", fixed(eml("some words of a mail", "text/plain; charset=zlib_codec")), None),
        Bite("no_mail.eml", fixed(b"just some words"), "is not an email"),
    ]  # fmt: skip


def _texts() -> list[Bite]:
    notebook = {"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "markdown", "source": "word"}]}
    return [
        Bite("rows.csv", times("word,2,3\n", 2 * MB)),
        Bite("columns.csv", times("a,", 9 * MB)),
        Bite("quote.csv", times("word ", 3 * MB, '"')),
        Bite("quotes.csv", times('"', 19 * MB)),
        Bite("one_column.csv", times("word\n", 3 * MB)),
        Bite("forged.csv", fixed(b'a,b\n"# x\n## y","| c |\n|-|\n"\n'), ""),
        Bite("deep.ipynb", fixed(b"[" * 100_000), "."),
        Bite("deep_cells.ipynb", fixed(b'{"cells":' * 50_000), "."),
        Bite("numbers.ipynb", times("9", 4 * MB, '{"cells": [', "]}"), None),
        Bite("no_cells.ipynb", fixed(b'{"nbformat": 4}'), "no cells"),
        Bite("list.ipynb", fixed(b"[]"), "is not a notebook"),
        Bite("odd_cells.ipynb", fixed(
            b'{"cells": [1, {"cell_type": 5, "source": {"a": 1}}, {"source": [1, null]}]}'), ""),
        Bite("many.ipynb", lambda share: json.dumps(
            {**notebook, "cells": notebook["cells"] * int(500_000 * share)}).encode(), None),
        Bite("fences.ipynb", times("`", 5 * MB, '{"cells": [{"cell_type": "code", "source": "', '"}]}'), None),
        Bite("groups.rtf", times("{", 9 * MB, "{\\rtf1 "), None),
        Bite("words.rtf", times("word ", 3 * MB, "{\\rtf1 ", "}"), None),
        Bite("links.rtf", times('{\\field{\\*\\fldinst{HYPERLINK "', 100_000, "{\\rtf1 "), None),
        Bite("pictures.rtf", times("0", 15 * MB, "{\\rtf1 {\\pict ", "}}"), None),
        Bite("binary.rtf", fixed(b"{\\rtf1 {\\pict\\bin99999999999999 x}} words}"), None),
        Bite("unicode.rtf", fixed(b"{\\rtf1 \\u99999999? \\u-70000? \\'zz words}"), None),
        Bite("not.rtf", fixed(b"words"), "is not an RTF file"),
        Bite("titles.rst", times("a\n---\n\n", 2 * MB), None),
        Bite("adornments.rst", times("===\n", 4 * MB), None),
        Bite("levels.rst", lambda share: "".join(
            f"a\n{mark * 3}\n\n" for mark in "=-~^+*#.:_" * int(60_000 * share)).encode()),
        Bite("glued_titles.rst", times("a\n---\n", 3 * MB), None),
        Bite("roles.rst", times(":a:`b <c>` ", MB, "x ", "\n" + "=" * 100), None),
        Bite("fences.adoc", times("----\n", 3 * MB), None),
        Bite("headings.adoc", times("= a\n", 3 * MB), None),
        Bite("items.adoc", times("* a\n", 3 * MB), None),
        Bite("line.adoc", times("*", 9 * MB, "= "), None),
    ]  # fmt: skip
