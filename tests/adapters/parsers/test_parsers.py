import io
import random
import time
import zlib
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile

import pytest
from pypdf.errors import PdfStreamError

from vouch.adapters.parsers import parse, parser_for
from vouch.documents.document import Content, Parsed
from vouch.documents.formats import SUFFIXES
from vouch.errors import Unreadable


def read(path: str, data: str | bytes) -> Parsed:
    raw = data if isinstance(data, bytes) else data.encode()
    return parse(Content(path, raw, "hash"))


def kinds(parsed: Parsed) -> list[tuple[str, str]]:
    return [(b.kind, parsed.text[b.start : b.end]) for b in parsed.blocks]


def pdf(*pages: str, password: str = "", title: str = "") -> bytes:
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    font = DictionaryObject({NameObject(k): NameObject(v) for k, v in
                             {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}.items()})
    for text in pages:
        page = writer.add_blank_page(600, 800)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        stream = DecodedStreamObject()
        lines = " ".join(f"({line}) Tj 0 -14 Td" for line in text.split("\n"))
        stream.set_data(f"BT /F1 12 Tf 50 700 Td {lines} ET".encode())
        page[NameObject("/Contents")] = stream
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_markdown_keeps_its_text_and_finds_its_blocks() -> None:
    text = (
        "---\ntitle: Leave\n---\n# **Time** off {#off}\r\n\r\nTake it.\nAll of it.\n\n- one\n  - two\n\n1. three\n\n"
        "```sh\n# not a heading\n\nls\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n> quoted\n\nEnd\n===\n\n    code\n\n"
        "[ref]: http://x.y\n<table>\n<tr><td>x</td></tr>\n</table>\n"
    )
    parsed = read("a.md", text)
    assert (parsed.text, parsed.title, parsed.narrowed) == (text, "Leave", None)
    assert kinds(parsed) == [
        ("heading", "# **Time** off {#off}"), ("paragraph", "Take it.\nAll of it."), ("list", "- one\n  - two"),
        ("list", "1. three"), ("code", "```sh\n# not a heading\n\nls\n```"),
        ("table", "| a | b |\n|---|---|\n| c | d |"), ("quote", "> quoted"),
        ("heading", "End\n==="), ("code", "    code"), ("paragraph", "[ref]: http://x.y"),
        ("table", "<table>\n<tr><td>x</td></tr>\n</table>"),
    ]  # fmt: skip
    assert [(b.level, b.title) for b in parsed.blocks if b.kind == "heading"] == [(1, "Time off"), (1, "End")]


def test_the_title_comes_from_front_matter_or_heading_never_from_the_path() -> None:
    assert read("guide.md", "Text only.").title == ""
    assert read("guide.md", "## Two\n\n# One\n").title == "One"
    assert read("guide.md", "---\ntitle: 2024\n---\n# One\n").title == "2024"
    assert read("guide.md", "---\ntitle: [a\n---\n# One\n").title == "[a"
    assert read("guide.txt", "Text only.").title == ""


@pytest.mark.parametrize(
    ("front", "narrowed"),
    [
        ("access: group:people", {"group:people"}),
        ("access: [group:people, user:Ana@x.test]", {"group:people", "user:ana@x.test"}),
        ("Access: [public]", {"public"}),
        ("title: x", None),
        ("", None),
    ],
)
@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.html"])
def test_front_matter_may_narrow_access(path: str, front: str, narrowed: set[str] | None) -> None:
    parsed = read(path, f"\ufeff\n---\n{front}\n---\n<p>Body text that is long enough.</p>\n")
    assert parsed.narrowed == narrowed
    assert not any("access" in words for _, words in kinds(parsed))


@pytest.mark.parametrize(
    "front",
    [
        "access:", "access: []", "access: everyone", "access: [group:a, 5]", "access: {group: a}", "access: [a",
        "access: group:a\naccess: group:b", "access: group:a\nAccess: public", "a: &x 1\naccess: *x",
        "title: 'a\naccess: group:b", "- access: group:a", '"access": no tag', "access: group:a, group:b",
    ],
)  # fmt: skip
def test_access_that_is_not_understood_keeps_the_document_from_everybody(front: str) -> None:
    with pytest.raises(Unreadable, match="front matter"):
        read("a.md", f"---\n{front}\n---\nBody.\n")


@pytest.mark.slow
@pytest.mark.parametrize("front", [
    ("- " + "[" * 150 + "]" * 150 + "\n") * 200, ("- " + "{a: " * 60 + "1" + "}" * 60 + "\n") * 200, "[" * 60_000,
    "a: " + "[" * 5000, "title: x\n" + "? " * 60, "a: [" + "a," * 25_000 + "]",
    "a: [" + ("[" * 15 + "]" * 15 + ",") * 1900 + "]",
])  # fmt: skip
def test_front_matter_that_would_take_long_to_read_keeps_the_document_from_everybody(front: str) -> None:
    began = time.process_time()
    with pytest.raises(Unreadable, match=r"front matter, line .*(nested too deep|too many values)"):
        read("a.md", f"---\n{front}\n---\nBody.\n")
    assert time.process_time() - began < 6


@pytest.mark.parametrize("front", ["a: " + "1:" * 32_000 + "1", "a: 0x" + "f" * 60_000, "a: " + "9" * 60_000])
def test_a_number_in_front_matter_is_a_text_of_any_length(front: str) -> None:
    began = time.process_time()
    assert read("a.md", f"---\n{front}\ntitle: 0x10\n---\nBody.\n").title == "0x10"
    assert time.process_time() - began < 3


def test_what_is_no_access_tag_is_told_in_our_words() -> None:
    with pytest.raises(Unreadable, match=r"front matter: '0xfff.*' is not an access tag") as caught:
        read("a.md", f"---\naccess: 0x{'f' * 6000}\n---\nBody.\n")
    assert len(str(caught.value)) < 300


def test_front_matter_that_never_ends_is_refused_where_it_speaks_of_access() -> None:
    with pytest.raises(Unreadable, match="closing"):
        read("a.md", "---\naccess: group:a\n\nBody.\n")
    with pytest.raises(Unreadable, match="closing"):
        read("a.md", "---\naccess: group:a\n" + "x: y\n" * 20_000 + "---\nBody.\n")
    assert kinds(read("a.md", "---\n\nA rule, then text.\n")) == [("paragraph", "A rule, then text.")]
    assert read("a.md", "---\nBody.\n---\n").narrowed is None


def test_bytes_become_text_or_a_reason() -> None:
    assert read("a.txt", "\ufeffHé\n".encode()).text == "Hé\n"
    assert read("a.txt", "Hé".encode("utf-16")).text == "Hé"
    for data in (b"caf\xe9", b"x\0y", b"\xff\xfe\x00", b"\x80"):
        with pytest.raises(Unreadable):
            read("a.txt", data)


def test_plain_text_has_paragraphs() -> None:
    assert kinds(read("a.rst", "One\ntwo.\n \n\n  Three.  \n")) == [("paragraph", "One\ntwo."), ("paragraph", "Three.")]


def test_a_cell_that_names_its_own_row_names_no_column() -> None:
    page = ("<html><body><h1>Gym</h1><table><tr><th>Version</th><td>3</td></tr><tr><th>Final</th><td>yes</td></tr>"
            "</table><p>The gym is open until 22:00.</p><table><tr><td></td><th>Mon</th></tr><tr><th>Yoga</th>"
            "<td>9</td></tr></table></body></html>")
    lines = [line.strip() for line in read("a.html", page.encode()).text.split("\n") if "|" in line]
    assert lines == ["| Version | 3 |", "| Final | yes |", "|  | Mon |", "|---|---|", "| Yoga | 9 |"]


def test_html_becomes_markdown_with_tables_and_headings() -> None:
    rows = "".join(f"<tr><td>Plan {n}</td><td>{n} days</td></tr>" for n in range(4))
    page = (
        "<html><head><title>Site | Leave</title><script>var x=1</script></head><body><nav>Home</nav><article>"
        f"<h1>Leave</h1><p>{'Everybody may take leave when the manager agrees. ' * 5}</p><h2>Days</h2>"
        f"<table><tr><th>Plan</th><th>Days</th></tr>{rows}</table></article></body></html>"
    )
    parsed = read("a.html", page)
    assert parsed.title == "Leave"
    assert {"heading", "paragraph", "table"} <= {b.kind for b in parsed.blocks}
    assert "Plan 3" in parsed.text and "var x" not in parsed.text
    bare = read("a.htm", "<title>Bare page</title><body>x<script>hidden()</script>")
    assert (bare.title, bare.text) == ("Bare page", "x")


WORDS = "Everybody may take leave when the manager agrees to it in writing. "


@pytest.mark.parametrize(
    "body",
    [
        f"<div><h2>Days off</h2>{WORDS * 3}</div><div><h2>Second part</h2>{WORDS * 3}</div>",
        f"<article><ul><li><h2>Days off</h2>{WORDS * 2}</li><li><h2>Second part</h2><p>{WORDS * 2}</p></li></ul>"
        "</article>",
        f"<article><table><tr><td><h2>Days off</h2>{WORDS * 2}</td><td><h2>Second part</h2>{WORDS * 2}</td></tr>"
        f"</table><p>{WORDS * 3}</p></article>",
    ],
)
def test_headings_of_a_page_stay_apart_from_the_words_beside_them(body: str) -> None:
    parsed = read("a.html", f"<html><body>{body}</body></html>")
    assert [b.title for b in parsed.blocks if b.kind == "heading"] == ["Days off", "Second part"]
    for kind, words in kinds(parsed):
        assert kind == "heading" or not {"Days", "Second", "#"} & set(words.split()), words


def test_a_heading_without_words_beside_it_keeps_its_cell() -> None:
    rows = "<tr><th><h3>Plan</h3></th><th>Days</th></tr><tr><td>Basic</td><td>5 days</td></tr>"
    parsed = read("a.html", f"<html><body><article><p>{WORDS * 4}</p><table>{rows}</table></article></body></html>")
    assert ("table" in {b.kind for b in parsed.blocks}) and "| Basic | 5 days |" in parsed.text


def test_a_page_that_is_nested_too_deep_or_endless_is_refused_not_halved() -> None:
    for page, reason in (("<div>" * 300 + "words", "nested deeper than 256"), ("<p>" + "x" * 11_000_000, "10 MB")):
        with pytest.raises(Unreadable, match=reason):
            read("a.html", page)


def test_titles_are_short_and_can_be_stored() -> None:
    assert read("a.md", f"---\ntitle: {'x' * 5000}\n---\nBody.\n").title == "x" * 199 + "…"
    read("a.md", '---\ntitle: "\\ud800"\n---\nBody.\n').title.encode()


def test_html_in_other_encodings_is_read() -> None:
    page = '<html><head><meta charset="iso-8859-1"><title>Café</title></head><body><p>Café au lait</p></body></html>'
    assert read("a.html", page.encode("latin-1")).title == "Café"


def test_pdf_has_pages() -> None:
    parsed = read("a.pdf", pdf("First page\nsecond line", "Page two", title="Manual"))
    assert [(b.page, parsed.text[b.start : b.end].split()[0]) for b in parsed.blocks] == [(1, "First"), (2, "Page")]
    assert (parsed.title, parsed.text.count("\f")) == ("Manual", 1)


@pytest.mark.parametrize(
    ("path", "data", "reason"),
    [
        ("a.pdf", pdf("Text", password="secret"), "password"),
        ("a.pdf", pdf(""), "no text"),
        ("a.pdf", b"not a pdf", "is not a PDF"),
        ("a.pdf", b"", "is empty"),
        ("a.pdf", pdf("Text")[:200], "."),
        ("a.doc", b"PK", r".doc files are not read \(save it as .docx\)"),
        ("README", b"x", "known suffix"),
    ],
)
def test_what_cannot_be_read_says_why(path: str, data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(path, data)


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (UnicodeDecodeError("utf-8", b"ab\xff", 2, 3, "invalid start byte"), "not UTF-8 text at byte 2"),
        (ExpatError("not well-formed (invalid token): line 1, column 0"), "the XML in it is broken"),
        (SyntaxError("Start tag expected", ("a.xml", 7, 1, "")), "the XML in it is broken at its line 7"),
        (BadZipFile("Bad CRC-32 for file 'x'"), "its compressed data is damaged"),
        (zlib.error("Error -3 while decompressing data"), "its compressed data is damaged"),
        (EOFError("Ran out of input"), "it ends too early"),
        (KeyError("There is no item named 'word/styles.xml' in the archive"), "a part of it is missing"),
        (PdfStreamError("Stream has ended unexpectedly"), "it is damaged, or only a piece of a PDF"),
        (ValueError("substring not found"), "what it holds is not as its format asks (ValueError)"),
    ],
)
def test_a_reason_is_told_without_the_words_of_libraries(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, words: str
) -> None:
    def fail(_: object, content: Content) -> Parsed:
        raise failure

    monkeypatch.setattr("vouch.adapters.parsers.markdown.parser.MarkdownParser.parse", fail)
    with pytest.raises(Unreadable) as told:
        read("a.md", "x")
    assert told.value.cause == f"cannot be parsed: {words}"


def test_what_is_broken_off_says_where() -> None:
    with pytest.raises(Unreadable, match="is not a notebook: not JSON at line 2, column 3"):
        read("a.ipynb", '{"cells":\n [')
    with pytest.raises(Unreadable, match="is not a table of cells: the one that line 3 belongs to does not end"):
        read("a.csv", 'a,b\n1,2\n3,"' + "x" * 140_000)


def test_every_failure_of_a_parser_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    for failure in (RecursionError(), ValueError("odd"), AssertionError()):

        def fail(content: Content, failure: BaseException = failure) -> Parsed:
            raise failure

        monkeypatch.setattr("vouch.adapters.parsers.markdown.parser.MarkdownParser.parse", lambda self, c, f=fail: f(c))
        with pytest.raises(Unreadable):
            read("a.md", "x")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", sorted(SUFFIXES))
def test_noise_is_read_or_refused_in_bounds(suffix: str) -> None:
    rng = random.Random(suffix)
    for n in range(30):
        data = rng.randbytes(rng.randrange(400)) if n % 2 else "".join(rng.choices("<>-#|`*\n ab:[]()", k=600)).encode()
        try:
            parsed = read(f"a{suffix}", data)
        except Unreadable:
            continue
        assert all(0 <= b.start < b.end <= len(parsed.text) for b in parsed.blocks)
        parsed.text.encode()


def test_deep_nesting_ends_well() -> None:
    for data in ("> " * 5000 + "x", "<div>" * 20_000 + "x", "- " * 3000 + "x", "[" * 50_000):
        for path in ("a.md", "a.html"):
            try:
                parsed = read(path, data)
            except Unreadable as error:
                assert error.cause
                continue
            assert all(0 <= b.start < b.end <= len(parsed.text) for b in parsed.blocks)


def test_a_kind_nobody_reads_has_no_parser() -> None:
    assert parser_for("A.MD") is not None
    with pytest.raises(Unreadable, match="vouch reads"):
        parser_for("a.exe")


@pytest.mark.parametrize("path", ["a.pdf", "a.docx", "a.xlsx", "a.pptx", "a.odt", "a.rtf", "a.ipynb", "a.eml"])
def test_a_file_without_content_is_told_with_what_to_do(path: str) -> None:
    with pytest.raises(Unreadable) as told:
        read(path, b"")
    assert (told.value.cause, told.value.cure) == ("is empty", "copy it there again, or exclude it")


@pytest.mark.parametrize("path", ["a.txt", "a.md", "a.html", "a.csv"])
def test_bytes_that_no_text_has_are_told_as_such(path: str) -> None:
    with pytest.raises(Unreadable) as told:
        read(path, b"<p>one\0two</p>")
    assert "bytes of value 0, which no text has" in told.value.cause and "save it as UTF-8 text" in told.value.cure
