"""What hands questions over to people in Slack, and what a person may look at again."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bots.slack.place import SLACK
from composition.lazy import Lazy
from composition.owners import DocumentOwners, SlackOwners, owner_tags, people_of
from composition.storage import open_live_index, open_permissions, open_storage
from consumers.process import now
from consumers.questions.own_answers import OwnAnswers
from consumers.wiring.slack.notices import Upkeep, build_poster
from consumers.wiring.surfaces import Slack
from vouch.adapters.ledger import Draft, Ledger
from vouch.adapters.sources.human_answers import NAME, HumanAnswers
from vouch.messages import DocumentsChanged, Message
from vouch.settings import Settings

if TYPE_CHECKING:
    from bots.slack.answers.reach import AnswersInReach
    from bots.slack.answers.still_said import StillSaid
    from bots.slack.handoff.handover import Handover
    from bots.slack.personal.app_home import Personal


def build_handover(
    settings: Settings, slack: Slack, home: Path, ledger: Ledger, send: Callable[[Message], object], still: "StillSaid"
) -> "tuple[Handover, Upkeep]":
    from bots.slack.handoff.alone import Alone
    from bots.slack.handoff.handover import Handover
    from bots.slack.handoff.owners import Owners
    from bots.slack.identity.accounts import Accounts

    permissions = open_permissions(settings, ledger)
    accounts = Accounts(slack.api, slack.people, slack.people.mapped,
                        lambda group: people_of(permissions.permissions().directory, group, now()), slack.groups)

    def of_documents() -> DocumentOwners:
        storage = open_storage(settings)
        return DocumentOwners(open_live_index(settings, storage), storage.permissions)

    named = SlackOwners(ledger.slack_channels, owner_tags(settings))
    looked_after = Lazy(of_documents)
    owners = Owners(accounts, slack.conversations, named, looked_after, owner_tags(settings))
    documents, own = HumanAnswers(home, ledger), own_answers(settings, ledger)
    alone = Alone(ledger, slack.people, accounts, owners, lambda *given: own().near(*given), still)

    def announced(changed: bool) -> None:
        if changed:
            send(DocumentsChanged(source=NAME, at=now()))

    def decided(draft: str, state: str, by: str) -> Draft:
        done, changed = documents.decide(draft, state, by, now())
        announced(changed)
        return done

    handover = Handover(ledger, slack.people, accounts, slack.conversations, owners, decided, now,
                        settings.slack.handoffs_per_hour, alone)
    poster = build_poster(slack, ledger, accounts, owners, alone,
                          lambda tag, documents: looked_after().readable(tag, documents, now()))
    return handover, Upkeep(poster.step, lambda: announced(documents.settle(now())))


def build_personal(settings: Settings, slack: Slack, ledger: Ledger, reach: "AnswersInReach") -> "Personal":
    from bots.slack.personal.app_home import Personal

    return Personal(slack.api, slack.people, own_answers(settings, ledger),
                    lambda user, answer: reach.is_gone(user, reach.question_of(answer)),
                    lambda user, answer: reach.is_hidden(user, reach.question_of(answer)), settings.slack.prompts)


def own_answers(settings: Settings, ledger: Ledger) -> Lazy[OwnAnswers]:
    """Opens the index when somebody first looks."""
    def opened() -> OwnAnswers:
        storage = open_storage(settings)
        index = open_live_index(settings, storage)
        return OwnAnswers(ledger, storage.permissions, index, lambda: index.version().documents(), now, SLACK)

    return Lazy(opened)
