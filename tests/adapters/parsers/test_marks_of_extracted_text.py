"""Marks of text that vouch writes itself, and of formats read by their lines: what is shown is the document's."""

from vouch.adapters.parsers import parse
from vouch.adapters.parsers.markdown.writer import MarkdownWriter
from vouch.documents.document import Content, Parsed
from vouch.documents.text.markup import shown, without_marks


def whole(parsed: Parsed) -> str:
    text = parsed.text
    return without_marks(text, 0, len(text), parsed.markup.within(text, 0, len(text)))


def test_only_marks_of_our_own_are_hidden() -> None:
    out = MarkdownWriter()
    out.paragraph("# no *heading* of <user>\nand | this\n| is no row")
    out.item("| no **row**")
    out.item("## nor this", depth=1)
    out.markdown("**bold** and `**kept**`")
    assert whole(out.parsed()) == (
        "# no *heading* of <user>\nand | this\n| is no row\n\n- | no **row**\n  - ## nor this\n\nbold and `**kept**`"
    )


def test_lists_and_code_are_known() -> None:
    out = MarkdownWriter()
    out.paragraph("Do this:")
    for n in range(1, 6):
        out.item(f"Step {n}.", mark=f"{n}.")
        out.item("Mind the gap.", depth=1)
    out.code("a = 1\nb = 2", "python")
    out.markdown("- one\n- two")
    parsed = out.parsed()
    text = parsed.text
    assert [text[a:b] for a, b in parsed.markup.code] == ["```python\na = 1\nb = 2\n```"]
    steps, second = parsed.markup.lists
    assert [text[place:].split("\n")[0] for place in steps[:-1]] == [f"{n}. Step {n}." for n in range(1, 6)]
    assert text[: steps[-1]].endswith("Mind the gap.") and text[second[0] : second[-1]] == "- one\n- two"
    marks = parsed.markup.within(text, text.index("3. Step"), text.index("\n5. Step"))
    assert (marks.before, marks.after) == (2, 1)


def test_notebooks_show_words_without_marks_and_code_to_the_letter() -> None:
    book = b'''{"cells": [{"cell_type": "markdown", "source": "Use **this** `x*y*z`."},
               {"cell_type": "code", "source": "x *y* z"}], "nbformat": 4, "metadata": {}}'''
    parsed = parse(Content("a.ipynb", book, ""))
    assert "Use this `x*y*z`." in whole(parsed) and "x *y* z" in whole(parsed)
    [(start, end)] = parsed.markup.code
    assert parsed.text[start:end].startswith("```") and "x *y* z" in parsed.text[start:end]


def test_code_and_lists_of_other_formats_with_lines() -> None:
    rst = parse(Content("a.rst", b"Run::\n\n    a --b\n    c\n\n1. one\n2. two\n", ""))
    assert [rst.text[a:b] for a, b in rst.markup.code] == ["    a --b\n    c"]
    assert [rst.text[a] for a in rst.markup.lists[0][:-1]] == ["1", "2"]
    adoc = parse(Content("a.adoc", b"Run:\n\n----\na --b\n----\n\n* one\n* two\n", ""))
    [(start, end)] = adoc.markup.code
    marks = adoc.markup.within(adoc.text, 0, len(adoc.text))
    assert shown(adoc.text, start, end, marks) == "a --b" and len(adoc.markup.lists) == 1
