"""Effective readers, against asking for every reader one by one."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from vouch.access import Directory, Permissions, Person, Rule, RuleBook, parse_tag
from vouch.access_check.directory import asked_in_vain, directory_warnings, guard_people, last_day, unknown
from vouch.access_check.rules import Readers
from vouch.access_check.sources import source_warnings, without_rules
from vouch.errors import BadAccess, Guarded

NOW = datetime(2026, 11, 22, tzinfo=UTC)
GONE = datetime(2026, 11, 22, tzinfo=UTC)
DIRECTORY = Directory(
    {"ana": Person(("eng", "sec")), "ben": Person(("leads",)), "cy": Person(("eng",), GONE), "di": Person(())},
    {"eng": ("staff",), "sec": ("staff",), "leads": ("people",), "people": ("staff",), "staff": ()},
)
RULES = RuleBook((
    Rule("**", frozenset({"public"})), Rule("people/*", frozenset({"group:people"})),
    Rule("eng/*", frozenset({"group:eng", "user:di", "user:cy"})), Rule("no/*", frozenset()),
    Rule("far/*", frozenset({"group:elsewhere"})),
))  # fmt: skip
PERMISSIONS = Permissions.settled(1, {"s": RULES, "bare": RuleBook()}, DIRECTORY)


@dataclass(frozen=True)
class Doc:
    path: str
    narrowed: frozenset[str] | None = None
    source: str = "s"
    state: str = "indexed"
    owners: frozenset[str] = frozenset()


def narrowed(path: str, *tags: str) -> Doc:
    return Doc(path, frozenset(tags))


@pytest.mark.parametrize(("document", "tags", "people"), [
    (Doc("a.md"), ["public"], ["ana", "ben", "di"]),
    (Doc("people/a.md"), ["group:people"], ["ben"]),
    (narrowed("a.md", "group:leads"), ["group:leads"], ["ben"]),
    (narrowed("people/a.md", "group:staff"), ["group:people"], ["ben"]),
    (Doc("eng/a.md"), ["group:eng", "user:di"], ["ana", "di"]),
    (narrowed("eng/a.md", "group:sec"), ["user:ana"], ["ana"]),
    (Doc("no/a.md"), [], []),
    (Doc("far/a.md"), ["group:elsewhere"], []),
    (narrowed("a.md", "group:misspelt"), ["group:misspelt"], []),
    (narrowed("a.md", "user:cy"), [], []),
    (Doc("a.md", source="bare"), [], []),
    (Doc("a.md", source="unheard of"), [], []),
])  # fmt: skip
def test_effective_readers_are_those_whom_the_label_lets_in(document, tags, people):
    may = Readers(PERMISSIONS, NOW).of(document)
    assert may.tags == tags
    assert [person.name for person in may.people] == [f"user:{name}" for name in people]
    label = PERMISSIONS.label(document.source, document.path, document.narrowed)
    for name in DIRECTORY.people:
        allowed = label.allows(DIRECTORY.reader(f"user:{name}", NOW).principals)
        assert allowed == (may.public or name in people)


def test_who_is_unknown_or_gone_is_told_with_whom_was_meant():
    told = asked_in_vain(DIRECTORY, "user:anna", NOW)
    assert told == "user:anna is not in the directory; did you mean user:ana? It reads public documents only"
    assert asked_in_vain(DIRECTORY, "user:cy", NOW) == "user:cy expired on 2026-11-21 and reads public documents only"
    assert unknown(DIRECTORY, "group:Staff") == "group:Staff is not in the directory; did you mean group:staff?"
    assert unknown(DIRECTORY, "group:zzz") == "group:zzz is not in the directory"
    assert [asked_in_vain(DIRECTORY, tag, NOW) for tag in ("public", "group:eng", "user:ana", "user:di")] == [""] * 4


def test_groups_that_are_only_held_count_where_no_group_is_listed():
    held = Directory({"ana": Person(("eng",))})
    assert unknown(held, "group:eng") == "" and list(directory_warnings(held)) == []
    wrong = Directory({"ana": Person(("enginering",))}, {"engineering": ("staf",), "staff": ()})
    assert list(directory_warnings(wrong)) == [
        "people: ana: enginering is not one of the groups in the file; did you mean engineering?",
        "groups: engineering: staf is not one of the groups in the file; did you mean staff?"]


def test_dates_are_told_as_they_were_written():
    assert last_day(datetime(2026, 11, 22, tzinfo=UTC)) == "2026-11-21"
    assert last_day(datetime.max.replace(tzinfo=UTC)) == "9999-12-31"
    assert last_day(datetime(2027, 1, 31, 8, tzinfo=UTC)) == "2027-01-31T08:00:00+00:00"


def test_a_source_tells_what_is_odd_about_it():
    book = RuleBook((Rule("**", frozenset({"group:enginering"})), Rule("poeple/**", frozenset({"group:people"}))))
    documents = [Doc("people/a.md"), narrowed("b.md", "group:led")]
    told = source_warnings(Permissions.settled(1, {"s": book}, DIRECTORY), "s", documents, ["people/access.yaml"])
    assert told == [
        "people/access.yaml has no effect: only the access file of the source decides",
        "rule 2 (poeple/**) matches none of the 2 documents; did you mean people/**?",
        "rule 1 (**) names group:enginering, which is not in the directory",
        "b.md names in `access:` group:led, which is not in the directory; did you mean group:leads?"]
    assert source_warnings(PERMISSIONS, "s", [Doc(f"{d}/a.md") for d in ("x", "people", "eng", "no")]) == [
        "rule 5 (far/*) matches none of the 4 documents",
        "rule 3 (eng/*): user:cy expired on 2026-11-21 and reads public documents only",
        "rule 5 (far/*) names group:elsewhere, which is not in the directory"]


def test_a_source_that_nobody_can_read_says_why():
    said = ("nobody may read its 1 document: source bare has no access rules; "
            "write an access file as docs/access.md shows, and name it: vouch source access bare FILE")
    documents = [Doc("a.md", source="bare"), Doc("b.md", None, "bare", "quarantined")]
    assert source_warnings(PERMISSIONS, "bare", documents) == [said]
    assert without_rules(PERMISSIONS) == ["bare"]
    nobody = Permissions.settled(1, {"s": RuleBook((Rule("**", frozenset({"user:cy"})),))}, DIRECTORY)
    assert source_warnings(nobody, "s", [Doc("a.md")])[0] == (
        "nobody may read its 1 document: no rule allows anybody who is in the directory")


def test_a_directory_that_lacks_many_is_guarded():
    before = Directory({f"p{n}": Person(()) for n in range(20)})

    def lacking(gone: int) -> Directory:
        return Directory(dict([*before.people.items()][gone:]))

    for gone in (0, 1, 4):
        guard_people(before, lacking(gone), 0.2)
    with pytest.raises(Guarded, match="5 of 20 people would be removed, more than 20%: p0, p1, p2, …"):
        guard_people(before, lacking(5), 0.2)
    guard_people(Directory({"a": Person(()), "b": Person(())}), Directory(), 0.2)
    guard_people(Directory(), before, 0.2)


@pytest.mark.parametrize(("text", "meant"), [
    ("anonymous", "public"), ("Public", "public"), ("publc", "public"), ("ana@acme.test", "user:ana@acme.test"),
    ("users:ana", "user:ana"), ("Gruop:eng", "group:eng"), ("user: ana", "user:ana"),
])
def test_what_is_nearly_a_tag_suggests_it(text: str, meant: str) -> None:
    with pytest.raises(BadAccess) as wrong:
        parse_tag(text)
    assert wrong.value.cause == f"{text!r} is not an access tag; did you mean {meant}?"


@pytest.mark.parametrize("text", ["everyone", "nobody", "all", "ana", "user:", "team:eng", "a b@c", "", "x" * 100_000])
def test_what_may_mean_several_suggests_nothing_and_never_the_public(text: str) -> None:
    with pytest.raises(BadAccess) as wrong:
        parse_tag(text)
    assert wrong.value.cause.endswith("is not an access tag")
