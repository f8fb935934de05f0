"""Owners in an access file and in front matter: a mistake in them costs owners, never readers."""

from pathlib import Path

import pytest

from vouch.access import OwnerBook, OwnerRule, RuleBook
from vouch.adapters.access.files import read_rules
from vouch.adapters.parsers.narrowing.front_matter import split_front_matter

RULES = 'rules:\n  - {match: "**", allow: [public]}\n'


def read(tmp_path: Path, owners: str) -> RuleBook:
    path = tmp_path / "access.yaml"
    path.write_text(RULES + owners)
    return read_rules(path)


def test_the_last_entry_that_matches_names_the_owners(tmp_path: Path) -> None:
    book = read(tmp_path, """owners:
  - {match: "**", owners: group:handbook}
  - {match: "people/**", owners: ["group:people", "user:Ben@acme.test"]}
  - {match: "people/old/**", owners: []}
""")
    assert book.allowed("people/pay.md") == {"public"} and not book.owners.broken
    assert book.owners.owners_of("a.md") == {"group:handbook"}
    assert book.owners.owners_of("people/pay.md") == {"group:people", "user:ben@acme.test"}
    assert book.owners.owners_of("people/old/pay.md") == frozenset()


@pytest.mark.parametrize(("owners", "cause"), [
    ("owners: everybody\n", "owners: expected a list"),
    ("owners: [{match: '**'}]\n", "owners 1: needs both match and owners"),
    ("owners: [{match: people/, owners: group:people}]\n", "names a folder"),
    ("owners: [{match: '**', owners: ana}]\n", "'ana' is not an access tag"),
    ("owners: [{match: '**', owners: public}]\n", "owners 1: public is nobody who looks after a document"),
    ("owners: [" + "{match: '**', owners: []}," * 1001 + "]\n", "at most 1,000 are read"),
    ("owners: [" + f"{{match: '{'*a' * 1001}.md', owners: []}}," * 10 + "]\n", "more than 10,000"),
])
def test_a_mistake_in_the_owners_closes_nothing(tmp_path: Path, owners: str, cause: str) -> None:
    book = read(tmp_path, owners)
    assert book.allowed("a.md") == {"public"} and not book.broken
    assert cause in book.owners.broken and book.owners.owners_of("a.md") == frozenset()


def test_a_file_without_owners_names_nobody(tmp_path: Path) -> None:
    assert read(tmp_path, "").owners == OwnerBook() == read(tmp_path, "owners:\n").owners
    assert RuleBook((), "", OwnerBook((OwnerRule("**", frozenset()),))).absent, "owners are no rules"


@pytest.mark.parametrize(("line", "owners"), [
    ("owner: user:Ana@acme.test", {"user:ana@acme.test"}),
    ("owner: ana@acme.test", {"user:ana@acme.test"}),
    ("owners: [group:people, ben@acme.test]", {"group:people", "user:ben@acme.test"}),
    ("owner: Ana Ruiz\nowners: [3, null, {a: b}, public, group:people]", {"group:people"}),
    ("owner:", set()),
    ("owners: [" + "group:g," * 25 + "]", {"group:g"}),
])
def test_front_matter_states_owners_and_odd_ones_are_passed_over(line: str, owners: set[str]) -> None:
    found = split_front_matter(f"---\ntitle: T\n{line}\n---\nText\n")
    assert (found.title, found.owners, found.narrowed) == ("T", owners, None)


def test_an_owner_is_no_narrowing() -> None:
    found = split_front_matter("---\naccess: [group:people]\nowner: user:ana@acme.test\n---\nText\n")
    assert found.narrowed == {"group:people"} and found.owners == {"user:ana@acme.test"}
