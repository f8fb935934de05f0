"""Labels and audiences: who is allowed by several conditions, and when two audiences are the same."""

from datetime import UTC, datetime, timedelta

import pytest

from vouch.access import NOBODY, PUBLIC, Audience, Directory, Label, Permissions, Person, Reader, Rule, RuleBook, Stand
from vouch.errors import Usage

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OPEN, STAFF = frozenset({PUBLIC}), frozenset({"group:staff"})
BOOK = RuleBook((Rule("**", OPEN), Rule("hr/**", STAFF)))


def audience(*principals: set[str]) -> Audience:
    return Audience(tuple(Reader(f"r{n}", frozenset(held)) for n, held in enumerate(principals)))


def test_audiences_that_may_read_other_things_have_other_digests() -> None:
    """Names may hold what a digest could be joined by."""
    one = audience({PUBLIC, "user:x|public"})
    two = audience({PUBLIC, "user:x"}, {PUBLIC})
    assert one.digest != two.digest
    assert audience({"user:a,user:b"}).digest != audience({"user:a", "user:b"}).digest
    assert two.digest == audience({PUBLIC}, {"user:x", PUBLIC}, {PUBLIC}).digest


def test_an_audience_reads_what_each_of_its_readers_may_read() -> None:
    staff, anybody = {PUBLIC, "group:staff"}, {PUBLIC}
    assert audience(staff, staff).may_read(Label(STAFF))
    assert not audience(staff, anybody).may_read(Label(STAFF)) and not audience(anybody, staff).may_read(Label(STAFF))
    with pytest.raises(Usage):
        Audience(())


def test_what_is_known_of_an_audience_ends_when_it_does_for_the_first_reader() -> None:
    ends = {name: NOW + timedelta(days=days) for name, days in (("ana", 2), ("bo", 1))}
    directory = Directory({"cy": Person(()), **{name: Person((), until) for name, until in ends.items()}})
    assert directory.audience(["user:ana", "user:bo", "user:cy"], NOW).expires == ends["bo"]
    assert directory.audience(["user:cy", "public"], NOW).expires is None


def test_every_condition_of_a_label_must_be_met() -> None:
    anybody, staff = frozenset({PUBLIC}), frozenset({PUBLIC, "group:staff"})
    for label in (Label(STAFF), Label(OPEN, STAFF), Label(OPEN, None, frozenset({STAFF})),
                  Label(OPEN, limits=((Label(STAFF),),))):
        assert (label.allows(anybody), label.allows(staff)) == (False, True)
    assert not Label(OPEN, limits=((),)).allows(staff)
    assert Label(OPEN, limits=((Label(STAFF), Label(OPEN)),)).allows(anybody)


def test_a_label_exceeds_limits_that_refuse_somebody_it_allows() -> None:
    narrow, wide = Label(STAFF), Label(STAFF | {"group:people"})
    assert not Label(STAFF, limits=((wide,),)).exceeds_limits
    assert Label(wide.allowed, limits=((narrow,),)).exceeds_limits
    assert Label(OPEN, limits=((),)).exceeds_limits
    assert not Label(frozenset(), limits=((),)).exceeds_limits
    assert not Label(OPEN, STAFF, limits=((narrow,), (wide, Label(frozenset())))).exceeds_limits


def test_limits_are_read_by_the_rules_of_now_and_nobody_reads_what_was_never_scanned() -> None:
    held = Permissions(1, {"s": BOOK}, Directory(), {"s": ()}, {("s", "a.md"): ((Stand("hr/a.md"),),)})
    assert held.label("s", "a.md", None).limits == ((Label(STAFF),),)
    assert held.label("s", "b.md", None, NOBODY).limits == ((),)
    unscanned = Permissions(1, {"s": BOOK}, Directory())
    assert not unscanned.label("s", "a.md", None).allows(frozenset({PUBLIC}))
    assert held.label("s", "b.md", None) == Label(OPEN), "what nothing limits has the label it always had"
    former = Permissions(1, {"s": BOOK}, Directory(), {"s": (RuleBook((Rule("**", STAFF),)),)})
    assert former.label("s", "a.md", None).waits and not former.label("s", "hr/a.md", None).waits


def test_each_group_of_limits_must_allow() -> None:
    a, b = Label(frozenset({"group:a"})), Label(frozenset({"group:b"}))
    both = Label(OPEN, limits=((a,), (b,)))
    assert both.allows(frozenset({"public", "group:a", "group:b"}))
    for one in ("group:a", "group:b"):
        assert not both.allows(frozenset({"public", one}))
    assert not Label(OPEN, limits=((a,), ())).allows(frozenset({"public", "group:a"}))
    assert Label(OPEN, limits=((a, b),)).allows(frozenset({"public", "group:b"}))
