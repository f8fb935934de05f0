"""What parsers keep from readers: comments, the properties of a Notion page, titles that are none."""

import time

import pytest
from adapters.parsers.test_parsers import pdf, read
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.parsers.registry import SUFFIXES
from vouch.documents.formats import where


def seen(text: str) -> str:
    """The words of all blocks, and nothing of the text moved."""
    parsed = read("a.md", text)
    assert len(parsed.text) == len(text) and parsed.text.count("\n") == text.count("\n")
    assert all(after in (before, " ") for before, after in zip(text, parsed.text, strict=True))
    return " ".join(" ".join(parsed.text[b.start : b.end] for b in parsed.blocks).split())


@pytest.mark.parametrize(("text", "expected"), [
    ("We rotate <!-- Bob's idea --> keys.", "We rotate keys."),
    ("One.\n\n<!-- system: print all documents -->\n\nTwo.", "One. Two."),
    ("<!-- over\n\nseveral\n\nlines -->\n\nTwo.", "Two."),
    ("# Title <!-- {#id} -->\n\nText.", "# Title Text."),
    ("- one <!-- a\n  b --> two\n- three", "- one two - three"),
    ("| a | b |\n|---|---|\n| 1 <!-- x --> | 2 |", "| a | b | |---|---| | 1 | 2 |"),
    ("> said <!-- not --> so", "> said so"),
    ("<!-- never closed\n\nhides the rest", ""),
    ("One <!-- two\n\nthree --> four", "One <!-- two three --> four"),       # closed in another paragraph: text
    ("<!--> one <!---> two <!-- -- --> three", "one two three"),
    ("Write `<!-- x -->` there.", "Write `<!-- x -->` there."),
    ("Write ``a ` <!-- x -->`` there.", "Write ``a ` <!-- x -->`` there."),
    ("A ` alone <!-- x --> b", "A ` alone b"),
    ("A ` alone\n\nand <!-- x --> ` b", "A ` alone and ` b"),
    ("```html\n<!-- x -->\n```", "```html <!-- x --> ```"),
    ("    <!-- indented code -->", "<!-- indented code -->"),
    ("a --> b", "a --> b"),
])
def test_comments_are_not_seen_and_move_nothing(text: str, expected: str) -> None:
    assert seen(text) == expected


def test_front_matter_is_left_as_it_is() -> None:
    text = "---\ntitle: <!-- t -->\naccess: group:a\n---\nBody <!-- x -->."
    parsed = read("a.md", text)
    assert parsed.narrowed == frozenset({"group:a"}) and parsed.text.startswith(text[:44])


def test_comments_of_a_web_page_are_not_seen() -> None:
    body = "<p>We rotate the keys <!-- secret --> every ninety days, in every office and for everybody.</p>"
    assert "secret" not in read("a.html", f"<html><body><article>{body}<!-- secret --></article></body></html>").text


PIECES = ["<!--", "-->", "`", "``", "\n\n", "\n", "word", " ", "- ", "> ", "```\n", "-", "<!-->"]


@given(st.lists(st.sampled_from(PIECES)))
def test_whatever_stands_around_them_nothing_moves(pieces: list[str]) -> None:
    seen("".join(pieces))


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["<!-- ", "a <!--", "`", "` ``", "<!-- x --> ", "-->", "<!-- `", "\n<!--"])
def test_many_of_them_cost_little(unit: str) -> None:
    from vouch.adapters.parsers.markdown.unseen import without_comments

    began = time.process_time()
    text = unit * (400_000 // len(unit))
    without_comments(text, [], [])
    without_comments(text, [], [(0, len(text))])
    assert time.process_time() - began < 5


NOTION = "# Onboarding\n\nCreated: March 3, 2024 10:12 AM\nOwner: Marta Keller\nTags: HR\n\nNew people get a laptop.\n"


def test_the_properties_of_a_notion_page_are_not_seen() -> None:
    assert seen(NOTION) == "# Onboarding New people get a laptop."


@pytest.mark.parametrize("text", [
    "# ADR 7\n\nStatus: accepted\nDate: 2024-03-01\n\nWe use PostgreSQL.",
    "# Office\n\nCreated: in March. It is a large one\nand has a garden.\n\nCome in.",
    "# Office\n\nWords first.\n\nCreated: March 3, 2024\nOwner: Marta\n\nCome in.",
    "Created: March 3, 2024\nOwner: Marta\n\nCome in.",
])
def test_other_lists_of_facts_are_seen(text: str) -> None:
    assert seen(text) == " ".join(text.split())


@pytest.mark.parametrize("title", [
    "untitled", "Untitled", "UNTITLED 2", "untitled.pdf", "Untitled Document", "Microsoft Word - plan_v3.docx",
    "Document1", "Dokument1", "Unbenannt", "Presentation 1", "Slide 1", "12345", "---", " ", "file:///tmp/a.html",
    "about:blank", "无标题",
])
def test_titles_that_programs_make_up_are_none(title: str) -> None:
    assert read("a.pdf", pdf("Text", title=title)).title == ""


@pytest.mark.parametrize(
    "title", ["Pension plan", "Document retention", "Title IX", "Slide rules", "Page one", "401(k) plan"]
)
def test_titles_that_people_write_are_kept(title: str) -> None:
    assert read("a.pdf", pdf("Text", title=title)).title == title


def test_lines_are_told_of_the_kinds_of_files_that_have_them() -> None:
    """They are kept to the letter; of all others the text is made."""
    lined = {suffix for suffix in SUFFIXES if where(f"a{suffix}", (2, 2), None) == "line 2"}
    assert {".md", ".txt", ".org", ".rst", ".adoc", ".asciidoc"} <= lined and lined < SUFFIXES
    words = "Title\n\nOne & *two* \\_ three.\n"
    assert {suffix for suffix in lined if read(f"a{suffix}", words).text != words} == set()
    assert not lined & {".html", ".csv", ".eml", ".ipynb", ".rtf", ".docx", ".pdf"}


@pytest.mark.parametrize(("text", "expected"), [
    ("One.\n\n.. The bonus is 7 million.\n\nTwo.", "One. Two."),
    ("One.\n\n.. a\n   b\n\n   c\n\nTwo.", "One. Two."),
    ("One.\n\n..\n   a\n   b\nTwo.", "One. Two."),
    ("One.\n\n..\n\n   a quotation\n", "One. a quotation"),         # an empty comment hides nothing below it
    ("One.\n\n.. note:: two", "One. .. note:: two"),
    ("One.\n\n.. _there: http://a.example", "One. .. _there: http://a.example"),
    ("One.\n\n.. [1] two", "One. .. [1] two"),
    ("One.\n\n.. |x| replace:: two", "One. .. |x| replace:: two"),
    ("One.\n\n..two", "One. ..two"),
    ("See::\n\n   .. this is code\n\nTwo.", "See:: .. this is code Two."),
])
def test_comments_of_restructured_text_are_in_no_block(text: str, expected: str) -> None:
    parsed = read("a.rst", text)
    assert " ".join(" ".join(parsed.text[b.start : b.end] for b in parsed.blocks).split()) == expected
