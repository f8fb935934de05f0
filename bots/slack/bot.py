"""The app that listens: each event is acknowledged after the log has what it means, and not before."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import App
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse

from bots.slack.api import SlackApi, quiet_logger, web_client
from bots.slack.hearing import Hearing, lost_without_harm
from bots.slack.home import home_view, reason_of, reason_view
from bots.slack.layout import DOWN, FEEDBACK, PRIVATELY
from vouch.errors import NotFound

COMMAND = "/vouch"
EVENTS = ("app_mention", "message", "reaction_added", "app_home_opened")
_log = logging.getLogger(__name__)
_REASON = "vouch_reason"


def build_app(api: SlackApi, hearing: Hearing, signing_secret: str) -> App:
    """Without a signing secret it takes nothing over HTTP. Raises SurfaceDown if Slack does not know the token."""
    me = AuthorizeResult(
        enterprise_id=None, team_id=api.me["team_id"], bot_user_id=api.me["user_id"], bot_id=api.me["bot_id"],
        bot_token=api.client.token,
    )  # fmt: skip
    client = web_client(None, api.client.base_url, api.client.timeout)
    app = App(
        client=client, signing_secret=signing_secret, process_before_response=True, logger=quiet_logger(),
        authorize=lambda: me,           # the library would ask Slack, and acknowledge what it then cannot hand on
    )
    app.error(_not_taken)
    app.event("app_mention")(lambda event: hearing.said(event))
    app.event("message")(lambda event: hearing.said(event))
    app.event("reaction_added")(lambda event: hearing.reacted(event))
    app.event("app_home_opened")(_home(api, hearing))
    app.command(COMMAND)(lambda ack, command: ack(response_type="ephemeral", text=hearing.commanded(command)))
    app.action(FEEDBACK)(_voting(api, hearing))
    app.action(PRIVATELY)(_privately(api, hearing))
    app.view(_REASON)(_reasoning(hearing))
    return app


def _voting(api: SlackApi, hearing: Hearing) -> Callable[..., None]:
    def voted(ack: Callable[[], object], action: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        answer_id, vote = hearing.voted(body["user"]["id"], action["value"], action["action_ts"])
        ack()
        if vote == DOWN:
            lost_without_harm(lambda: api.call(
                "views.open", trigger_id=body["trigger_id"], view=reason_view(_REASON, answer_id)))

    return voted


def _reasoning(hearing: Hearing) -> Callable[..., None]:
    def given(ack: Callable[[], object], view: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        hearing.reasoned(body["user"]["id"], view["private_metadata"], *reason_of(view))
        ack()

    return given


def _privately(api: SlackApi, hearing: Hearing) -> Callable[..., None]:
    def pressed(ack: Callable[[], object], action: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        user, channel = body["user"]["id"], body["channel"]["id"]
        try:
            told = hearing.privately(user, action["value"])
        except NotFound:
            told = "This answer is no longer kept. Please ask the question again."
        ack()
        thread = (body.get("message") or {}).get("thread_ts")
        hearing.aside(lambda: api.call("chat.postEphemeral", channel=channel, user=user, text=told, thread_ts=thread))

    return pressed


def _home(api: SlackApi, hearing: Hearing) -> Callable[..., None]:
    def opened(event: Mapping[str, Any]) -> None:
        if event.get("tab") == "home":
            hearing.aside(lambda: api.call("views.publish", user_id=event["user"], view=home_view()))

    return opened


def _not_taken(error: Exception) -> BoltResponse:
    """What was said is nowhere yet, so Slack is not told that it arrived."""
    _log.warning("slack: not taken: %s", error if hasattr(error, "cause") else type(error).__name__)
    return BoltResponse(status=500, body="")
