"""What becomes of a notice: posted, dropped, or due again later, whatever another one did."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from machines.ledger_place import new_ledger
from sqlalchemy import select

from bots.slack.notices.posting import NoticePoster
from vouch.adapters.ledger import Ledger, Notice
from vouch.adapters.ledger.engine.schema import notices
from vouch.errors import Denied, SurfaceDown

BEGUN = datetime(2026, 11, 29, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return new_ledger(tmp_path / "notices.sqlite")


def states(ledger: Ledger) -> list[str]:
    with ledger.notices._database.read() as connection:
        return list(connection.execute(select(notices.c.state).order_by(notices.c.id)).scalars())


def poster(ledger: Ledger, post: Callable[[Notice], bool], at: datetime = BEGUN) -> NoticePoster:
    return NoticePoster(ledger, {"told": post}, lambda: at)


def test_each_is_posted_once_in_their_order(ledger: Ledger) -> None:
    posted = list[str]()
    for name in ("a", "b"):
        assert ledger.notices.add(name, "told", {}, BEGUN)
    made = poster(ledger, lambda notice: not posted.append(notice.id))
    assert [made.step(), made.step(), made.step()] == [True, True, False] and posted == ["a", "b"]
    assert states(ledger) == ["posted", "posted"]
    assert not ledger.notices.add("a", "told", {}, BEGUN) and not made.step()


@pytest.mark.parametrize("kind", ["told", "of a later release"])
def test_what_is_refused_or_of_an_unknown_kind_is_dropped(ledger: Ledger, kind: str) -> None:
    def refused(_: Notice) -> bool:
        raise Denied("the conversation is gone", cure="none")

    ledger.notices.add("a", kind, {}, BEGUN)
    assert poster(ledger, refused).step() and states(ledger) == ["dropped"]


def test_what_fails_is_due_later_and_the_next_is_posted_meanwhile(ledger: Ledger) -> None:
    tried = list[tuple[str, int]]()

    def first_is_down(notice: Notice) -> bool:
        tried.append((notice.id, notice.tries))
        if notice.id == "a" and notice.tries == 0:
            raise SurfaceDown("Slack", retry_after_s=60.0)
        return True

    for name in ("a", "b"):
        ledger.notices.add(name, "told", {}, BEGUN)
    made = poster(ledger, first_is_down)
    assert [made.step(), made.step(), made.step()] == [True, True, False] and ledger.notices.waiting() == ["a"]
    assert not poster(ledger, first_is_down, BEGUN + timedelta(seconds=59)).step()
    assert poster(ledger, first_is_down, BEGUN + timedelta(seconds=61)).step() and ledger.notices.waiting() == []
    assert tried == [("a", 0), ("b", 0), ("a", 1)]
