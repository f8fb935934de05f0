"""Slack's Web API: one request a call, errors of ours, and methods to leave alone. Whoever called retries."""

import http.client
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bots.slack.cures import LEFT_ALONE, UNREACHABLE, refused, unanswered
from vouch.errors import BadInput, Conflict, Denied, SurfaceDown, Usage, VouchError

GONE = frozenset({
    "channel_not_found", "not_in_channel", "is_archived", "user_not_found", "users_not_found",
    "cannot_reply_to_message", "user_not_in_channel", "restricted_action",
    "restricted_action_read_only_channel", "restricted_action_thread_only_channel", "restricted_action_thread_locked",
    "restricted_action_non_threadable_channel", "cannot_dm_bot", "user_disabled",
    "no_such_subteam", "user_not_visible", "invalid_thread_ts",
})  # fmt: skip
NO_MESSAGE = frozenset({"thread_not_found", "message_not_found"})
NOT_THIS_ONE = frozenset({
    "msg_too_long", "msg_blocks_too_long", "invalid_blocks", "invalid_blocks_format", "no_text", "invalid_arguments",
    "invalid_metadata_format", "invalid_chunks", "missing_recipient_user_id", "missing_recipient_team_id",
    "cant_update_message", "cant_delete_message", "edit_window_closed", "metadata_too_large",
    "metadata_must_be_sent_from_app", "invalid_metadata_schema",
})  # fmt: skip
NOT_STREAMED = frozenset({"message_not_in_streaming_state", "streaming_state_conflict"})
OF_ALL_CALLS = frozenset({              # no other call would do better: it is waited for
    "", "internal_error", "fatal_error", "service_unavailable", "request_timeout", "rate_limited", "accesslimited",
    "invalid_auth", "not_authed", "not_allowed_token_type", "token_revoked", "token_expired", "account_inactive",
    "missing_scope", "org_login_required", "team_added_to_org", "two_factor_setup_required", "method_deprecated",
    "deprecated_endpoint",
})  # fmt: skip
OF_NAMED_CHANNEL = frozenset({"no_permission", "access_denied"})       # of all calls where none is named
LATER = frozenset({"ekm_access_denied", "external_channel_migrating"})  # the same, and it passes
_JSON = ("chat.", "views.", "assistant.", "conversations.open")    # the others take forms only
_PER_CHANNEL = ("chat.postMessage",)
_CHANNEL = frozenset({"channel", "channel_id"})
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
LONGEST_PAUSE_S = 3600.0


class NoMessage(Denied):
    """The message is not there, or not any more; its conversation is."""


class NotTaken(BadInput):
    """Slack does not take this post, for a reason that is not known here; it may take it later, or another."""


class OddRefusal(SurfaceDown):
    """Slack answers, and does not do this, for a reason that is not known here; it may do others."""


class ChannelDown(OddRefusal):
    """Slack does this of no message of that conversation for a while; of others it does."""


class Reply(dict[str, Any]):
    """Raises SurfaceDown for what it lacks: something else than Slack answered, or half of it came."""

    def __missing__(self, name: str) -> Any:
        raise SurfaceDown(f"Slack: a reply without {name}")


class SlackApi:
    """Threads may share it."""

    def __init__(
        self, token: str, url: str, timeout_s: float, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Raises Usage for an address that the token may not go to."""
        address = urlsplit(url)
        if address.scheme != "https" and address.hostname not in _LOOPBACK:
            raise Usage("the token goes to Slack by https only", cure="fix VOUCH_SLACK__API_URL")
        self.client = web_client(token, url, timeout_s)
        self._monotonic = monotonic
        self._resting: dict[tuple[str, str], float] = {}    # until when Slack wants no such call in such a channel

    def call(self, method: str, **arguments: Any) -> Mapping[str, Any]:
        """What Slack says.

        Raises SurfaceDown when it is down, slow, or wants to be left alone, and
        whenever it may have done what was asked; Denied where it never will;
        BadInput where these arguments are the reason, or NotTaken where that is
        open; ChannelDown where it is that conversation alone, for a while;
        Conflict for a message that is not in the state of being streamed that
        the method needs.

        Until Slack's `Retry-After` is over a method is not called again, or
        not in that channel where each has a limit of its own.
        """
        where = method, str(arguments.get("channel") or "") if method.startswith(_PER_CHANNEL) else ""
        self._rested(where)
        try:
            return self._called(method, arguments)
        except SurfaceDown as error:
            if error.retry_after_s is not None:
                self._resting[where] = self._monotonic() + error.retry_after_s
            raise

    def _rested(self, where: tuple[str, str]) -> None:
        left = self._resting.get(where, float("-inf")) - self._monotonic()
        if left > 0:
            cause = f"Slack: {where[0]}: it wants to be left alone"
            raise SurfaceDown(cause, cure=LEFT_ALONE.format(left), retry_after_s=left)
        self._resting.pop(where, None)

    def _called(self, method: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        given = {name: value for name, value in arguments.items() if value is not None}
        with slack_errors(method, in_channel=not _CHANNEL.isdisjoint(given)):
            if method.startswith(_JSON):
                return self._data(self.client.api_call(method, json=given))
            return self._data(self.client.api_call(method, params=given))

    def pages(self, method: str, rows: str, **arguments: Any) -> Iterator[Any]:
        """The rows of all pages."""
        cursor: str | None = None
        while cursor != "":
            told = self.call(method, cursor=cursor, **arguments)
            yield from told[rows]
            cursor = (told.get("response_metadata") or {}).get("next_cursor") or ""

    @cached_property
    def me(self) -> Mapping[str, Any]:
        """The bot itself: `user_id`, `team_id`, `bot_id`."""
        found = self.call("auth.test")
        _ = found["user_id"], found["team_id"]          # a reply that lacks them is not kept
        return found

    @staticmethod
    def _data(response: Any) -> Mapping[str, Any]:
        if not isinstance(response.data, dict):
            raise SurfaceDown("Slack: a reply that cannot be understood")
        return Reply(response.data)


def web_client(token: str | None, url: str, timeout_s: float) -> WebClient:
    """One that sends nothing twice by itself."""
    seconds = max(1, round(timeout_s))
    return WebClient(
        token, base_url=f"{url.rstrip('/')}/", timeout=seconds, retry_handlers=[], logger=_silent_logger()
    )


def _silent_logger() -> logging.Logger:
    """For calls: whoever makes one is told of its failure by an error of ours."""
    logger = logging.getLogger("slack.calls")
    logger.setLevel(logging.CRITICAL)
    return logger


def quiet_logger() -> logging.Logger:
    """For Slack's libraries, which write what people say and sign into lines of less than a warning."""
    logger = logging.getLogger("slack")
    logger.setLevel(logging.WARNING)
    return logger


@contextmanager
def slack_errors(method: str, *, in_channel: bool = False) -> Iterator[None]:
    """`in_channel`: the call names a conversation, so that it may be that one alone that is refused."""
    try:
        yield
    except SlackApiError as error:
        raise _ours(method, error, in_channel) from None        # its text holds what was sent
    except (SlackClientError, OSError, http.client.HTTPException, ValueError) as error:
        raise SurfaceDown(f"Slack: {method} failed: {unanswered(error)}", cure=UNREACHABLE) from None


def _ours(method: str, error: SlackApiError, in_channel: bool) -> VouchError:
    response = error.response
    status = getattr(response, "status_code", 0)
    data = getattr(response, "data", None)
    code = str(data.get("error", "")) if isinstance(data, dict) else ""
    cause = f"Slack: {method}: {code[:60] or f'status {status}'}"
    if status == 429 or code == "ratelimited":
        wait = _wait(getattr(response, "headers", {}))
        return SurfaceDown(cause, cure=LEFT_ALONE.format(wait), retry_after_s=wait)
    if code in NO_MESSAGE:
        return NoMessage(cause)
    if code in GONE:
        return Denied(cause, cure="invite the app to the channel, then ask again")
    if code == "missing_scope" and method.startswith("usergroups."):
        return Denied(cause, cure="the app was installed before it asked for usergroups:read: install it again")
    if code in NOT_STREAMED:
        return Conflict(cause)
    if code in NOT_THIS_ONE:
        return BadInput(cause)
    if status == 200 and in_channel and code in LATER:
        return ChannelDown(cause, cure=refused(method, code))
    if status == 200 and code not in (OF_ALL_CALLS if in_channel else OF_ALL_CALLS | OF_NAMED_CHANNEL | LATER):
        odd = NotTaken if method.startswith("chat.") else OddRefusal
        return odd(cause, cure=refused(method, code))
    return SurfaceDown(cause, cure=refused(method, code))


def _wait(headers: Mapping[str, Any]) -> float:
    """Seconds that Slack wants to be left alone, an hour at most."""
    value = next((v for k, v in headers.items() if k.lower() == "retry-after"), "")
    text = str(value[0] if isinstance(value, list) and value else value)
    return min(float(text[:9]), LONGEST_PAUSE_S) if text.isascii() and text.isdigit() else 1.0


_AFTER_FAILURE_S = 5.0


class Pace:
    """Threads may share it."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._until: dict[str, float] = {}
        self._lock = threading.Lock()

    def free(self, method: str) -> bool:
        with self._lock:
            return self._monotonic() >= self._until.get(method, 0.0)

    def failed(self, method: str, error: VouchError) -> None:
        """It is not called again until Slack's own time is over, or a short one."""
        wait = refused_for(error)
        with self._lock:
            self._until[method] = self._monotonic() + (_AFTER_FAILURE_S if wait is None else wait)


def refused_for(error: Exception) -> float | None:
    """Seconds that Slack wants to be left alone: nothing was done then. None for any other error."""
    wait: float | None = getattr(error, "retry_after_s", None)
    return wait


def told(error: Exception) -> str:
    """For the log. What is no error of ours may hold words of people."""
    return str(error) if isinstance(error, VouchError) else type(error).__name__
