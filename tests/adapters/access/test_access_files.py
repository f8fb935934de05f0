import hashlib
import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vouch.access import PUBLIC, Directory, RuleBook, parse_tag
from vouch.adapters.access import files
from vouch.adapters.access.files import read_directory, read_rules, read_rules_and_digest
from vouch.errors import BadAccess

DOCS = Path(__file__).parents[3] / "docs" / "access.md"


def rules(tmp_path: Path, text: str | bytes) -> RuleBook:
    path = tmp_path / "access.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_rules(path)


def directory(tmp_path: Path, text: str) -> Directory:
    path = tmp_path / "directory.yaml"
    path.write_text(text)
    return read_directory(path)


def example(heading: str) -> str:
    """The first YAML block below a heading of docs/access.md."""
    found = re.search(rf"^## {heading}.*?```yaml\n(.*?)```", DOCS.read_text(), re.DOTALL | re.MULTILINE)
    assert found, heading
    return found[1]


def test_the_documented_rules_mean_what_the_page_says(tmp_path: Path) -> None:
    book = rules(tmp_path, example("Rules"))
    assert not book.broken
    assert book.allowed("handbook/leave.md") == {"group:everyone"}
    assert book.allowed("people/pay/bands.md") == {"group:people"}
    assert book.allowed("people/bands.md") == {"group:people-leads", "user:ben@acme.test"}


def test_the_documented_directory_is_understood(tmp_path: Path) -> None:
    known = directory(tmp_path, example("People and groups"))
    ana = known.reader("user:ana@acme.test", datetime(2026, 1, 1, tzinfo=UTC))
    assert {"group:engineering", "group:security", "group:everyone"} <= ana.principals
    cleo = known.people["cleo@acme.test"]
    assert cleo.until == datetime(2027, 2, 1, tzinfo=UTC)


def test_one_tag_needs_no_list_and_letters_may_be_stored_in_two_ways(tmp_path: Path) -> None:
    text = 'rules: [{match: "**", allow: public}, {match: "cafe\\u0301/**", allow: [user:Ana@Acme.test]}]'
    book = rules(tmp_path, text)
    assert book.allowed("x.md") == {PUBLIC}
    assert book.allowed("café/x.md") == book.allowed("cafe\u0301/x.md") == {"user:ana@acme.test"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no rules"),
        ("rules:", "expected a list"),
        ("rule: []", "unknown key 'rule'"),
        ("rules: [{match: '**', alow: []}]", "unknown key 'alow'"),
        ("rules: [{match: '**'}]", "both match and allow"),
        ("rules: [{match: '**', allow: everyone}]", "not an access tag"),
        ("rules: [{match: '**', allow: [group:a, 'group:b c']}]", "rule 1"),
        ("rules: [{match: '**', allow: [yes]}]", "not an access tag"),
        ("rules: [{match: '**', allow: {a: b}}]", "expected a list"),
        ("rules: [{match: 'people/', allow: [public]}]", "names a folder"),
        ("rules: [{match: '/people/**', allow: [public]}]", "can match no path"),
        ("rules: [{match: './people/**', allow: [public]}]", "can match no path"),
        ("rules: [{match: 'people\\**', allow: [public]}]", "can match no path"),
        ("rules: [{match: 5, allow: [public]}]", "can match no document"),
        ("rules: [{match: null, allow: [public]}]", "not a pattern"),
        ("rules: [{match: '{hr,legal}/**', allow: [public]}]", "{ has no meaning in a pattern"),
        ("rules: [{match: '[hl]*/**', allow: [public]}]", "[ has no meaning in a pattern"),
        ("rules: [{match: 'hr|legal/**', allow: [public]}]", "| has no meaning in a pattern"),
        ("rules: [{match: 'hr/*.{md,pdf}', allow: [public]}]", "{ has no meaning in a pattern"),
        ("rules: [{match: '!hr/**', allow: [public]}]", "a leading ! does not negate"),
        ("rules: [{match: 'hr', allow: [public]}]", "can match no document"),
        ("rules: [{match: '**/hr', allow: [public]}]", "can match no document"),
        ("rules: [{match: 'hr/pay.exe', allow: [public]}]", "can match no document"),
        ("rules: [{match: 'hr**/pay.md', allow: [public]}]", 'write "hr*/**/pay.md"'),
        ('rules: [{match: "hr\u202e/**", allow: [public]}]', "reverses the direction"),
        ("rules: [{match: 'hr/**', allow: [group:hr]}, {match: '**', allow: [public]}]",
         "rule 1 (hr/**) is completely overridden by rule 2 (**)"),
        ("rules: [{match: a, match: b, allow: [public]}]", "is there twice"),
        ("rules: []\nrules: []", "line 2: the key 'rules' is there twice"),
        ("a: &a [1]\nrules: *a", "aliases"),
        ("rules:\n  - match: **\n    allow: [public]\n", 'must be in quotation marks, as in "**"'),
        ("rules: [{<<: {match: a}, allow: [public]}]", "merge"),
        ("rules: [", "line"),
        ("[" * 10_000, "nested too deep"),
        ("rules: [{match: '**', allow: [public, [[[[" + "[" * 20 + "]" * 24 + "]}]", "nested too deep, more"),
        ("- " * 30 + "a", "nested too deep"),
        ("rules: !!python/object/apply:os.system [ls]", "tags such as"),
        ("rules: !!int 5", "tags such as"),
        (f"rules: [{{match: '**', allow: [0x{'f' * 4000}]}}]", "rule 1: '0xffff"),
        (f"rules: [{{match: '**', allow: [{'9' * 5000}]}}]", "is not an access tag"),
        (f"{'9' * 5000}", "expected `key: value` lines"),
        ("rules: [{match: '**', allow: [\"\\UFFFFFFFF\"]}]", "a value that is not valid YAML"),
        ("rules:\n" + "- {match: a.md, allow: public}\n" * 1001, "holds 1,001 rules, of which at most 1,000 are read"),
        ("rules:\n" + f"- {{match: '{'*a' * 60}.md', allow: public}}\n" * 200, "hold more than 10,000 * and ?"),
        ("rules: []\n---\nrules: []", "another document"),
        (b"\xff\xfe", "UTF-8"),
        ("#" * 300_000, "larger than 256 KB"),
        ("rules: [" + "a," * 30_000, "more than 20,000 lines and list items"),
    ],
)
def test_rules_that_cannot_be_understood_grant_nothing_and_say_why(
    tmp_path: Path, text: str | bytes, reason: str
) -> None:
    book = rules(tmp_path, text)
    assert reason in book.broken and "access.yaml" in book.broken
    assert book.allowed("a.md") == frozenset()


@pytest.mark.slow
@pytest.mark.parametrize("text", [
    "1:" * 100_000 + "1", "[" * 200_000, "rules: [" * 30_000, "- " * 100_000,
    ("- " + "[" * 150 + "]" * 150 + "\n") * 800,
    "0x" + "f" * 200_000, "9" * 200_000, "1e" + "9" * 200_000,
    "rules:\n" + "".join(f"- match: '**/a*{n}*b/**/*c*{n}.md'\n  allow: public\n" for n in range(4000)),
    "rules:\n" + "".join(f"- match: '{'*a' * 100}{n}.md'\n  allow: public\n" for n in range(1000)),
])  # fmt: skip
def test_no_access_file_takes_long(tmp_path: Path, text: str) -> None:
    began = time.process_time()
    book = rules(tmp_path, text)
    assert book.broken and book.allowed("a/" * 1000 + "x.md") == frozenset()
    assert time.process_time() - began < 3


@pytest.mark.slow
def test_a_full_access_file_is_read_and_its_rules_compared_soon(tmp_path: Path) -> None:
    began = time.process_time()
    lines = (f"- match: '**/a*{n}*b/**/*c*{n}.md'\n  allow: [{', '.join(f'group:g{m}' for m in range(10))}]\n"
             for n in range(1000))
    book = rules(tmp_path, "rules:\n" + "".join(lines))
    assert not book.broken and len(book.rules) == 1000
    assert book.allowed("a7b/c7.md") == {f"group:g{m}" for m in range(10)}
    assert time.process_time() - began < 8


def test_whatever_goes_wrong_while_rules_are_read_is_told_and_grants_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(text: str) -> None:
        raise LookupError("nobody thought of this")

    monkeypatch.setattr(files, "load_yaml", fail)
    assert "access.yaml: cannot be understood (LookupError)" in rules(tmp_path, "rules: []").broken


def test_numbers_and_dates_are_the_text_they_are(tmp_path: Path) -> None:
    known = directory(tmp_path, "people: {12: {groups: [007, 2027-01-01, 1e3]}}\ngroups: {0x10: {}}")
    assert known.people["12"].groups == ("007", "2027-01-01", "1e3") and list(known.groups) == ["0x10"]


@pytest.mark.parametrize(("match", "meant"), [
    ("hr/", "hr/**"),
    ("hr/**/", "hr/**"), ("/hr/**", "hr/**"), ("./hr/**", "hr/**"), ("/hr/", "hr/**"), ("hr//*", "hr/*"),
    ("hr\\\\**", "hr/**"), ("hr", "hr/**"), ("**/hr", "**/hr/**"),
])
def test_the_cure_of_a_pattern_is_a_pattern_that_is_understood(tmp_path: Path, match: str, meant: str) -> None:
    broken = rules(tmp_path, f'rules: [{{match: "{match}", allow: [public]}}]').broken
    assert f'write "{meant}"' in broken
    assert not rules(tmp_path, f'rules: [{{match: "{meant}", allow: [public]}}]').broken


@pytest.mark.parametrize(
    "match", ["**", "hr/*", "*.docx", "a (1)/**", "a, b/*.md", "so what!/**", "hr/**.md", "a.MD", "hr/x.p??", "**/*"]
)
def test_ordinary_patterns_are_understood(tmp_path: Path, match: str) -> None:
    assert not rules(tmp_path, f"rules: [{{match: '{match}', allow: [public]}}]").broken


def test_closing_all_at_the_end_is_a_rule_like_any_other(tmp_path: Path) -> None:
    book = rules(tmp_path, "rules: [{match: 'hr/**', allow: [group:hr]}, {match: '**', allow: []}]")
    assert not book.broken and book.allowed("hr/a.md") == frozenset()


def test_the_digest_is_of_the_bytes_that_were_read(tmp_path: Path) -> None:
    path = tmp_path / "access.yaml"
    path.write_bytes(b"rules: []")
    assert read_rules_and_digest(path) == (RuleBook(), hashlib.sha256(b"rules: []").hexdigest())
    assert read_rules_and_digest(tmp_path / "gone.yaml")[1] == "unreadable"
    assert read_rules_and_digest(None) == (RuleBook(), "")


def test_a_missing_file_is_broken_but_no_file_is_just_nobody(tmp_path: Path) -> None:
    gone = read_rules(tmp_path / "gone.yaml")
    assert "gone.yaml: there is no such file" in gone.broken and gone.absent and not read_rules(tmp_path).absent
    assert "not a regular file" in read_rules(tmp_path).broken
    os.mkfifo(tmp_path / "pipe")
    assert read_rules(tmp_path / "pipe").broken
    assert read_rules(None) == RuleBook()
    assert rules(tmp_path, "rules: []") == RuleBook()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("person: {}", "unknown key 'person'"),
        ("people: [ana]", "people: expected"),
        ("people: {ana@x: {group: [a]}}", "people: ana@x: unknown key 'group'"),
        ("people: {ana@x: {groups: a}}", "people: ana@x: groups: expected a list"),
        ("people: {ana@x: {groups: ['a b']}}", "not an access tag"),
        ("people: {ana@x: {groups: ['group:a']}}", "not an access tag"),
        ("people: {ana@x: {}, Ana@x: {}}", "is there twice"),
        ("people: {ana@x: {}, ana@x: {}}", "is there twice"),
        ("people: {yes: {}}", "not text"),
        ("people: {a@x: {until: soon}}", "a@x: until: soon is not a date"),
        ("people: {a@x: {until: 2027-02-30}}", "not a date"),
        ("people: {a@x: {until: 2027-02-30 10:00:00 +2}}", "not a date"),
        ("people: {a@x: {until: 5}}", "5 is not a date"),
        ("people: {a@x: {until: '2027-02-30'}}", "not a date"),
        ("people: {a@x: {until: 2027-01-01 10:00:00}}", "no time zone"),
        ("people: {a@x: {until: null}}", "not a date"),
        ("groups: {a: {members: []}}", "unknown key"),
        ("groups: {a: {member_of: [b]}, b: {member_of: [c]}, c: {member_of: [a]}}", "a → b → c → a is a circle"),
        ("groups: {x: {member_of: [a]}, a: {member_of: [a]}}", "a → a is a circle"),
        ("groups: {on: {}}", "not text"),
    ],
)
def test_a_directory_that_cannot_be_understood_names_the_place(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(BadAccess) as caught:
        directory(tmp_path, text)
    assert reason in caught.value.cause and "directory.yaml" in caught.value.cause and caught.value.cure


def test_until_is_the_end_of_that_day_or_the_moment(tmp_path: Path) -> None:
    people = directory(
        tmp_path,
        "people: {A@x: {until: 2027-01-31}, b: {until: 2027-01-31T10:00:00+02:00}, c: {until: '2027-01-31'}, "
        "d: {until: 9999-12-31}, e: }\ngroups: {g: {member_of: [h, i]}, h: {member_of: [j]}, i: {member_of: [j]}}",
    ).people
    assert people["a@x"].until == people["c"].until == datetime(2027, 2, 1, tzinfo=UTC)
    assert people["b"].until == datetime(2027, 1, 31, 8, tzinfo=UTC)
    assert people["d"].until is not None and people["d"].until.year == 9999
    for written in ("2027-1-31", "'2027-1-31'"):
        assert directory(tmp_path, f"people: {{a: {{until: {written}}}}}").people["a"].until == people["c"].until
    for written in ("2027-01-31 10:00:00 +2", "2027-01-31t08:00:00Z", "2027-01-31 10:00+02:00"):
        assert directory(tmp_path, f"people: {{a: {{until: {written}}}}}").people["a"].until == people["b"].until
    assert people["e"].until is None and people["e"].groups == ()


@pytest.mark.slow
def test_a_long_chain_of_groups_is_no_circle(tmp_path: Path) -> None:
    chain = "\n".join(f"  g{n}: {{member_of: [g{n + 1}]}}" for n in range(3000))
    assert len(directory(tmp_path, f"groups:\n{chain}\n").groups) == 3000


@pytest.mark.parametrize("name", ["user:\u212Aate@acme.test", "user:\u212Bsa@acme.test"])
def test_a_capital_that_would_become_somebody_else_is_refused(name: str) -> None:
    """The sign of Kelvin is a K to the eye, and a plain k in small letters."""
    with pytest.raises(BadAccess, match="another one's twin"):
        parse_tag(name)
    assert parse_tag("user:Kate@acme.test") == "user:kate@acme.test"
    assert parse_tag("user:ÅSA.Ströß@acme.test") == "user:åsa.ströß@acme.test"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rules: [", "line 1: a bracket is opened and not closed"),
        ("rules:\n\t- a", "line 2: a tab; indent with spaces"),
        ("rules: a: b", "line 1: a second `: ` in one line; put text with a colon in quotation marks"),
        ("rules:\n  - match: x\n allow: y", "line 3: is not finished, or does not line up with the lines above"),
        ('rules: "abc', "line 1: quotation marks are opened and not closed"),
        ("rules:\n- @x", "line 2: what begins with '@' must be in quotation marks"),
        ("rules: !a b", "line 1: tags such as '!a' are not allowed"),
        ("rules:\n\x01", "line 2: a character that YAML does not allow (U+0001)"),
        (b"rules: \xff", "is not UTF-8 text (byte 7)"),
    ],
)
def test_mistakes_of_yaml_are_told_in_words_for_people(tmp_path: Path, text: str | bytes, words: str) -> None:
    assert f"access.yaml: {words}" in rules(tmp_path, text).broken
