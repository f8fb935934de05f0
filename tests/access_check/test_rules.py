"""Rules without effect are named, with what was probably meant."""

from vouch.access import Directory, Permissions
from vouch.access_check.rules import Overridden, overridden, rule_warnings
from vouch.rules import Rule, RuleBook

PATHS = ["people/pay.md", "people/sub/a.md", "handbook/x.md", "docs/hr/y.md", "v1.md/z.md"]


def book(*rules: tuple[str, str]) -> RuleBook:
    return RuleBook(tuple(Rule(match, frozenset(allow.split())) for match, allow in rules))


def test_a_rule_whose_documents_a_later_one_takes_over_is_named():
    rules = book(("people/**", "group:people"), ("handbook/*", "public"), ("**", "group:everyone")).rules
    found = list(overridden(rules))
    assert found == [Overridden(0, 2, True), Overridden(1, 2, False)]
    assert found[0].told(rules) == "rule 1 (people/**) is completely overridden by rule 3 (**)"


def test_broken_rules_grant_nothing_whatever_was_read_of_them():
    broken = RuleBook((Rule("**", frozenset({"public"})),), broken="rule 2 has no end")
    assert broken.allowed("a.md") == frozenset() and broken.deciding("a.md") is None
    assert Permissions(1, {"docs": broken}, Directory()).waiting == []


def test_closing_everything_at_the_end_opens_nothing():
    assert [f.opens for f in overridden(book(("a/**", "group:a group:b"), ("**", "")).rules)] == [False]
    assert [f.opens for f in overridden(book(("a/**", "group:a group:b"), ("**", "group:b")).rules)] == [False]


def test_rules_in_the_usual_order_are_not_named():
    rules = book(("**", "public"), ("people/**", "group:p"), ("people/*.md", "group:q"), ("people/a.md", "group:r"))
    assert list(overridden(rules.rules)) == []
    assert rule_warnings(book(("**", "public"), ("people/**", "group:p"), ("**/*.md", "group:q")), PATHS) == [
        "rule 1 (**) decides nothing: later rules match all 5 of its documents",
        "rule 2 (people/**) decides nothing: later rules match all 2 of its documents"]


def test_a_rule_that_matches_no_document_is_named_with_what_was_meant():
    for match, meant in [("poeple/**", "people/**"), ("People/**", "people/**"), ("hr/**", "**/hr/**"),
                         ("v1.md", "v1.md/**"), ("people/pya.md", "people/pay.md"), ("legal/**", "")]:
        (told,) = rule_warnings(book(("**", "public"), (match, "group:x")), PATHS)
        hint = f"; did you mean {meant}?" if meant else ""
        assert told == f"rule 2 ({match}) matches none of the 5 documents{hint}"


def test_before_the_first_ingest_nothing_is_said_of_documents():
    assert rule_warnings(book(("poeple/**", "group:x")), []) == []


def test_thousands_of_rules_are_compared_in_no_time_and_the_same_pattern_is_always_seen():
    rules = [Rule(f"team{n}/*{n % 7}*/**", frozenset({f"group:g{n}"})) for n in range(3000)]
    found = list(overridden([*rules, Rule("team2999/*3*/**", frozenset({"public"}))]))
    assert [(f.rule, f.by, f.opens) for f in found] == [(2999, 3000, True)]
