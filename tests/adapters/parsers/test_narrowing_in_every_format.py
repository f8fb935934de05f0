"""Lines that would narrow a Markdown document are never passed over, whatever kind of file they stand in."""

import json
from collections.abc import Callable
from email.message import EmailMessage
from html import escape

import pytest
from hostile_files.office_by_hand import docx, odt, paragraph, pptx, sheet, slide, xlsx
from hostile_files.pdf_by_hand import sound

from vouch.adapters.parsers import parse, registry
from vouch.documents.document import Content, Parsed
from vouch.documents.formats import FORMATS
from vouch.errors import Unreadable

ACCESS = "access: [group:hr]"
BODY = ("The pay of all of us is listed here.", "It is changed once a year.")
FENCED = ("---", ACCESS, "---")
NEARLY = {
    "front matter": FENCED,
    "front matter with a title": ("---", "title: Pay", ACCESS, "---"),
    "tags one by one": ("---", "access:", "- group:hr", "---"),
    "no tag in it": ("---", "access: hr", "---"),
    "more than one tag": ("---", "access: [group:hr, user:ana@acme.test]", "---"),
    "never closed": ("---", "title: Pay", "access: hr"),
    "long dashes": ("—", "Access: hr", "—"),
    "on one line": (f"--- {ACCESS} ---",),
    "a bare line": (ACCESS,),
    "a bare line below others": ("Pay", "Status: draft", "Access: group:hr"),
    "wide letters": ("ａｃｃｅｓｓ： group:hr",),
}
PROSE = {
    "prose that begins so": ("Access: the building is open from eight to six.",),
    "a dialogue": ("— Access: who decides?", "— The owner."),
    "a rule and prose": ("———", "Welcome.", "Access: by the north door."),
    "out of force": (f"# {ACCESS}",),
    "far below": (*("We write it so:" for _ in range(12)), ACCESS),
}


def _mail(lines: list[str]) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["Subject"], mail["Date"] = "ana@acme.test", "Pay", "Mon, 02 Nov 2026 10:00:00 +0000"
    mail.set_content("\n".join(lines))
    return mail.as_bytes()


def _notebook(lines: list[str], kind: str = "code") -> bytes:
    return json.dumps({"cells": [{"cell_type": kind, "source": "\n".join(lines)}]}).encode()


def _text(lines: list[str]) -> bytes:
    return "\n".join(lines).encode()


def _rich(lines: list[str]) -> bytes:
    said = ["".join(c if ord(c) < 128 else f"\\u{ord(c)}?" for c in line) for line in lines]
    return ("{\\rtf1\\ansi " + "".join(f"\\pard {line}\\par " for line in said) + "}").encode()


def _html(lines: list[str]) -> bytes:
    inside = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return f"<html><head><meta charset='utf-8'></head><body>{inside}</body></html>".encode()


# A format that is new has to be written here, or its test fails.
WRITERS: dict[str, Callable[[list[str]], bytes]] = {
    "markdown": _text,
    "text": _text,
    "restructured": _text,
    "asciidoc": _text,
    "html": _html,
    "pdf": lambda lines: sound("\n".join(line.encode("cp1252", "replace").decode("latin-1") for line in lines)),
    "word": lambda lines: docx("".join(paragraph(escape(line)) for line in lines)),
    "slides": lambda lines: pptx(slide("Pay", "</a:t></a:r></a:p><a:p><a:r><a:t>".join(map(escape, lines)))),
    "sheets": lambda lines: xlsx(sheet([escape(line)] for line in lines)),
    "delimited": _text,
    "mail": _mail,
    "notebook": _notebook,
    "richtext": _rich,
    "opendocument": lambda lines: odt("".join(f"<text:p>{escape(line)}</text:p>" for line in lines)),
}
PLAIN = {"markdown", "text", "restructured", "asciidoc"}        # where front matter narrows
KINDS = [(suffix, form.name) for form in FORMATS for suffix in form.suffixes]


def read(suffix: str, form: str, lines: tuple[str, ...]) -> Parsed:
    return parse(Content(f"a{suffix}", WRITERS[form]([*lines, *BODY]), ""))


CASES = [
    pytest.param(suffix, form, said, id=f"{suffix}: {name}") for suffix, form in KINDS for name, said in NEARLY.items()
    if form != "pdf" or "".join(said).isascii()         # the font of the file written by hand has no more
]  # fmt: skip


@pytest.mark.parametrize(("suffix", "form", "said"), CASES)
def test_no_narrowing_is_passed_over(suffix: str, form: str, said: tuple[str, ...]) -> None:
    try:
        assert read(suffix, form, said).narrowed
    except Unreadable as error:
        assert "access" in str(error)
        assert error.cure
    else:
        assert form in PLAIN


# Formats that read front matter know blank lines, and are tested with them.
@pytest.mark.parametrize("said", PROSE.values(), ids=PROSE)
@pytest.mark.parametrize(("suffix", "form"), [kind for kind in KINDS if kind[1] not in {*PLAIN, "notebook"}])
def test_what_only_speaks_of_access_is_read(suffix: str, form: str, said: tuple[str, ...]) -> None:
    parsed = read(suffix, form, said)
    assert parsed.narrowed is None
    assert BODY[0].split()[-1] in parsed.text


@pytest.mark.parametrize("form", ["word", "slides", "sheets", "delimited", "mail", "pdf", "richtext", "opendocument"])
def test_a_format_that_is_not_looked_at_is_found(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: nobody looks at what a document shows first."""
    monkeypatch.setattr(registry, "refuse_shown_narrowing", lambda parsed: None)
    suffix = next(suffix for suffix, name in KINDS if name == form)
    with pytest.raises(AssertionError):
        test_no_narrowing_is_passed_over(suffix, form, FENCED)


@pytest.mark.parametrize("kind", ["code", "markdown", "raw"])
@pytest.mark.parametrize("said", [FENCED, (ACCESS,), ('"""', *FENCED, '"""'), ("%%markdown", *FENCED)])
def test_the_first_cell_with_words_counts_whatever_its_kind(kind: str, said: tuple[str, ...]) -> None:
    empty = {"cell_type": "markdown", "source": "\n"}
    cells = [empty, {"cell_type": kind, "source": "\n".join([*said, *BODY])}]
    content = Content("a.ipynb", json.dumps({"cells": cells}).encode(), "")
    if said == FENCED and kind != "code":
        assert parse(content).narrowed == {"group:hr"}
    else:
        with pytest.raises(Unreadable, match="access"):
            parse(content)


@pytest.mark.parametrize("rows", [
    "user,access\nana,group:hr\n", "access,name\ngroup:hr,ana\n", "name;access\nx;public\n",
])
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_column_named_access_is_read(rows: str, suffix: str) -> None:
    rows = rows.replace(",", "\t") if suffix == ".tsv" else rows
    assert "access" in parse(Content(f"a{suffix}", rows.encode(), "")).text


@pytest.mark.parametrize("rows", ["access,group:hr\nname,pay\nana,7\n", "access:,group:hr\nname,pay\nana,7\n"])
def test_a_cell_named_access_beside_a_tag_is_a_narrowing(rows: str) -> None:
    with pytest.raises(Unreadable, match="access"):
        parse(Content("a.csv", rows.encode(), ""))


def test_the_subject_and_the_people_of_a_mail_may_be_anything() -> None:
    data = f"From: ana@acme.test\nSubject: {ACCESS}\nTo: access: group:hr <hr@acme.test>\n\nPlease let me in.\n"
    assert "Please let me in." in parse(Content("a.eml", data.encode(), "")).text


def test_a_page_of_html_mail_counts() -> None:
    head = "From: ana@acme.test\nSubject: Pay\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n"
    with pytest.raises(Unreadable, match="access"):
        parse(Content("a.eml", head.encode() + _html([*FENCED, *BODY]), ""))


@pytest.mark.parametrize("title", ["Pay", ACCESS])
def test_titles_above_do_not_hide_it(title: str) -> None:
    heading = '<w:style w:styleId="h"><w:name w:val="heading 1"/></w:style>'
    body = paragraph(title, '<w:pStyle w:val="h"/>') + "".join(map(paragraph, ("---", "access: hr", "---", *BODY)))
    with pytest.raises(Unreadable, match="access") as caught:
        parse(Content("a.docx", docx(body, styles=heading), ""))
    assert "access.yaml" in caught.value.cure
