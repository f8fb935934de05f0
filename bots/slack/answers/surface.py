"""Answers posted in Slack, each known there by its question's id."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from bots.slack.answers.layout import message
from bots.slack.answers.reach import asker_of, is_noise
from bots.slack.answers.source_list import Block
from bots.slack.api import ChannelDown, NotTaken, OddRefusal, SlackApi, refused_for
from bots.slack.ephemeral import show
from bots.slack.place import Place, answer_in, metadata, payload_of, read_place
from bots.slack.progress.finishing import ShownStages
from vouch.errors import BadInput, Busy, ConversationDown, Denied, SurfaceDown, VouchError
from vouch.ports.surface import AfterDoubt, Delivery

CLOSED_S = 30.0                         # a conversation that takes nothing for a while is tried again after so long
_BEFORE_S = 300.0                       # by so much the clocks of Slack and vouch may differ


@dataclass(frozen=True, slots=True)
class _Found:
    """`asker`: who alone is shown an answer that is noise to all others. `stages`: messages that show how far it is."""

    noise: bool = False
    asker: str = ""
    stages: tuple[Mapping[str, Any], ...] = ()


class SlackSurface:
    """Implements ports.Surface. The id lies in the message's metadata, which only the app itself can write."""

    def __init__(
        self, api: SlackApi, monotonic: Callable[[], float] = time.monotonic, stages: ShownStages | None = None
    ) -> None:
        """With `stages`, a message that shows how far the question is becomes its answer."""
        self._api = api
        self._stages = stages
        self._monotonic = monotonic

    @property
    def after_doubt(self) -> AfterDoubt:
        return "ask"

    def has(self, delivery: Delivery) -> bool:
        """Looks through what was posted there since the question was asked. Raises SurfaceDown, or NotTaken where
        this conversation alone may not be looked at.

        What one person alone sees cannot be looked for: after a lost reply it may be shown to them twice.
        """
        place = _place(delivery)
        look: dict[str, Any] = {"channel": place.channel, "limit": 200, "include_all_metadata": True}
        if place.only:                  # Slack tells nobody whether it is there: once too often rather than never
            return False
        since = _since(delivery)
        if since is not None:
            look["oldest"] = f"{since:.6f}"
        method = "conversations.history"
        if place.thread_ts:
            method, look = "conversations.replies", look | {"ts": place.thread_ts}
        try:
            with _of_this_one(place):
                pages = self._api.pages(method, "messages", **look)
                return any(self._is(delivery, posted) for posted in pages)
        except Denied:                  # the channel or the thread is gone, and so is whatever was in it
            return False

    def prepared(self, delivery: Delivery) -> Delivery:
        """Implements Preparing: Slack may take longer to tell than a look at the readers counts."""
        place = _place(delivery)
        if place.team != self._api.me["team_id"]:
            raise Denied("the question was asked in another workspace of Slack", cure="ask it again in this one")
        if place.only:
            return replace(delivery, found=_Found())
        noise = is_noise(delivery.question_id, delivery.answer, unasked=delivery.unasked)
        with _of_this_one(place):
            asker = asker_of(self._api, delivery.question_id) if noise else ""
            return replace(delivery, found=_Found(noise, asker, self._shown(place, delivery)))

    def post(self, delivery: Delivery) -> None:
        ready = delivery if isinstance(delivery.found, _Found) else self.prepared(delivery)
        place = _place(ready)
        try:
            with _of_this_one(place):
                self._post(place, ready, ready.found)
        except ConversationDown:
            raise
        except SurfaceDown as error:
            wait = refused_for(error)
            if wait is None:
                raise
            raise ConversationDown(error.cause, place.conversation, cure=error.cure, retry_after_s=wait) from None

    def _post(self, place: Place, delivery: Delivery, found: _Found) -> None:
        private = bool(place.only) or place.channel.startswith("D")
        blocks, text = message(delivery.answer, alone=not place.thread_ts, private=private)
        if place.only:
            self._fresh(delivery)
            self._post_alone(place, delivery, place.only, blocks, text)
            return
        if found.noise:
            self._fresh(delivery)
            if found.asker:             # else the question is deleted by now
                self._post_alone(place, delivery, found.asker, blocks, text)
            self._nothing_shown(place, found.stages)
            return
        body = {"blocks": blocks, "text": text,
                "metadata": metadata(delivery.question_id, str(delivery.answer["id"]))}
        fresh, well, shown = partial(self._fresh, delivery), bool(delivery.answer["index_version"]), found.stages
        if self._stages is not None and shown and self._stages.finish(place, shown[0], body, fresh, well=well):
            self._stages.remove(place, shown[1:])
            return
        fresh()
        self._api.call(
            "chat.postMessage", channel=place.channel, thread_ts=place.thread_ts or None, **body,
            parse="none", link_names=False, unfurl_links=False, unfurl_media=False,
        )
        if self._stages is not None:
            self._stages.remove(place, shown)

    def probe(self) -> str:
        """Raises SurfaceDown."""
        return f"{self._api.call('auth.test')['team']} answers"

    def _post_alone(self, place: Place, delivery: Delivery, user: str, blocks: list[Block], text: str) -> None:
        show(self._api, place, delivery.question_id, user, text, blocks=blocks, parse="none", link_names=False)

    def _nothing_shown(self, place: Place, stages: tuple[Mapping[str, Any], ...]) -> None:
        """What all see of a question until it is answered goes away, as no answer takes its place."""
        if self._stages is not None:
            self._stages.remove(place, stages)
        with suppress(VouchError):
            self._api.call("assistant.threads.setStatus", channel_id=place.channel, thread_ts=place.thread_ts,
                           status="")

    def _fresh(self, delivery: Delivery) -> None:
        if delivery.until is not None and self._monotonic() > delivery.until:
            raise Busy("who reads along in Slack has to be looked up again", cure="it is tried again")

    def _shown(self, place: Place, delivery: Delivery) -> tuple[Mapping[str, Any], ...]:
        """Messages that show how far the question is, the newest first."""
        if self._stages is None or not place.thread_ts:
            return ()
        return self._stages.of(place, delivery.question_id, _since(delivery))

    def _is(self, delivery: Delivery, posted: Mapping[str, Any]) -> bool:
        """By the question's id; an app that may not see metadata knows an answer by its own id."""
        told = payload_of(posted).get("question_id") == delivery.question_id
        return posted.get("user") == self._api.me["user_id"] and (told or answer_in(posted) == delivery.answer["id"])


@contextmanager
def _of_this_one(place: Place) -> Iterator[None]:
    """What Slack refuses of one conversation holds up no other, and is not tried for ever."""
    try:
        yield
    except ChannelDown as error:
        raise ConversationDown(error.cause, place.conversation, cure=error.cure, retry_after_s=CLOSED_S) from None
    except OddRefusal as error:
        raise NotTaken(error.cause, cure=error.cure) from None


def _since(delivery: Delivery) -> float | None:
    """When what belongs to the question may have been posted first."""
    if "asked_at" not in delivery.answer:
        return None
    return datetime.fromisoformat(delivery.answer["asked_at"]).timestamp() - _BEFORE_S


def _place(delivery: Delivery) -> Place:
    """Raises Denied for a question that was not asked in Slack."""
    try:
        return read_place(delivery.thread or "")
    except BadInput as error:
        raise Denied(error.cause, cure=error.cure) from error
