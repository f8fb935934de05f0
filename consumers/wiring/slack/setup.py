"""Setting Slack up: what the app is created from, and what `vouch slack doctor` looks at."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from composition.owners import people_of
from composition.storage import open_home_and_ledger, open_permissions
from consumers.process import now
from consumers.wiring.slack.beside import named_tags, worker_found
from consumers.wiring.slack.bot import check_slack, open_slack
from consumers.wiring.slack.documents import documents_found
from consumers.wiring.surfaces import Slack, build_slack
from vouch.access import Directory
from vouch.adapters.ledger import Ledger
from vouch.errors import Denied, NotFound, Usage, VouchError
from vouch.extras import require
from vouch.moments import day
from vouch.ports.surface import ChannelSettings
from vouch.settings import Settings
from vouch.settings.ignored import ignored_names

if TYPE_CHECKING:
    from bots.slack.setup import Found, Look

_MOST_PEOPLE = 30                       # of the directory are looked for: Slack takes fifty such questions a minute


def slack_looks(settings: Settings) -> "list[Look]":
    """What can be looked at, in order. Raises Usage where no Slack is set up."""
    slack = open_slack(settings)
    from bots.slack.setup import TOKEN, Look, looks

    chosen = settings.slack
    app_token = chosen.app_token.get_secret_value() if chosen.mode == "socket" else ""
    return [
        Look("settings", lambda: _understood(settings)), *looks(slack.api, app_token),
        *([Look("endpoint", lambda: _endpoint(settings))] if chosen.mode == "http" else []),
        Look("events", lambda: _events(settings)), Look("documents", lambda: documents_found(settings)),
        Look("people", lambda: _people(settings, slack), TOKEN), Look("tags", lambda: named_tags(settings), "settings"),
        Look("worker", lambda: worker_found(settings)),
    ]  # fmt: skip


def slack_manifest(url: str = "") -> str:
    """What the app is created from: for Socket Mode, or for signed requests to that address. Raises BadInput."""
    require("slack", "vouch slack")
    from bots.slack.setup import manifest_text

    return manifest_text(url)


def channel_names() -> tuple[Callable[[str], bool], type[ChannelSettings]]:
    """What is the id of a channel, and the settings of one, with ids of Slack in them."""
    from bots.slack.channels.ids import NamedInSlack, is_channel

    return is_channel, NamedInSlack


def doubt_about(settings: Settings, channel: str) -> str:
    """That Slack surely shows the app no such channel; nothing where no Slack is set up or it does not say."""
    slack = build_slack(settings)
    if slack is None:
        return ""
    try:
        slack.api.call("conversations.info", channel=channel)
    except Denied:
        return f"Slack shows the app no channel {channel}: check the id, and that the app is in it if it is private"
    except VouchError:
        pass
    return ""


def _understood(settings: Settings) -> "Found":
    from bots.slack.setup import Found

    check_slack(settings)
    secret = ", with a signing secret" if settings.slack.mode == "http" else ""
    told = f"{settings.slack.mode} mode{secret}"
    ignored = ignored_names()
    return Found("; ".join([told, *ignored]), "docs/settings.md lists the names" if ignored else "")


def _endpoint(settings: Settings) -> "Found":
    from bots.slack.connection import own_endpoint
    from bots.slack.setup import Found

    check_slack(settings)
    chosen = settings.slack
    return Found(own_endpoint(chosen.host, chosen.port, chosen.signing_secret.get_secret_value()))


def _events(settings: Settings) -> "Found":
    """No event is no fault of a bot that has only just been set up."""
    from bots.slack.setup import Found

    with _ledger(settings) as ledger:
        last = ledger.slack_events.last()
    if last is not None:
        return Found(f"the last one came {day(last.isoformat())}")
    return Found("none has ever come", (
        "start vouch slack run, and mention the app in a channel that it is in; if nothing comes, look whether the "
        "app's Event Subscriptions are on and name what vouch slack manifest names"))


def _people(settings: Settings, slack: Slack) -> "Found":
    """Whether Slack surely knows anybody of the directory: to all others only public documents are shown."""
    from bots.slack.setup import Found

    with _ledger(settings) as ledger:
        directory = open_permissions(settings, ledger).permissions().directory
    if not directory.people:
        raise NotFound("the directory names nobody, so everybody reads public documents only",
                       cure="vouch directory load FILE (docs/access.md)")
    looked = list(islice(sorted(directory.people), _MOST_PEOPLE))
    if not any(_known(slack, directory)([f"user:{name}"]) for name in looked):
        first = "" if len(looked) == len(directory.people) else f"the first {len(looked)} people of "
        raise Usage(f"nobody of {first}the directory has an account here that is surely theirs",
                    cure="people are known by the confirmed e-mail address of their account, or by VOUCH_SLACK__PEOPLE")
    return Found(f"people of the directory have accounts here; it names {len(directory.people)}")


def _known(slack: Slack, directory: Directory) -> Callable[[list[str]], list[str]]:
    """Accounts of the people that tags name."""
    from bots.slack.identity.accounts import Accounts

    moment: datetime = now()
    return Accounts(slack.api, slack.people, slack.people.mapped,
                    lambda group: people_of(directory, group, moment), slack.groups).of


@contextmanager
def _ledger(settings: Settings) -> Iterator[Ledger]:
    _, ledger = open_home_and_ledger(settings)
    try:
        yield ledger
    finally:
        ledger.close()
