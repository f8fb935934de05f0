"""Which buttons and windows of a hand-over there are, and what hears them."""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from slack_bolt import App

from bots.slack.answers.layout import NEED_ALONE, NEED_HUMAN
from bots.slack.api import OddRefusal, SlackApi
from bots.slack.ephemeral import tell_presser
from bots.slack.handoff.handover import GONE, UNKNOWN, Handover
from bots.slack.handoff.views import (
    AGREEMENT,
    APPROVE,
    REFUSE,
    RESOLUTION,
    RESOLVE,
    TAKE,
    agreement_view,
    decided_message,
    resolution_of,
    resolution_view,
)
from bots.slack.place import Place
from vouch.adapters.ledger.handoffs import APPROVED, REFUSED
from vouch.errors import NotFound

Aside = Callable[[Callable[[], object]], object]
Body = Mapping[str, Any]
_log = logging.getLogger(__name__)


class Presses:
    """`wake` has what waits posted at once. `aside` and `soon` may lose what they are given; Slack opens windows for
    three seconds only, so they are opened `soon`.
    """

    def __init__(
        self, api: SlackApi, handover: Handover, aside: Aside, soon: Aside, wake: Callable[[], object]
    ) -> None:
        self._api = api
        self._handover = handover
        self._aside = aside
        self._soon = soon
        self._wake = wake

    def register(self, app: App) -> None:
        app.action(NEED_HUMAN)(self._pressed(self._handover.hand_over))
        app.action(NEED_ALONE)(self._agreeing)
        app.view(AGREEMENT)(self._agreed)
        app.action(TAKE)(self._pressed(self._handover.take))
        app.action(RESOLVE)(self._resolving)
        app.action(APPROVE)(self._deciding(APPROVED))
        app.action(REFUSE)(self._deciding(REFUSED))
        app.view(RESOLUTION)(self._resolved)

    def _pressed(self, act: Callable[[str, str, str], str]) -> Callable[..., None]:
        def pressed(ack: Callable[[], object], action: Body, body: Body) -> None:
            user, conversation = self._where(body)
            reply = _done(act, user, conversation, action["value"])
            ack()
            self._wake()
            self._tell(body, reply)

        return pressed

    def _deciding(self, state: str) -> Callable[..., None]:
        pressed = self._pressed(lambda user, _, draft: self._handover.decide(user, draft, state))

        def decided(ack: Callable[[], object], action: Body, body: Body) -> None:
            pressed(ack, action, body)
            self._aside(partial(self._show_decision, action["value"], body))

        return decided

    def _show_decision(self, draft: str, body: Body) -> None:
        """In place of the buttons. Nothing there depends on it: a press that comes all the same is told the state."""
        shown = body.get("message") or {}
        told, approved = self._handover.decision(str(body["user"]["id"]), draft)
        if told and "blocks" in shown:
            blocks, text = decided_message(shown["blocks"], told, draft if approved else "")
            self._api.call("chat.update", channel=body["channel"]["id"], ts=shown["ts"], blocks=blocks, text=text)

    def _resolving(self, ack: Callable[[], object], action: Body, body: Body) -> None:
        """The window opens for whoever may resolve it."""
        user, conversation = self._where(body)
        refusal = _done(self._handover.may_resolve, user, conversation, action["value"])
        ack()
        if refusal:
            self._tell(body, refusal)
            return
        view = resolution_view(action["value"], keep=self._handover.may_be_kept(action["value"]))
        self._soon(partial(self._api.call, "views.open", trigger_id=body["trigger_id"], view=view))

    def _agreeing(self, ack: Callable[[], object], action: Body, body: Body) -> None:
        """The window that says what is sent, and to whom."""
        sent, why = self._handover.alone.offered(str(body["user"]["id"]), action["value"])
        ack()
        if sent is None:
            self._tell(body, why)
            return
        view = agreement_view(str(sent.body["id"]), sent.question.text)
        self._soon(partial(self._api.call, "views.open", trigger_id=body["trigger_id"], view=view))

    def _agreed(self, ack: Callable[..., object], view: Body, body: Body) -> None:
        told = _done(self._handover.need_alone, str(body["user"]["id"]), view["private_metadata"])
        ack(response_action="update", view=_told_view(told, "Ask a human"))
        self._wake()

    def _resolved(self, ack: Callable[..., object], view: Body, body: Body) -> None:
        told = _done(self._handover.resolve, body["user"]["id"], view["private_metadata"], *resolution_of(view))
        if told:
            ack(response_action="update", view=_told_view(told))
        else:
            ack()
        self._wake()

    def _where(self, body: Body) -> tuple[str, str]:
        place = Place(str(self._api.me["team_id"]), str(body["channel"]["id"]))
        return str(body["user"]["id"]), place.conversation

    def _tell(self, body: Body, told: str) -> None:
        if told:
            self._aside(partial(tell_presser, self._api, body, told))


def _done(act: Callable[..., str], *given: object) -> str:
    """What whoever pressed is told."""
    try:
        return act(*given)
    except NotFound:
        return GONE
    except OddRefusal as error:         # of that account, or of that conversation, alone
        _log.warning("slack: a press does nothing: %s", error)
        return UNKNOWN


def _told_view(told: str, title: str = "Resolved") -> dict[str, Any]:
    return {
        "type": "modal", "title": {"type": "plain_text", "text": title},
        "close": {"type": "plain_text", "text": "Close"},
        "blocks": [{"type": "section", "text": {"type": "plain_text", "text": told}}],
    }  # fmt: skip
