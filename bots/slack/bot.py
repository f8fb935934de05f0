"""The app that listens: each event is acknowledged after the log has what it means, and not before."""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from slack_bolt import App
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse

from bots.slack.answers.layout import DOWN, FEEDBACK, PRIVATELY, SHARE
from bots.slack.answers.sharing import SHARED, Sharing
from bots.slack.api import quiet_logger, told, web_client
from bots.slack.channels.setting import Setting
from bots.slack.channels.window import CALLBACK
from bots.slack.ephemeral import tell_presser, to_be_told
from bots.slack.escaping import plain
from bots.slack.handoff.handover import GONE
from bots.slack.handoff.presses import Presses
from bots.slack.hearing.asking import Asking
from bots.slack.hearing.events import NEWS, Event, News, Once
from bots.slack.hearing.messages import Hearing
from bots.slack.hearing.voting import Voting, reason_of, reason_view
from bots.slack.personal.app_home import LOOKING_UP, NO_ID, NOT_NOW, WHY, Personal, names_no_answer
from bots.slack.place import Place, question_id
from bots.slack.questions import moment
from vouch.errors import NotFound, Unavailable, VouchError

_log = logging.getLogger(__name__)


def lost_without_harm(work: Callable[[], object]) -> None:
    """Runs it; a failure is a line in the log."""
    try:
        work()
    except VouchError as error:
        _log.info("slack: left out: %s", error)
    except Exception as error:
        _log.warning("slack: left out: %s", told(error))


COMMAND = "/vouch"
SHORTCUT = "vouch_ask_about"
MOVED = "channel_id_changed"
EVENTS = (MOVED, "app_mention", "message", "reaction_added", "reaction_removed", "app_home_opened", *NEWS)

_REASON = "vouch_reason"


def build_app(
    hearing: Hearing, voting: Voting, sharing: Sharing, personal: Personal, presses: Presses, once: Once,
    news: News, signing_secret: str,
) -> App:  # fmt: skip
    """Without a signing secret it takes nothing over HTTP. Raises SurfaceDown if Slack does not know the token."""
    asking, api = hearing.asking, hearing.asking.api
    me = AuthorizeResult(
        enterprise_id=None, team_id=api.me["team_id"], bot_user_id=api.me["user_id"], bot_id=api.me["bot_id"],
        bot_token=api.client.token,
    )  # fmt: skip
    client = web_client(None, api.client.base_url, api.client.timeout)
    app = App(
        name="vouch-slack",             # its logger is quiet; without a name the sources of all callers are read
        client=client, signing_secret=signing_secret, process_before_response=True, logger=quiet_logger(),
        authorize=lambda: me,           # the library would ask Slack, and acknowledge what it then cannot hand on
    )
    app.error(_not_taken)
    app.event("app_mention")(once.of(hearing.said))
    app.event("message")(once.of(hearing.said))
    app.event("reaction_added")(once.of(voting.reacted))
    app.event("reaction_removed")(once.of(voting.reacted))
    app.event("app_home_opened")(once.of(_opened(asking, personal)))
    for name in NEWS:
        app.event(name)(_heard(news))
    app.event(MOVED)(once.of(asking.rules.moved))
    setting = Setting(asking.rules)
    app.command(COMMAND)(_commanded(asking, setting, personal))
    app.view(CALLBACK)(lambda ack, view, body: ack(**setting.submitted(body["user"]["id"], view)))
    app.shortcut({"type": "message_action", "callback_id": SHORTCUT})(_about(asking))
    presses.register(app)
    app.action(FEEDBACK)(_voting(asking, voting))
    app.action(PRIVATELY)(_privately(asking))
    app.action(SHARE)(_sharing(asking, sharing))
    app.view(_REASON)(_reasoning(voting))
    return app


def _commanded(asking: Asking, setting: Setting, personal: Personal) -> Callable[..., None]:
    def commanded(ack: Callable[..., object], command: Mapping[str, Any], respond: Callable[..., object]) -> None:
        asked = WHY.fullmatch(str(command.get("text") or "").strip())
        if asked is not None and names_no_answer(asked[1] or ""):
            ack(response_type="ephemeral", text=NO_ID)
            return
        if asked is not None:
            ack(response_type="ephemeral", text=LOOKING_UP)     # Slack waits for three seconds, and is asked itself
            asking.aside(lambda: _told_why(personal, str(command["user_id"]), asked[1] or "", respond))
            return
        reply = setting.opened(command) if setting.means(command) else asking.commanded(command)
        ack(response_type="ephemeral", text=reply) if reply else ack()

    return commanded


def _told_why(personal: Personal, user: str, written: str, respond: Callable[..., object]) -> None:
    try:
        why = personal.why(user, written)
    except Unavailable as error:
        _log.warning("slack: a trace is not told: %s", error)
        why = NOT_NOW
    respond(response_type="ephemeral", text=plain(why[:300]), blocks=[{"type": "markdown", "text": why}])


def _voting(asking: Asking, voting: Voting) -> Callable[..., None]:
    def voted(ack: Callable[[], object], action: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        channel = body["channel"]["id"]
        try:
            answer_id, vote = voting.voted(body["user"]["id"], channel, action["value"], action["action_ts"])
        except NotFound:
            ack()
            asking.aside(lambda: tell_presser(asking.api, body, GONE))
            return
        ack()
        if vote == DOWN:
            lost_without_harm(lambda: asking.api.call(
                "views.open", trigger_id=body["trigger_id"], view=reason_view(_REASON, channel, answer_id)))

    return voted


def _reasoning(voting: Voting) -> Callable[..., None]:
    def given(ack: Callable[[], object], view: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        with suppress(NotFound):            # it is no longer kept
            voting.reasoned(body["user"]["id"], view["private_metadata"], *reason_of(view))
        ack()

    return given


def _privately(asking: Asking) -> Callable[..., None]:
    def pressed(ack: Callable[[], object], action: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        user, channel = body["user"]["id"], body["channel"]["id"]
        try:
            text = asking.privately(user, action["value"], channel, moment(action["action_ts"]))
        except NotFound:
            text = GONE
        ack()
        asking.aside(lambda: tell_presser(asking.api, body, text))

    return pressed


def _sharing(asking: Asking, sharing: Sharing) -> Callable[..., None]:
    def pressed(ack: Callable[[], object], action: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        user, at, team = body["user"]["id"], action["action_ts"], str(body["user"].get("team_id") or "")
        reply = sharing.share(user, action["value"], moment(at), team)
        if reply != SHARED:
            place = Place(str(asking.api.me["team_id"]), body["channel"]["id"])
            asking.tell_later(to_be_told("unshared", place, question_id(place, at), user, reply))
        ack()
        if reply == SHARED:
            asking.aside(lambda: tell_presser(asking.api, body, reply))

    return pressed


def _about(asking: Asking) -> Callable[..., None]:
    def chosen(ack: Callable[[], object], shortcut: Mapping[str, Any]) -> None:
        asking.about(shortcut)
        ack()

    return chosen


def _heard(news: News) -> Callable[[Event], None]:
    """The library gives what it calls what its parameters are named."""
    def heard(event: Event) -> None:
        news.told(event)

    return heard


def _opened(asking: Asking, personal: Personal) -> Callable[[Event], None]:
    def opened(event: Event) -> None:
        user, channel = str(event["user"]), str(event.get("channel") or "")
        if event.get("tab") == "home":
            asking.aside(lambda: personal.home(user))
        elif event.get("tab") == "messages" and channel:
            asking.aside(lambda: personal.prompts(channel))

    return opened


def _not_taken(error: Exception) -> BoltResponse:
    """What was said is nowhere yet, so Slack is not told that it arrived."""
    _log.warning("slack: not taken: %s", told(error))
    return BoltResponse(status=500, body="")
