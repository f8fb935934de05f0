"""The glossary of docs/design.md is short, says each word once, and every word is one that other pages use."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
MOST = 25


def words(page: str) -> list[str]:
    section = page.split("## Words\n")[1].split("\n## ")[0]
    return re.findall(r"^\| ([a-z][^|]*?) \|", section, re.MULTILINE)[1:]


def unused(glossary: list[str], pages: list[str]) -> list[str]:
    """Those that stand in none of the pages."""
    return [word for word in glossary if not any(re.search(rf"\b{word}", page, re.IGNORECASE) for page in pages)]


def test_it_is_short_and_says_each_word_once() -> None:
    glossary = words((DOCS / "design.md").read_text(encoding="utf-8"))
    assert 15 < len(glossary) <= MOST
    assert len(set(glossary)) == len(glossary)


def test_every_word_is_used() -> None:
    design = (DOCS / "design.md").read_text(encoding="utf-8")
    rest = design.replace(design.split("## Words\n")[1].split("\n## ")[0], "")
    others = [DOCS.parent / "CONTRIBUTING.md", *(page for page in DOCS.glob("*.md") if page.name != "design.md")]
    pages = [rest, *(page.read_text(encoding="utf-8") for page in others)]
    assert unused(words(design), pages) == []
    assert unused(["flummery", "chunk"], pages) == ["flummery"]


def bare_labels(page: str) -> list[str]:
    """Lines that say label without access: a label is how relevant a passage is."""
    return [line for line in page.splitlines() if re.search(r"(?<!access )\blabels?\b", line)]


def test_who_may_read_is_an_access_label_and_never_a_label() -> None:
    design = (DOCS / "design.md").read_text(encoding="utf-8")
    permissions = " ".join(design.split("## Permissions\n")[1].split("\n## ")[0].split())
    access = " ".join((DOCS / "access.md").read_text(encoding="utf-8").split())
    assert bare_labels(permissions) == [] and "access label" in permissions
    assert bare_labels(access) == []
    assert bare_labels("the document's label") and not bare_labels("the document's access labels")
