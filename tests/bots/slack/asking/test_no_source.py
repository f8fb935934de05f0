"""A source that is not there and one that the readers may not read are told of in the same words."""

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at

from vouch.access import Label

pytestmark = pytest.mark.integration
NONE = 'there is no source "{}" that whoever reads this may read'


@pytest.mark.parametrize(("written", "name"), [("source:nope", "nope"), ('in:"not there"', "not there")])
def test_a_source_that_is_not_there_is_said(acme: Company, written: str, name: str) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.ask(acme.ana, both, at(f"{written} {LEAVE}"))
    assert NONE.format(name) in acme.shown(acme.ben, both)


def test_so_is_one_that_nobody_there_may_read(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    for name in acme.world.index.labels:
        acme.world.index.labels[name] = Label(frozenset({"group:people"}))
    acme.ask(acme.ana, both, at(f"source:handbook {PLAN}"))
    assert NONE.format("handbook") in acme.shown(acme.ana, both)


def test_one_that_they_may_read_is_not(acme: Company) -> None:
    direct = acme.slack.workspace.direct(acme.ana.id)
    acme.ask(acme.ana, direct, "source:handbook zebra crossings?")
    assert "not answered" in acme.shown(acme.ana, direct) and "no source" not in acme.shown(acme.ana, direct)
