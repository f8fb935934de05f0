"""Answers posted in Slack, each known there by its question's id."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from bots.slack.api import SlackApi
from bots.slack.layout import message
from bots.slack.place import Place, read_place
from vouch.errors import BadInput, Busy, Denied
from vouch.ports.surface import AfterDoubt, Delivery

EVENT = "vouch_answer"
_BEFORE_S = 300.0                       # by so much the clocks of Slack and vouch may differ


class SlackSurface:
    """Implements ports.Surface. The id lies in the message's metadata, which only the app itself can write."""

    def __init__(self, api: SlackApi, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._api = api
        self._monotonic = monotonic

    @property
    def after_doubt(self) -> AfterDoubt:
        return "ask"

    def has(self, delivery: Delivery) -> bool:
        """Looks through what was posted there since the question was asked. Raises SurfaceDown."""
        place = _place(delivery)
        look: dict[str, Any] = {"channel": place.channel, "limit": 200, "include_all_metadata": True}
        if "asked_at" in delivery.answer:
            asked = datetime.fromisoformat(delivery.answer["asked_at"]).timestamp()
            look["oldest"] = f"{asked - _BEFORE_S:.6f}"
        method = "conversations.history"
        if place.thread_ts:
            method, look = "conversations.replies", look | {"ts": place.thread_ts}
        try:
            return any(self._is(delivery.question_id, one) for one in self._api.pages(method, "messages", **look))
        except Denied:                  # the channel or the thread is gone, and so is whatever was in it
            return False

    def post(self, delivery: Delivery) -> None:
        place = _place(delivery)
        if place.team != self._api.me["team_id"]:
            raise Denied("the question was asked in another workspace of Slack", cure="ask it again in this one")
        blocks, text = message(delivery.answer, alone=not place.thread_ts, private=place.channel.startswith("D"))
        if delivery.until is not None and self._monotonic() > delivery.until:
            raise Busy("who reads along in Slack has to be looked up again", cure="it is tried again")
        self._api.call(
            "chat.postMessage", channel=place.channel, thread_ts=place.thread_ts or None, blocks=blocks, text=text,
            metadata={"event_type": EVENT, "event_payload": {
                "question_id": delivery.question_id, "answer_id": str(delivery.answer["id"]),
            }},
            parse="none", link_names=False, unfurl_links=False, unfurl_media=False,
        )  # fmt: skip

    def probe(self) -> str:
        """Raises SurfaceDown."""
        return f"{self._api.call('auth.test')['team']} answers"

    def _is(self, question_id: str, posted: Mapping[str, Any]) -> bool:
        return posted.get("user") == self._api.me["user_id"] and payload_of(posted).get("question_id") == question_id


def payload_of(posted: Mapping[str, Any]) -> Mapping[str, Any]:
    """The question's and the answer's id of a message of this app; empty for any other."""
    metadata = posted.get("metadata") or {}
    return metadata.get("event_payload") or {} if metadata.get("event_type") == EVENT else {}


def _place(delivery: Delivery) -> Place:
    """Raises Denied for a question that was not asked in Slack."""
    try:
        return read_place(delivery.thread or "")
    except BadInput as error:
        raise Denied(error.cause, cure=error.cure) from error
