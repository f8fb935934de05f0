"""Files that would stop, stall or swell a careless reader, made by code. `full` is the size that really bites."""

import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import pdf_by_hand as by_hand
from pdf_by_hand import CATALOG, FONT, PAGES, flate, one_page, page, pdf, stream, words

MB = 1_000_000


@dataclass(frozen=True)
class Bite:
    """A file name, its bytes at a size between 0 and 1 of the full one, and what must become of it.

    `outcome`: words of the reason, "" if it must be indexed, None if either will do.
    """

    name: str
    make: Callable[[float], bytes]
    outcome: str | None = None


def _fixed(data: bytes) -> Callable[[float], bytes]:
    return lambda share: data


def _times(unit: str, count: int, before: str = "", after: str = "") -> Callable[[float], bytes]:
    return lambda share: (before + unit * int(count * share) + after).encode()


def _noise(share: float) -> bytes:
    return random.Random(7).randbytes(int(200_000 * max(share, 0.1)))


def _deep(tag: str, depth: int = 20_000) -> Callable[[float], bytes]:
    """Always the full depth: it costs little, and less of it would not bite."""
    return lambda share: f"<{tag}>".encode() * depth + b"the words at the bottom" + f"</{tag}>".encode() * depth


def _stairs(mark: str, size: int) -> Callable[[float], bytes]:
    def make(share: float) -> bytes:
        lines, length = list[str](), 0
        while length < size * share:
            lines.append("  " * len(lines) + f"{mark}word\n")
            length += len(lines[-1])
        return "".join(lines).encode()

    return make


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x02\0\0\0" + random.Random(1).randbytes(2000)
ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + random.Random(2).randbytes(4000)
WORDS = "Every word of this page is kept. "
PAGE = f"<html><head><title>Page</title></head><body><p>{WORDS * 5}</p>%s</body></html>"


def _plain() -> list[Bite]:
    found = []
    for suffix in ("md", "txt", "html", "pdf"):
        nothing = "is empty" if suffix == "pdf" else ""
        found += [
            Bite(f"empty.{suffix}", _fixed(b""), nothing),
            Bite(f"blank.{suffix}", _fixed(b" \n\t\r\n \n"), nothing),
            Bite(f"picture.{suffix}", _fixed(PNG), "."),
            Bite(f"program.{suffix}", _fixed(ELF), "."),
            Bite(f"noise.{suffix}", _noise, "."),
            Bite(f"zeros.{suffix}", lambda share: bytes(int(19 * MB * share)), "."),
        ]
    return found


def _encodings() -> list[Bite]:
    text = "Café au lait costs four euros. " * 4
    html = '<html><head><meta charset="%s"></head><body><p>' + text + "</p></body></html>"
    return [
        Bite("utf16_without_mark.md", _fixed(text.encode("utf-16-le")), "UTF-8"),
        Bite("utf16_without_mark.html", _fixed(text.encode("utf-16-le")), "."),
        Bite("utf16_odd.txt", _fixed(b"\xff\xfe" + text.encode("utf-16-le")[:-1]), "UTF-16"),
        Bite("utf16_mark.md", _fixed(text.encode("utf-16")), ""),
        Bite("utf32.txt", _fixed(text.encode("utf-32")), "."),
        Bite("latin1.md", _fixed(text.encode("latin-1")), "not UTF-8"),
        Bite("latin1.html", _fixed((html % "iso-8859-1").encode("latin-1")), ""),
        Bite("lying.html", _fixed((html % "utf-16").encode("latin-1", "replace")), None),
        Bite("unknown_charset.html", _fixed((html % "klingon").encode("latin-1")), None),
        Bite("mixed.txt", _fixed(text.encode() + text.encode("latin-1")), "not UTF-8"),
        Bite("broken.md", _fixed(text.encode()[:4] + b"\xc3"), "not UTF-8"),
        Bite("surrogates.txt", _fixed(b"a\xed\xa0\x80b"), "not UTF-8"),
        Bite("nul.md", _fixed(b"one\0two"), "zero bytes"),
        Bite("nul.html", _fixed(b"<p>one\0two</p>"), None),
        Bite("marks.txt", _fixed("\ufeff\ufeff\u202eevil\u2069 ﷺ \U000e0041 e\u0301\u0301\u0301".encode()), ""),
        Bite("accents.txt", _times("\u0301", 9 * MB, "a"), None),
    ]


def _long_lines() -> list[Bite]:
    found = []
    for suffix in ("md", "txt", "html"):
        found += [
            Bite(f"line_50MB.{suffix}", lambda share: b"x" * (50 * MB), "larger than"),
            Bite(f"line_19MB.{suffix}", _times("x", 19 * MB), None),
            Bite(f"words_19MB.{suffix}", _times("word ", 3_800_000), None),
            Bite(f"dots.{suffix}", _times(".", 19 * MB, "a", "a"), None),
            Bite(f"newlines.{suffix}", _times("\n", 19 * MB, "a"), None),
            Bite(f"letters.{suffix}", _times("a\n\n", 6 * MB), None),
        ]
    return found


def _html() -> list[Bite]:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    found = [Bite(f"deep_{tag}.html", _deep(tag)) for tag in (
        "div", "table", "font", "blockquote", "b", "ul", "li", "p", "span", "section", "a", "svg", "form", "select",
    )]  # fmt: skip
    cells = "<table><tr><td {0}=1000000000>a</td><td {0}=65535>b</td></tr><tr><td>c</td></tr></table>"
    return [
        *found,
        Bite("deep_cells.html", _deep("table><tr><td")),
        Bite("deep_items.html", _deep("ul><li")),
        Bite("deep_quotes_in_lists.html", _deep("blockquote><ul><li")),
        Bite("attributes.html", lambda share: _attributes(int(1_000_000 * share))),
        Bite("equal_attributes.html", _times("a=1 ", MB, PAGE[:60] + "<p ", ">text</p>")),
        Bite("attribute_15MB.html", _times("x", 15 * MB, '<p title="', '">' + WORDS * 5 + "</p>")),
        Bite("entities.html", _fixed(
            f'<!DOCTYPE html [<!ENTITY l0 "ha">{laughs}]><html><body><p>{WORDS}&l11;</p></body></html>'.encode())),
        Bite("entities.xhtml", _fixed(
            ('<?xml version="1.0"?><!DOCTYPE html [<!ENTITY l0 "ha">' + laughs
             + f']><html xmlns="http://www.w3.org/1999/xhtml"><body><p>{WORDS}&l11;</p></body></html>').encode())),
        Bite("outside_entity.xhtml", _fixed(
            b'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
            b"<html><body><p>start &e; end</p></body></html>")),
        Bite("character_references.html", _times("&amp;&#x10FFFF;&#0;&bogus;", 700_000)),
        Bite("style.html", _times("p{color:red}", 1_500_000, "<style>", f"</style><p>{WORDS * 5}</p>")),
        Bite("script.html", _times("</scrip", 2_500_000, "<script>", f"</script><p>{WORDS * 5}</p>")),
        Bite("inline_styles.html", _times('<p style="a:b;c:d">x</p>', 700_000)),
        Bite("columns.html", _fixed((PAGE % cells.format("colspan")).encode())),
        Bite("rows.html", _fixed((PAGE % cells.format("rowspan")).encode())),
        Bite("many_cells.html", _times("<td>a", 3 * MB, "<table><tr>", "</table>")),
        Bite("many_rows.html", _times("<tr><td>a<td>b", 1_200_000, "<table>", "</table>")),
        Bite("wide_table.html", lambda share: _wide_table(int(1400 * share))),
        Bite("paragraphs.html", _times("<p>x", 4 * MB)),
        Bite("empty_paragraphs.html", _times("<p></p>", 2_500_000)),
        Bite("openings.html", _times("<", 15 * MB, "<p>words")),
        Bite("unclosed_tags.html", _times("<a ", 5 * MB)),
        Bite("misnested.html", _times("<b><i></b></i>", 300_000)),
        Bite("comments.html", _times("<!--", 4 * MB)),
        Bite("title.html", _times("long ", 3_500_000, "<title>", f"</title><p>{WORDS * 50}</p>")),
        Bite("links.html", _times('<a href="http://x.test/">here</a> ', 500_000)),
        Bite("formatting.html", _times("<a><b><i><u>", 20_000, "", "<p>x" * 2000)),
        Bite("frames.html", _fixed(b"<frameset><frame src='file:///etc/passwd'></frameset>")),
        Bite("pre.html", _times("<pre>\n", MB)),
        Bite("breaks.html", _times("<br>", 4 * MB, "text")),
    ]


def _attributes(count: int) -> bytes:
    return ("<p " + " ".join(f"a{n}={n}" for n in range(count)) + f">{WORDS * 5}</p>").encode()


def _wide_table(side: int) -> bytes:
    row = "<tr>" + "<td>a</td>" * side + "</tr>"
    return f"<table>{row * side}</table>".encode()


MARKDOWN = {
    "quotes": ">", "spaced_quotes": "> ", "brackets": "[", "images": "![", "links": "[a](", "angle_links": "[a](<b",
    "definitions": "[a]: b\n", "emphasis": "*a ", "strong": "**a", "stars": "*", "lines": "_", "ticks": "`",
    "spaced_ticks": "` ", "tilde_fences": "~~~\n`\n", "fences": "```\n", "dashes": "- ", "numbers": "1. ",
    "mixed_marks": "* - + 1. ", "html_blocks": "<a b='", "html_comments": "<!-- a", "cells": "a|", "table_heads":
    "a|b\n-|-\n", "rules": "---\n", "underlines": "a\n=\n", "hashes": "#", "headings": "# x\n", "code": "    x\n",
    "escapes": "\\", "entities": "&amp;", "hard_breaks": "a  \n", "footnotes": ".[1]", "braces": "{#", "returns": "\r",
}  # fmt: skip


def _markdown() -> list[Bite]:
    found = [Bite(f"{name}.md", _times(unit, 2 * MB // len(unit), "a ")) for name, unit in MARKDOWN.items()]
    heads = "|" + "a|" * 2000 + "\n|" + "-|" * 2000 + "\n"
    return [
        *found,
        Bite("nested_quotes_20000.md", _fixed(b">" * 20_000 + b" words")),
        Bite("nested_items_20000.md", _fixed(b"- " * 20_000 + b"words")),
        Bite("list_stairs.md", _stairs("- ", 19 * MB)),
        Bite("number_stairs.md", _stairs("1. ", 19 * MB)),
        Bite("quote_stairs.md", lambda share: "".join(f"{'>' * n} word\n" for n in range(int(5000 * share))).encode()),
        Bite("tick_stairs.md", lambda share: " ".join("`" * n for n in range(int(6000 * share))).encode()),
        Bite("spaces_in_heading.md", _times(" ", 19 * MB, "# a", "b")),
        Bite("wide_table.md", _times("x\n", 2 * MB, heads)),
        Bite("wide_table_rows.md", _times("|\n", 2 * MB, heads)),
        Bite("long_title.md", lambda share: _long_title(int(20_000 * share))),
    ]


def _long_title(paragraphs: int) -> bytes:
    return b"---\ntitle: " + b"x" * 60_000 + b"\n---\n" + b"Words and more words.\n\n" * paragraphs


def _front_matter() -> list[Bite]:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
    )
    body = f"\n---\n# Sound\n\n{WORDS}\n"
    made = {
        "aliases": (bomb, ""),
        "aliases_and_access": (bomb + "access: group:a\n", "aliases"),
        "merge_keys": ("a: &a {b: c}\n<<: *a\naccess: group:a", "front matter"),
        "deep": ("a: " + "[" * 30_000, ""),
        "deep_and_access": ("access: " + "[" * 30_000, "front matter"),
        "deep_maps": ("a: " + "{a: " * 12_000, ""),
        "deep_dashes": ("- " * 30_000 + "a", None),
        "huge_key": ("k" * 60_000 + ": v", ""),
        "many_keys": ("".join(f"k{n}: v\n" for n in range(6_000)), ""),
        "questions": ("? " * 30_000, None),
        "python_object": ("a: !!python/object/apply:os.system ['touch /tmp/bitten']", ""),
        "python_object_and_access": ("access: !!python/object/new:str [public]", "front matter"),
        "python_name_title": ("title: !!python/name:os.system", ""),
        "long_number": ("a: " + "9" * 60_000, ""),
        "sixty": ("a: 1" + ":1" * 30_000, ""),
        "surrogate_title": ('title: "\\ud800 half"', ""),
        "newlines": ("\n" * 60_000, ""),
        "too_long": ("x: y\n" * 20_000, None),
        "too_long_with_access": ("x: y\n" * 20_000 + "access: group:a", None),
        "never_closed_with_access": ("access: group:a\n" + "x: y\n" * 20_000, "closing"),
        "two_documents": ("a: b\n--- \naccess: group:a", None),
        "binary_title": ("title: !!binary " + "QUFB" * 10_000, ""),
    }
    found = [
        Bite(f"front_{name}.md", _fixed(f"---\n{front}{body}".encode()), outcome)
        for name, (front, outcome) in made.items()
    ]
    return [*found, Bite("front_aliases.html", _fixed(f"---\n{bomb}access: group:a\n---\n<p>x".encode()), "aliases")]


def _pdf() -> list[Bite]:
    sound = by_hand.sound("Sound words on a page")
    loop = page(resources="/Font << /F1 5 0 R >> /XObject << /X 6 0 R >>")
    again = stream(b"/X Do /X Do", "/Type /XObject /Subtype /Form /Resources << /XObject << /X 6 0 R >> >>")
    to_unicode = "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode 6 0 R >>"
    ranges = b"1 beginbfrange\n<00000000> <FFFFFFFF> <0000>\nendbfrange\n" * 50
    image = stream(b"x", "/Type /XObject /Subtype /Image /Width 1000000000 /Height 1000000000 /BitsPerComponent 16 "
                   "/ColorSpace /DeviceRGB /Filter /DCTDecode")
    return [
        Bite("truncated.pdf", _fixed(sound[: len(sound) // 2])),
        Bite("cut_tail.pdf", _fixed(sound[:-30])),
        Bite("head_only.pdf", _fixed(by_hand.HEAD), "taken apart"),
        Bite("encrypted.pdf", _fixed(_encrypted()), "password"),
        Bite("page_tree_cycle.pdf", _fixed(pdf({1: CATALOG, 2: "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"}))),
        Bite("page_tree_long_cycle.pdf", _fixed(pdf({
            1: CATALOG, 2: "<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 4 >>",
            3: "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 2 0 R] /Count 2 >>"}))),
        Bite("parent_cycle.pdf", _fixed(pdf({
            1: CATALOG, 2: "<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 2 0 R >>",
            3: "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>", 4: stream(words("words"))}))),
        Bite("page_tree_shared.pdf", _fixed(_shared_tree(30))),
        Bite("page_tree_deep.pdf", lambda share: _deep_tree(int(20_000 * share))),
        Bite("prev_loop.pdf", _fixed(pdf(
            {1: CATALOG, 2: PAGES, 3: page(), 4: stream(words("words")), 5: FONT}, "/Root 1 0 R /Prev @table"))),
        Bite("xref_nowhere.pdf", _fixed(pdf({1: CATALOG, 2: PAGES, 3: page()}, start=9_999_999))),
        Bite("xref_at_itself.pdf", _fixed(by_hand.HEAD + b"startxref\n15\n%%EOF\n")),
        Bite("xref_huge.pdf", _fixed(
            by_hand.HEAD + b"xref\n0 2000000000\n" + b"0000000000 65535 f \n" * 50 + b"trailer\n<< /Root 1 0 R >>\n"
            b"startxref\n15\n%%EOF\n")),
        Bite("xref_stream_loop.pdf", _fixed(_xref_stream(f"/Prev {len(by_hand.HEAD)}"))),
        Bite("xref_stream_size.pdf", _fixed(_xref_stream("/Index [0 2000000000]"))),
        Bite("object_stream_loop.pdf", _fixed(_object_stream_loop())),
        Bite("object_cycle.pdf", _fixed(pdf({1: "2 0 R", 2: "1 0 R"}))),
        Bite("length_cycle.pdf", _fixed(one_page(b"<< /Length 4 0 R >>\nstream\n" + words("x") + b"\nendstream"))),
        Bite("form_in_itself.pdf", _fixed(pdf(
            {1: CATALOG, 2: PAGES, 3: loop, 4: stream(b"/X Do"), 5: FONT, 6: again}))),
        Bite("forms_doubling.pdf", _fixed(_doubling_forms(30))),
        Bite("flate_1000.pdf", lambda share: one_page(flate(b" " * int(600 * MB * share)))),
        Bite("flate_twice.pdf", lambda share: one_page(flate(b" " * int(600 * MB * share), 2))),
        Bite("flate_text.pdf", lambda share: one_page(flate(b"BT /F1 12 Tf " + b"(word) Tj " * int(6 * MB * share)))),
        Bite("filters_1000.pdf", _fixed(one_page(flate(words("words"), 1000)))),
        Bite("filters_wrong.pdf", _fixed(one_page(stream(b"x" * 1000, f"/Filter [{'/ASCIIHexDecode ' * 50_000}]")))),
        Bite("run_length.pdf", lambda share: one_page(
            stream(zlib.compress(b"\x81 " * int(4 * MB * share)), "/Filter [/FlateDecode /RunLengthDecode]"))),
        Bite("lzw.pdf", _fixed(one_page(stream(_noise(1), "/Filter /LZWDecode")))),
        Bite("predictor.pdf", _fixed(one_page(stream(
            zlib.compress(bytes(100_000)),
            "/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 2000000000 /Colors 32 >>")))),
        Bite("image.pdf", _fixed(one_page(stream(words("Words beside it") + b" /X Do"), {6: image},
                                          resources="/Font << /F1 5 0 R >> /XObject << /X 6 0 R >>")), ""),
        Bite("million_pages.pdf", _fixed(pdf(
            {1: CATALOG, 2: "<< /Type /Pages /Kids [3 0 R] /Count 1000000 >>", 3: page(),
             4: stream(words("words")), 5: FONT})), ""),
        Bite("one_page_often.pdf", lambda share: pdf(
            {1: CATALOG, 2: f"<< /Type /Pages /Kids [{'3 0 R ' * int(1_000_000 * share)}] /Count 1000000 >>",
             3: page(), 4: stream(words("words")), 5: FONT})),
        Bite("one_stream_often.pdf", lambda share: one_page(
            stream(words("words " * 100)), contents="[" + "4 0 R " * int(500_000 * share) + "]")),
        Bite("content_18MB.pdf", lambda share: one_page(
            stream(b"BT /F1 12 Tf " + b"(word) Tj " * int(1_800_000 * share) + b"ET"))),
        Bite("operators.pdf", _times("q ", 9 * MB, one_page(b"@").decode("latin-1").split("@")[0] +
                                     "<< /Length 18000000 >>\nstream\n", "\nendstream")),
        Bite("open_arrays.pdf", lambda share: one_page(stream(b"[" * int(5 * MB * share)))),
        Bite("open_dictionaries.pdf", lambda share: one_page(stream(b"<<" * int(2 * MB * share)))),
        Bite("open_strings.pdf", lambda share: one_page(stream(b"(" * int(10 * MB * share)))),
        Bite("deep_object.pdf", lambda share: one_page(
            stream(words("x")), {6: b"[" * 100_000 + b"]" * 100_000}, resources="/Font 6 0 R")),
        Bite("inline_image.pdf", lambda share: one_page(stream(b"BI /W 1 ID " + b"EI" * int(5 * MB * share)))),
        Bite("unicode_map.pdf", _fixed(pdf(
            {1: CATALOG, 2: PAGES, 3: page(), 4: stream(b"BT /F1 12 Tf <0041> Tj ET"), 5: to_unicode,
             6: stream(ranges)}))),
        Bite("widths.pdf", _fixed(pdf(
            {1: CATALOG, 2: PAGES, 3: page(), 4: stream(words("words")),
             5: "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [6 0 R] >>",
             6: "<< /Type /Font /Subtype /CIDFontType2 /W [0 2000000000 500] >>"}))),
        Bite("title.pdf", lambda share: pdf(
            {1: CATALOG, 2: PAGES, 3: page(), 4: stream(words("words " * 50)), 5: FONT,
             6: f"<< /Title ({'T' * int(15 * MB * share)}) >>"}, "/Root 1 0 R /Info 6 0 R")),
        Bite("no_pages.pdf", _fixed(pdf({1: CATALOG, 2: "<< /Type /Pages /Kids [] /Count 0 >>"})), "no text"),
        Bite("end_marks.pdf", _times("%%EOF\n", 3 * MB, "%PDF-1.4\n")),
        Bite("numbers.pdf", _times("1 0 obj\n", 2 * MB, "%PDF-1.4\n")),
    ]  # fmt: skip


def _encrypted() -> bytes:
    import io

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(PdfReader(io.BytesIO(by_hand.sound("Secret words"))))
    writer.encrypt("secret")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _shared_tree(depth: int) -> bytes:
    """2 ** depth pages by sharing: each level names the next one twice."""
    objects: dict[int, bytes | str] = {1: CATALOG}
    for n in range(2, depth + 2):
        objects[n] = f"<< /Type /Pages /Kids [{n + 1} 0 R {n + 1} 0 R] /Count {2 ** (depth + 2 - n)} >>"
    objects[depth + 2] = "<< /Type /Page /MediaBox [0 0 9 9] >>"
    return pdf(objects)


def _deep_tree(depth: int) -> bytes:
    objects: dict[int, bytes | str] = {1: CATALOG}
    for n in range(2, depth + 2):
        objects[n] = f"<< /Type /Pages /Kids [{n + 1} 0 R] /Count 1 >>"
    objects[depth + 2] = "<< /Type /Page /MediaBox [0 0 9 9] >>"
    return pdf(objects)


def _doubling_forms(depth: int) -> bytes:
    """A form that draws the next one twice, and so on: 2 ** depth times the words."""
    objects: dict[int, bytes | str] = {
        1: CATALOG, 2: PAGES, 3: page(resources="/Font << /F1 5 0 R >> /XObject << /X 6 0 R >>"),
        4: stream(b"/X Do"), 5: FONT,
    }  # fmt: skip
    for n in range(6, 6 + depth):
        objects[n] = stream(b"/X Do /X Do", f"/Type /XObject /Subtype /Form /Resources << /XObject << /X {n + 1} 0 R"
                            " >> >>")
    objects[6 + depth] = stream(words("ha"), "/Type /XObject /Subtype /Form /Resources << /Font << /F1 5 0 R >> >>")
    return pdf(objects)


def _xref_stream(entries: str) -> bytes:
    facts = f"/Type /XRef /W [1 2 1] /Size 10 /Root 1 0 R /Filter /FlateDecode {entries}"
    table = stream(zlib.compress(bytes(40)), facts)
    return by_hand.HEAD + b"9 0 obj\n" + table + f"\nendobj\nstartxref\n{len(by_hand.HEAD)}\n%%EOF\n".encode()


def _object_stream_loop() -> bytes:
    """The catalogue is said to lie in stream 8, which is said to lie in itself."""
    out = bytearray(by_hand.HEAD)
    out += b"8 0 obj\n" + stream(b"1 0 << /Type /Catalog /Pages 2 0 R >>", "/Type /ObjStm /N 1 /First 4 /Extends 8 0 R")
    out += b"\nendobj\n"
    table = len(out)
    rows = b"".join(bytes([kind]) + a.to_bytes(2, "big") + bytes([b]) for kind, a, b in (
        (0, 0, 0), (2, 8, 0), (2, 8, 1), (2, 8, 2), (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0), (2, 8, 3),
        (1, table, 0)))
    out += b"9 0 obj\n" + stream(rows, "/Type /XRef /W [1 2 1] /Size 10 /Root 1 0 R") + b"\nendobj\n"
    out += f"startxref\n{table}\n%%EOF\n".encode()
    return bytes(out)


def all_bites() -> list[Bite]:
    return [*_plain(), *_encodings(), *_long_lines(), *_html(), *_markdown(), *_front_matter(), *_pdf()]
