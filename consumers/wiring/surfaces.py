"""The surfaces this process can post on and ask, as the settings have them, and those that others serve."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bots.callback.surface import HttpCallback
from bots.slack.place import SLACK
from consumers.replies.posting import Afterwards
from vouch.adapters.ledger import Ledger
from vouch.errors import Usage
from vouch.extras import require
from vouch.messages import HTTP, TERMINAL, QuestionAsked
from vouch.ports.surface import Conversations, Surface
from vouch.settings import Settings

if TYPE_CHECKING:
    from bots.slack.answers.surface import SlackSurface
    from bots.slack.api import SlackApi
    from bots.slack.identity.channel_members import SlackConversations
    from bots.slack.identity.members_cache import Changes
    from bots.slack.identity.people import People
    from bots.slack.identity.user_groups import UserGroups


@dataclass(frozen=True)
class Slack:
    """Threads may share each part."""

    api: "SlackApi"
    people: "People"
    groups: "UserGroups"
    surface: "SlackSurface"
    conversations: "SlackConversations"


def build_slack(
    settings: Settings, changes: "Changes | None" = None, api: "SlackApi | None" = None
) -> Slack | None:
    """None where the settings name no token. Connects to nothing.

    `changes` are those that the bot notes; without them what Slack said counts until it is too old.
    """
    chosen = settings.slack
    if not chosen.bot_token.get_secret_value():
        return None
    require("slack", "VOUCH_SLACK__BOT_TOKEN")
    from bots.slack.answers.surface import SlackSurface
    from bots.slack.api import Pace, SlackApi
    from bots.slack.identity.channel_members import SlackConversations
    from bots.slack.identity.people import People
    from bots.slack.identity.user_groups import UserGroups
    from bots.slack.progress.finishing import ShownStages

    api = api or SlackApi(chosen.bot_token.get_secret_value(), chosen.api_url, chosen.timeout_seconds)
    people = People(api, chosen.people, chosen.people_seconds, changes=changes)
    conversations = SlackConversations(
        api, people, most=chosen.max_members, open_channels_are_public=chosen.public_channels == "public",
        seconds=chosen.members_seconds, changes=changes,
    )
    stages = ShownStages(api, Pace()) if chosen.progress == "stream" else None
    groups = UserGroups(api, chosen.people_seconds, changes=changes)
    return Slack(api, people, groups, SlackSurface(api, stages=stages), conversations)


OF_LEDGER = (TERMINAL, HTTP, "log")


def build_surfaces(settings: Settings, ledger: Ledger, slack: Slack | None = None) -> dict[str, Surface]:
    """By name. Raises Usage for a callback that cannot be used."""
    surfaces: dict[str, Surface] = dict.fromkeys(OF_LEDGER, ledger.surface)
    if slack is not None:
        surfaces[SLACK] = slack.surface
    callback = build_callback(settings)
    if callback is not None:
        if settings.callback.surface in surfaces:
            raise Usage(f"the surface {settings.callback.surface} is taken", cure="fix VOUCH_CALLBACK__SURFACE")
        surfaces[settings.callback.surface] = callback
    return surfaces


def conversations_of(slack: Slack | None) -> dict[str, Conversations]:
    """By the name of their surface."""
    return {} if slack is None else {SLACK: slack.conversations}


def surface_probes(settings: Settings) -> dict[str, Callable[[], str]]:
    """The servers of surfaces that can be asked how they are."""
    callback, slack = build_callback(settings), build_slack(settings)
    probes = {} if callback is None else {settings.callback.surface: callback.probe}
    return {f"surface {name}": probe
            for name, probe in (probes if slack is None else probes | {SLACK: slack.surface.probe}).items()}


def build_afterwards(surfaces: Collection[str]) -> dict[str, Afterwards]:
    """What these surfaces post once an answer was sent or given up, by name."""
    if SLACK not in surfaces:
        return {}
    from bots.slack.answers.afterwards import SlackAfterwards

    return {SLACK: SlackAfterwards()}


def build_callback(settings: Settings) -> HttpCallback | None:
    chosen = settings.callback
    return None if not chosen.url else HttpCallback(
        chosen.url, chosen.secret.get_secret_value(), _names(chosen.hosts),
        after_doubt=chosen.after_doubt, timeout_s=chosen.timeout_seconds,
    )  # fmt: skip


def served(settings: Settings) -> set[str]:
    """All that any process serves, as far as the settings tell."""
    own = [settings.callback.surface] if settings.callback.url else []
    own += [SLACK] if settings.slack.bot_token.get_secret_value() else []
    return {*OF_LEDGER, *own, *_names(settings.worker.surfaces)}


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def is_gone(slack: Slack | None, ledger: Ledger, question: QuestionAsked) -> bool:
    """Whether words of the question were deleted or changed since, also where the bot was away when they went.

    Where Slack tells nobody, only what never leaves the company is used. Raises SurfaceDown.
    """
    if slack is None or question.surface != SLACK:
        return False
    from bots.slack.answers.still_said import StillSaid

    return StillSaid(slack.api, ledger.changed.changed_at).is_gone(question, untold=question.outside)


def rights(slack: Slack | None, question: QuestionAsked) -> str | None:
    """The access tag whose rights the asker has: accounts of Slack may have those of a group. Raises SurfaceDown."""
    return slack.people.rights(question.asker) if slack is not None and question.surface == SLACK else question.asker
