"""What is odd about owners: they do not exist, or may not read what they own."""

from dataclasses import dataclass, replace

from vouch.access import Directory, OwnerBook, OwnerRule, Permissions, Person, Rule, RuleBook
from vouch.access_check.sources import owner_warnings, owners_of, source_warnings

DIRECTORY = Directory({"ana": Person(("people",)), "ben": Person(())}, {"people": (), "staff": ()})
RULES = (Rule("**", frozenset({"public"})), Rule("people/**", frozenset({"group:people"})))


@dataclass(frozen=True)
class Doc:
    path: str
    owners: frozenset[str] = frozenset()
    narrowed: frozenset[str] | None = None
    source: str = "s"
    state: str = "indexed"


DOCUMENTS = [Doc("a.md"), Doc("people/a.md"), Doc("people/b.md")]


def entries(*pairs: tuple[str, str]) -> Permissions:
    rules = tuple(OwnerRule(match, frozenset(tags.split())) for match, tags in pairs)
    return Permissions.settled(1, {"s": RuleBook(RULES, owners=OwnerBook(rules))}, DIRECTORY)


def told(permissions: Permissions, documents: list[Doc] = DOCUMENTS) -> list[str]:
    return list(owner_warnings(permissions, "s", documents))


def test_owners_who_exist_and_may_read_are_no_matter() -> None:
    assert told(entries(("**", "group:staff user:ben"), ("people/**", "group:people user:ana"))) == []
    assert told(entries()) == []


def test_owners_who_do_not_exist_are_told_and_whoever_was_meant() -> None:
    assert told(entries(("**", "group:stff"), ("people/*", "user:anna group:people"), ("poeple/*", "user:ana"))) == [
        "owners 3 (poeple/*) matches no document; did you mean people/*?",
        "owners 1 (**) names group:stff, which is not in the directory; did you mean group:staff?",
        "owners 2 (people/*) names user:anna, which is not in the directory; did you mean user:ana?",
        "user:anna owns 2 documents that it may not read: people/a.md, people/b.md"]


def test_owners_who_may_not_read_are_told() -> None:
    assert told(entries(("**", "user:ben"))) == [
        "user:ben owns 2 documents that it may not read: people/a.md, people/b.md"]
    narrowed = [replace(DOCUMENTS[0], narrowed=frozenset({"user:ana"}))]
    assert told(entries(("**", "user:ben")), narrowed) == ["user:ben owns 1 document that it may not read: a.md"]


def test_a_document_states_owners_in_the_place_of_the_file() -> None:
    permissions = entries(("**", "user:ana"))
    stating = Doc("people/a.md", frozenset({"user:ben", "group:gone"}))
    assert owners_of(permissions, stating) == ("group:gone", "user:ben")
    assert owners_of(permissions, DOCUMENTS[0]) == ("user:ana",)
    assert told(permissions, [stating]) == [
        "people/a.md names as owner group:gone, which is not in the directory",
        "group:gone owns 1 document that it may not read: people/a.md",
        "user:ben owns 1 document that it may not read: people/a.md"]


def test_a_mistake_in_the_owners_is_told() -> None:
    book = RuleBook(RULES, owners=OwnerBook(broken="owners 1: needs both match and owners"))
    assert told(Permissions.settled(1, {"s": book}, DIRECTORY)) == [
        "no owner is known: owners 1: needs both match and owners"]


def test_without_a_directory_owners_are_told_once_with_whoever_the_rules_name() -> None:
    rules = RuleBook((Rule("**", frozenset({"public"})), Rule("people/*", frozenset({"group:people"}))),
                     owners=OwnerBook((OwnerRule("**", frozenset({"group:staff"})),)))
    nobody = Permissions.settled(1, {"s": rules}, Directory())
    stating = replace(DOCUMENTS[1], owners=frozenset({"user:ben"}))
    assert source_warnings(nobody, "s", [DOCUMENTS[0], stating])[-1:] == [
        "the access file names group:people, group:staff, and no directory is loaded: vouch directory load FILE"]
    assert not any("which is not in the directory" in told for told in source_warnings(nobody, "s", DOCUMENTS))
