"""What the bot needs besides Slack: people and groups that the directory has, and a worker that answers."""

from typing import TYPE_CHECKING

from composition.log import GROUPS, open_log
from composition.owners import owner_tags
from composition.storage import open_home_and_ledger, open_permissions
from consumers.process import QUESTIONS
from vouch.access import parse_tag
from vouch.access_check.directory import unknown
from vouch.adapters.filesystem.home import open_home
from vouch.adapters.observability.processes import running
from vouch.errors import NotFound
from vouch.plurals import count
from vouch.settings import Settings

if TYPE_CHECKING:
    from bots.slack.setup import Found

_START = "start it: vouch worker"
_OWNERS = "set VOUCH_SLACK__OWNERS, such as user:ana@acme.test: who looks after vouch"


def named_tags(settings: Settings) -> "Found":
    """Of owners and of accounts. Raises Usage."""
    from bots.slack.setup import Found

    people = tuple(parse_tag(tag) for tag in settings.slack.people.values())
    named = {"VOUCH_SLACK__OWNERS": owner_tags(settings), "VOUCH_SLACK__PEOPLE": people}
    _, ledger = open_home_and_ledger(settings)
    try:
        directory = open_permissions(settings, ledger).permissions().directory
    finally:
        ledger.close()
    vain = [f"{name}: {told}" for name, tags in named.items() for tag in tags if (told := unknown(directory, tag))]
    if vain:
        return Found("; ".join(vain), "fix the setting, or name them there: vouch directory load FILE")
    known = sorted({tag for tags in named.values() for tag in tags})
    found = f"the directory has {', '.join(known)}" if known else f"{' and '.join(named)} name nobody"
    if not owner_tags(settings):
        return Found(f"{found}: I need a human reaches owners of channels and documents alone", _OWNERS)
    return Found(found)


def worker_found(settings: Settings) -> "Found":
    """Whether anything takes questions off the log. Only where the log is in the home no other process could."""
    from bots.slack.setup import Found

    workers = sum(QUESTIONS in process["does"] for process in running(settings.home))
    if workers:
        return Found(f"{count(workers, 'process', 'processes')} of this home answering questions")
    waiting = open_log(settings, open_home(settings.home)).lag(GROUPS["questions"], "questions")
    if settings.log.kind != "embedded":
        return Found(f"none runs on this home, and {count(waiting, 'question')} on the log; others are not seen here",
                     f"if none runs elsewhere, {_START}")
    if waiting:
        raise NotFound(f"nothing takes questions off the log, and {count(waiting, 'question')} on it", cure=_START)
    return Found("nothing takes questions off the log", _START)
