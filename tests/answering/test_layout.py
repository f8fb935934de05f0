"""How answers are laid out: titles where several documents are quoted, doubt in front, places that can be found."""

from collections.abc import Callable
from typing import Any

import pytest
from homes.small_world import passage

from vouch.answering.answer_text import (
    DOUBTED,
    NOTHING,
    UNSURE,
    apart,
    by_document,
    declined,
    flowing,
    is_near,
    listed,
    place,
    title_of,
)
from vouch.answering.verification.citations import Citation, Sentence, Verified
from vouch.documents.formats import shown_path, where
from vouch.values.candidate import Candidate

HASH = "0123456789abcdef0123456789abcdef"


def verified(*sentences: tuple[str, dict[str, Any]]) -> Verified:
    citations = [Citation(n, passage(text, **values), 0, len(text)) for n, (text, values) in enumerate(sentences, 1)]
    return Verified(tuple(Sentence(c.quote, (c.number,), 1.0) for c in citations), tuple(citations), ())


OLD = {"path": "old.md", "title": "Parking (2021)"}
NEW = {"path": "new.md", "title": "Parking"}
BOTH = verified(("There are 9 places.", OLD), ("There are 14 places.", NEW), ("In the yard.", OLD))


def test_quotations_of_one_document_are_one_text() -> None:
    assert by_document(verified(("One.", OLD), ("Two.", OLD))) == "One. [1] Two. [2]"


def test_quotations_of_several_stand_under_their_titles() -> None:
    assert by_document(BOTH) == (
        "Parking (2021):\nThere are 9 places. [1] In the yard. [3]\n\nParking:\nThere are 14 places. [2]"
    )


def test_equal_titles_are_told_apart_by_the_path() -> None:
    told = by_document(verified(("One.", OLD), ("Two.", {**NEW, "title": "Parking (2021)"})))
    assert told == "Parking (2021) (old.md):\nOne. [1]\n\nParking (2021) (new.md):\nTwo. [2]"


def test_doubt_stands_in_front() -> None:
    assert apart(BOTH) == (
        f"{UNSURE}\n\nParking (2021):\n- There are 9 places. [1]\n- In the yard. [3]\n\n"
        "Parking:\n- There are 14 places. [2]"
    )
    assert UNSURE == "I found no clear answer. The nearest passages are:"
    assert listed(verified(("One.", OLD)), unsure=True) == f"{UNSURE}\n\n- Parking (2021): One. [1]"
    assert listed(verified(("One.", OLD)), unsure=False) == "- Parking (2021): One. [1]"
    assert flowing(BOTH, unsure=True).startswith(f"{DOUBTED}\n\nThere are 9 places. [1] There")


CODE = "Run it:\n```sh\n- x\n```"
STEPS = "1. One.\n2. Two."
LAID = verified(("There are 9 places.", OLD), (CODE, OLD), (STEPS, NEW), ("In the yard.", NEW))


def test_lists_and_code_stand_on_lines_of_their_own_under_a_title() -> None:
    code, steps = f"{CODE}\n[2]", f"{STEPS} [3]"
    assert by_document(LAID) == (
        f"Parking (2021):\nThere are 9 places. [1]\n\n{code}\n\nParking:\n\n{steps}\n\nIn the yard. [4]"
    )
    assert apart(LAID) == (
        f"{UNSURE}\n\nParking (2021):\n- There are 9 places. [1]\n\n{code}\n\n"
        f"Parking:\n\n{steps}\n\n- In the yard. [4]"
    )


@pytest.mark.parametrize("lay", [by_document, apart])
def test_a_reader_of_markdown_finds_the_code_as_one_block(lay: Callable[[Verified], str]) -> None:
    from markdown_it import MarkdownIt

    found = [token for token in MarkdownIt("commonmark").parse(lay(LAID)) if token.type == "fence"]
    assert [(token.content, token.level) for token in found] == [("- x\n", 0)]


@pytest.mark.parametrize(("values", "told"), [
    ({"path": "it/vpn.md", "section": ("VPN", "Key rotation")}, "handbook:it/vpn.md, “Key rotation”"),
    ({"path": "it/vpn.html", "section": ()}, "handbook:it/vpn.html, “A”"),
    ({"path": "plan.pdf", "page": 2, "title": "", "section": ()}, "handbook:plan.pdf, page 2"),
    ({"path": f"Team {HASH}/Onboarding {HASH}.md", "section": ("X",)}, "handbook:Team/Onboarding.md, “X”"),
    ({"path": "a.md", "section": ("Go to evil.example now",)}, "handbook:a.md, “Go to now”"),
    ({"path": "a\u202e.md", "section": ("\u200b",)}, "handbook:a.md"),
])
def test_a_decline_names_the_document_and_the_heading(values: dict[str, Any], told: str) -> None:
    closest = Candidate(passage("Words.", **values))
    assert place(closest.passage) == told
    assert declined(closest, ()) == f"{NOTHING} The closest passage is in {told}."


def test_gibberish_names_nothing() -> None:
    assert not is_near(Candidate(passage("Words."), features={"coverage": 0.0}))
    assert is_near(Candidate(passage("Words."), features={"coverage": 0.3}))
    assert declined(None, ()) == NOTHING


@pytest.mark.parametrize(("path", "shown"), [
    (f"Onboarding {HASH}.md", "Onboarding.md"), (f"A {HASH}/B {HASH}/C.md", "A/B/C.md"), (f"{HASH}.md", f"{HASH}.md"),
    (f"Onboarding {HASH} 2.md", f"Onboarding {HASH} 2.md"), ("a.md", "a.md"), (f"Team {HASH}", "Team"),
])
def test_digits_of_an_export_are_not_shown(path: str, shown: str) -> None:
    assert shown_path(path) == shown


def test_a_document_without_a_title_has_the_name_of_its_file() -> None:
    assert title_of(passage("x", title="", path="hr/pension-plan.pdf")) == "pension-plan.pdf"
    assert title_of(passage("x", title=f"Onboarding {HASH}", path="a.md")) == "Onboarding"


def test_places_are_such_as_readers_find() -> None:
    assert where("a.md", (3, 5), None) == "lines 3-5" and where("a.TXT", (3, 3), None) == "line 3"
    assert where("a.pdf", (3, 5), 2) == "page 2" and where("a.html", (3, 5), None) == ""
