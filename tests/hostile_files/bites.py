"""Files that would stop, stall or swell a careless reader, made by code. `full` is the size that really bites."""

import random

from hostile_files.bite import MB, Bite, deep, fixed, noise, stairs, times
from hostile_files.bites_in_office import office_bites
from hostile_files.bites_in_pdf import pdf_bites

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x02\0\0\0" + random.Random(1).randbytes(2000)
ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + random.Random(2).randbytes(4000)
WORDS = "Every word of this page is kept. "
PAGE = f"<html><head><title>Page</title></head><body><p>{WORDS * 5}</p>%s</body></html>"


NOTHING = dict.fromkeys(("md", "txt", "html", "csv", "rst", "adoc"), "")    # what an empty file of these becomes


def _plain() -> list[Bite]:
    found = []
    for suffix in (*NOTHING, "pdf", "docx", "pptx", "xlsx", "odt", "rtf", "ipynb", "eml"):
        nothing = NOTHING.get(suffix, "is empty")
        found += [
            Bite(f"empty.{suffix}", fixed(b""), nothing),
            Bite(f"blank.{suffix}", fixed(b" \n\t\r\n \n"), nothing),
            Bite(f"picture.{suffix}", fixed(PNG), "."),
            Bite(f"program.{suffix}", fixed(ELF), "."),
            Bite(f"noise.{suffix}", noise, "."),
            Bite(f"zeros.{suffix}", lambda share: bytes(int(19 * MB * share)), "."),
        ]
    return found


def _encodings() -> list[Bite]:
    text = "Café au lait costs four euros. " * 4
    html = '<html><head><meta charset="%s"></head><body><p>' + text + "</p></body></html>"
    return [
        Bite("utf16_without_mark.md", fixed(text.encode("utf-16-le")), "UTF-8"),
        Bite("utf16_without_mark.html", fixed(text.encode("utf-16-le")), "."),
        Bite("utf16_odd.txt", fixed(b"\xff\xfe" + text.encode("utf-16-le")[:-1]), "UTF-16"),
        Bite("utf16_mark.md", fixed(text.encode("utf-16")), ""),
        Bite("utf32.txt", fixed(text.encode("utf-32")), "."),
        Bite("latin1.md", fixed(text.encode("latin-1")), ""),
        Bite("dos.txt", fixed(text.encode("cp850")), "cannot be determined"),
        Bite("macintosh.txt", fixed(text.encode("mac_roman")), "cannot be determined"),
        Bite("japanese.txt", fixed(("すべての従業員は休暇の申請をする。" * 9).encode("euc_jp")),
             "cannot be determined"),
        Bite("latin1.html", fixed((html % "iso-8859-1").encode("latin-1")), ""),
        Bite("lying.html", fixed((html % "utf-16").encode("latin-1", "replace")), None),
        Bite("unknown_charset.html", fixed((html % "klingon").encode("latin-1")), None),
        Bite("mixed.txt", fixed(text.encode() + text.encode("latin-1")), "not UTF-8"),
        Bite("broken.md", fixed(text.encode()[:4] + b"\xc3"), "not UTF-8"),
        Bite("surrogates.txt", fixed(b"a\xed\xa0\x80b"), "not UTF-8"),
        Bite("nul.md", fixed(b"one\0two"), "bytes of value 0"),
        Bite("nul.html", fixed(b"<p>one\0two</p>"), None),
        Bite("marks.txt", fixed("\ufeff\ufeff\u202eevil\u2069 ﷺ \U000e0041 e\u0301\u0301\u0301".encode()), ""),
        Bite("accents.txt", times("\u0301", 9 * MB, "a"), None),
    ]


def _long_lines() -> list[Bite]:
    found = []
    for suffix in ("md", "txt", "html"):
        found += [
            Bite(f"line_50MB.{suffix}", lambda share: b"x" * (50 * MB), "larger than"),
            Bite(f"line_19MB.{suffix}", times("x", 19 * MB), None),
            Bite(f"words_19MB.{suffix}", times("word ", 3_800_000), None),
            Bite(f"dots.{suffix}", times(".", 19 * MB, "a", "a"), None),
            Bite(f"newlines.{suffix}", times("\n", 19 * MB, "a"), None),
            Bite(f"letters.{suffix}", times("a\n\n", 6 * MB), None),
        ]
    return found


def _html() -> list[Bite]:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    found = [Bite(f"deep_{tag}.html", deep(tag)) for tag in (
        "div", "table", "font", "blockquote", "b", "ul", "li", "p", "span", "section", "a", "svg", "form", "select",
    )]  # fmt: skip
    cells = "<table><tr><td {0}=1000000000>a</td><td {0}=65535>b</td></tr><tr><td>c</td></tr></table>"
    return [
        *found,
        Bite("deep_cells.html", deep("table><tr><td")),
        Bite("deep_items.html", deep("ul><li")),
        Bite("deep_quotes_in_lists.html", deep("blockquote><ul><li")),
        Bite("attributes.html", lambda share: _attributes(int(1_000_000 * share))),
        Bite("equal_attributes.html", times("a=1 ", MB, PAGE[:60] + "<p ", ">text</p>")),
        Bite("attribute_15MB.html", times("x", 15 * MB, '<p title="', '">' + WORDS * 5 + "</p>")),
        Bite("entities.html", fixed(
            f'<!DOCTYPE html [<!ENTITY l0 "ha">{laughs}]><html><body><p>{WORDS}&l11;</p></body></html>'.encode())),
        Bite("entities.xhtml", fixed(
            ('<?xml version="1.0"?><!DOCTYPE html [<!ENTITY l0 "ha">' + laughs
             + f']><html xmlns="http://www.w3.org/1999/xhtml"><body><p>{WORDS}&l11;</p></body></html>').encode())),
        Bite("outside_entity.xhtml", fixed(
            b'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
            b"<html><body><p>start &e; end</p></body></html>")),
        Bite("character_references.html", times("&amp;&#x10FFFF;&#0;&bogus;", 700_000)),
        Bite("style.html", times("p{color:red}", 1_500_000, "<style>", f"</style><p>{WORDS * 5}</p>")),
        Bite("script.html", times("</scrip", 2_500_000, "<script>", f"</script><p>{WORDS * 5}</p>")),
        Bite("inline_styles.html", times('<p style="a:b;c:d">x</p>', 700_000)),
        Bite("columns.html", fixed((PAGE % cells.format("colspan")).encode())),
        Bite("rows.html", fixed((PAGE % cells.format("rowspan")).encode())),
        Bite("many_cells.html", times("<td>a", 3 * MB, "<table><tr>", "</table>")),
        Bite("many_rows.html", times("<tr><td>a<td>b", 1_200_000, "<table>", "</table>")),
        Bite("wide_table.html", lambda share: _wide_table(int(1400 * share))),
        Bite("paragraphs.html", times("<p>x", 4 * MB)),
        Bite("empty_paragraphs.html", times("<p></p>", 2_500_000)),
        Bite("openings.html", times("<", 15 * MB, "<p>words")),
        Bite("unclosed_tags.html", times("<a ", 5 * MB)),
        Bite("misnested.html", times("<b><i></b></i>", 300_000)),
        Bite("comments.html", times("<!--", 4 * MB)),
        Bite("title.html", times("long ", 3_500_000, "<title>", f"</title><p>{WORDS * 50}</p>")),
        Bite("links.html", times('<a href="http://x.test/">here</a> ', 500_000)),
        Bite("formatting.html", times("<a><b><i><u>", 20_000, "", "<p>x" * 2000)),
        Bite("frames.html", fixed(b"<frameset><frame src='file:///etc/passwd'></frameset>")),
        Bite("pre.html", times("<pre>\n", MB)),
        Bite("breaks.html", times("<br>", 4 * MB, "text")),
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
    found = [Bite(f"{name}.md", times(unit, 2 * MB // len(unit), "a ")) for name, unit in MARKDOWN.items()]
    heads = "|" + "a|" * 2000 + "\n|" + "-|" * 2000 + "\n"
    return [
        *found,
        Bite("nested_quotes_20000.md", fixed(b">" * 20_000 + b" words")),
        Bite("nested_items_20000.md", fixed(b"- " * 20_000 + b"words")),
        Bite("list_stairs.md", stairs("- ", 19 * MB)),
        Bite("number_stairs.md", stairs("1. ", 19 * MB)),
        Bite("quote_stairs.md", lambda share: "".join(f"{'>' * n} word\n" for n in range(int(5000 * share))).encode()),
        Bite("tick_stairs.md", lambda share: " ".join("`" * n for n in range(int(6000 * share))).encode()),
        Bite("spaces_in_heading.md", times(" ", 19 * MB, "# a", "b")),
        Bite("wide_table.md", times("x\n", 2 * MB, heads)),
        Bite("wide_table_rows.md", times("|\n", 2 * MB, heads)),
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
        "deep": ("a: " + "[" * 30_000, "nested too deep"),
        "deep_and_access": ("access: " + "[" * 30_000, "front matter"),
        "deep_maps": ("a: " + "{a: " * 12_000, "nested too deep"),
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
        Bite(f"front_{name}.md", fixed(f"---\n{front}{body}".encode()), outcome)
        for name, (front, outcome) in made.items()
    ]
    return [*found, Bite("front_aliases.html", fixed(f"---\n{bomb}access: group:a\n---\n<p>x".encode()), "aliases")]


def all_bites() -> list[Bite]:
    of_text = [*_plain(), *_encodings(), *_long_lines(), *_html(), *_markdown(), *_front_matter()]
    return [*of_text, *pdf_bites(), *office_bites()]
