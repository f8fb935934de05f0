"""Owners by the settings."""

from datetime import UTC, datetime, timedelta

import pytest

from composition.owners import SlackOwners, owner_tags, people_of
from vouch.access import Directory, Person
from vouch.errors import Usage
from vouch.settings import Settings
from vouch.settings.surfaces import SlackSettings

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def settings(owners: str) -> Settings:
    return Settings(slack=SlackSettings(owners=owners))


def test_tags_are_read_in_order_and_each_once() -> None:
    tags = ("user:ana@acme.test", "group:support")
    assert owner_tags(settings(" user:Ana@acme.test,group:support,, user:ana@acme.test ")) == tags
    assert owner_tags(settings("")) == ()


def test_owners_of_a_channel_come_before_those_of_all() -> None:
    class Set:
        def channel_owners(self, channel_id: str) -> tuple[str, ...]:
            return ("group:hr",) if channel_id == "C1" else ()

    owners = SlackOwners(Set(), ("group:support",))
    assert (owners.channel_owners("C1"), owners.channel_owners("C2")) == (("group:hr",), ("group:support",))


@pytest.mark.parametrize("owners", ["ana", "public", "user:a b"])
def test_what_names_no_people_is_refused(owners: str) -> None:
    with pytest.raises(Usage, match="VOUCH_SLACK__OWNERS"):
        owner_tags(settings(owners))


def test_people_of_a_group_are_those_the_directory_has_in_it_now() -> None:
    directory = Directory(
        people={"a": Person(("leads",)), "b": Person(("support",)), "c": Person(()),
                "gone": Person(("support",), NOW - timedelta(days=1))},
        groups={"leads": ("support",), "support": ()},
    )  # fmt: skip
    assert list(people_of(directory, "group:support", NOW)) == ["user:a", "user:b"]
    assert list(people_of(directory, "group:leads", NOW)) == ["user:a"]
    assert list(people_of(Directory(), "group:support", NOW)) == []
