"""Parsers by themselves, without the child they run in: who may read, tables, pages."""

import pytest

from vouch.adapters.parsers.narrowing.front_matter import split_front_matter
from vouch.adapters.parsers.narrowing.nearly_narrowed import refuse_nearly_narrowed
from vouch.adapters.parsers.tables.delimited import DelimitedParser
from vouch.adapters.parsers.web.html import HtmlParser
from vouch.documents.document import Content
from vouch.errors import Unreadable


def test_front_matter_narrows_and_what_is_nearly_it_is_refused() -> None:
    top = "---\ntitle: Pay\naccess: [group:hr, user:Ana@acme.test]\n---\n"
    found = split_front_matter(f"{top}# Pay bands\n")
    assert (found.title, found.narrowed, found.end) == ("Pay", {"group:hr", "user:ana@acme.test"}, len(top))
    assert split_front_matter("# Pay bands\n").narrowed is None
    for nearly in ("–––\naccess: group:hr\n–––\n", "access: [group:hr]\n\nPay.\n", "+++\naccess = 'group:hr'\n+++\n"):
        with pytest.raises(Unreadable, match="look like an access: line"):
            refuse_nearly_narrowed(nearly)


def test_a_delimited_file_is_one_table() -> None:
    parsed = DelimitedParser().parse(Content("rates.csv", b"city;rate\nPorto;84\n", ""))
    assert [block.kind for block in parsed.blocks] == ["table"]
    assert parsed.text.splitlines() == ["| city | rate |", "|-|-|", "| Porto | 84 |"]


def test_a_page_has_its_headings_and_none_of_its_scripts() -> None:
    page = b"<html><body><h1>Leave</h1><p>Parents get <b>twelve</b> weeks.</p><script>steal()</script></body></html>"
    parsed = HtmlParser().parse(Content("leave.html", page, ""))
    assert parsed.title == "Leave" and "twelve" in parsed.text and "steal" not in parsed.text
    assert [block.title for block in parsed.blocks if block.kind == "heading"] == ["Leave"]


def test_a_short_page_keeps_its_form_and_none_of_its_menus() -> None:
    page = (b"<html><body><nav><ul><li><a href='/'>Home</a></li><li><a href='/x'>Contact</a></li></ul></nav><main>"
            b"<h1>Travel</h1><p>Book <b>early</b>.</p><ol><li>Ask your lead.</li><li>Book the train.</li></ol></main>"
            b"<footer>Acme 2026</footer></body></html>")
    parsed = HtmlParser().parse(Content("travel.html", page, ""))
    assert parsed.text == "# Travel\n\nBook **early**.\n\n1. Ask your lead.\n2. Book the train."
    only = b"<html><body><nav><a href='/'>Home page</a></nav></body></html>"
    menu = HtmlParser().parse(Content("index.html", only, ""))
    assert "Home page" in menu.text


def test_words_outside_of_what_looks_like_the_article_are_not_lost() -> None:
    rest = " ".join(f"<div><span>Rule {n} says something of its own.</span></div>" for n in range(40))
    page = f"<html><body><article><p>Read all of this.</p></article>{rest}</body></html>"
    text = HtmlParser().parse(Content("rules.html", page.encode(), "")).text
    assert "Rule 0 says" in text and "Rule 39 says" in text


@pytest.mark.parametrize(("page", "title"), [
    ("<header><h1>Pay</h1></header><p>Payroll sends Pay slips on the last day of each month.</p>", "Pay"),
    ("<h1>Leave <em>policy</em></h1><p>Parents get twelve weeks of leave, and others get six.</p>", "Leave policy"),
    ("<form><h1>Expenses</h1><p>Send receipts within a month.</p></form><p>Footnote.</p>", "Expenses"),
    ("<object><h1>Your browser is old</h1></object><h1>Travel</h1><p>Book your trips early.</p>", "Travel"),
])  # fmt: skip
def test_the_first_heading_of_a_page_is_there_once(page: str, title: str) -> None:
    parsed = HtmlParser().parse(Content("a.html", f"<html><body>{page}</body></html>".encode(), ""))
    assert parsed.title == title
    assert [block.title for block in parsed.blocks if block.kind == "heading"] == [title], parsed.text
