"""Answers go to a program's own address, signed, and the program is asked before one is sent again."""

import http.client
import json
import ssl
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import closing, suppress
from email.utils import parsedate_to_datetime
from urllib.parse import SplitResult, quote, urlsplit

from bots.callback.signature import WebhookSignature
from bots.deadline import Deadline
from vouch.errors import BadInput, Denied, SurfaceDown, Usage
from vouch.ports.surface import AfterDoubt, Delivery
from vouch.trace import traceparent

LARGEST_REPLY = 65_536
LONGEST_PAUSE_S = 3600.0
PROBE = "vouch-status"                  # no question has this id
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_NOT_THIS_ONE = (400, 413, 415, 422)    # the receiver takes others, but not this answer
_NEVER = (410,)
_THERE = 409


class HttpCallback:
    """Implements ports.Surface. One request at a time and connection; redirects and proxies are not followed.

    POST url           the answer; 2xx or 409: it is there
    GET  url/QUESTION  200 and {"question_id": QUESTION, "known": true or false}

    Both are signed, with the question's id as that of the webhook. Nothing of an
    answer is logged, nor of what the receiver says.
    """

    def __init__(
        self,
        url: str,
        secret: str,
        hosts: Collection[str],
        *,
        after_doubt: AfterDoubt = "ask",
        timeout_s: float = 10.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Raises Usage for an address that answers may not go to, or a secret of another form."""
        self._address, self._host, self._port = _checked(url, hosts)
        self._signature = WebhookSignature(secret)
        self._after_doubt: AfterDoubt = after_doubt
        self._timeout = timeout_s
        self._clock = clock

    @property
    def after_doubt(self) -> AfterDoubt:
        return self._after_doubt

    def has(self, delivery: Delivery) -> bool:
        return self.knows(delivery.question_id)

    def knows(self, question_id: str) -> bool:
        """Anything but a plain yes or no raises SurfaceDown: a stray 404 must not cause a second post."""
        target = self._target(f"{self._address.path.rstrip('/')}/{quote(question_id, safe='')}")
        status, headers, body = self._call("GET", target, b"", question_id)
        if status != 200:
            raise self._down(f"it answered status {status} when asked what it has", headers)
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict) or data.get("question_id") != question_id or type(data.get("known")) is not bool:
            raise self._down("what it says it has cannot be understood", headers)
        return bool(data["known"])

    def probe(self) -> str:
        """Asks for a question that nobody asked, to see that the receiver answers. Raises SurfaceDown.

        One that cannot be asked is sent nothing.
        """
        if self._after_doubt == "ask":
            self.knows(PROBE)
            return f"{self._host} answers"
        with closing(self._connection()) as connection:
            try:
                connection.connect()
            except OSError as error:
                raise self._down(f"it accepts no connection: {type(error).__name__}") from error
        return f"{self._host} accepts connections"

    def post(self, delivery: Delivery) -> None:
        body = json.dumps({
            "schema": 1, "type": "Answer", "question_id": delivery.question_id, "thread": delivery.thread,
            "answer": dict(delivery.answer),
        }, ensure_ascii=False).encode()
        target = self._target(self._address.path or "/")
        status, headers, _ = self._call("POST", target, body, delivery.question_id)
        if 200 <= status < 300 or status == _THERE:
            return
        if status in _NEVER:
            raise Denied(f"callback {self._host}: nobody waits for this answer any more (status {status})")
        if status in _NOT_THIS_ONE:
            raise BadInput(f"callback {self._host}: it did not take this answer (status {status})")
        raise self._down(f"it answered status {status}", headers)

    def _target(self, path: str) -> str:
        return f"{path}?{self._address.query}" if self._address.query else path

    def _call(self, method: str, target: str, body: bytes, question_id: str) -> tuple[int, Mapping[str, str], bytes]:
        connection = self._connection()
        with closing(connection), Deadline(connection, self._timeout) as deadline:
            try:
                deadline.connect()         # nothing may leave too late: the answer may be another sender's by now
                connection.request(method, target, body or None, self._headers(method, body, question_id))
                response = connection.getresponse()
                data = response.read(LARGEST_REPLY)
                if deadline.passed:        # to http.client a connection that ends within the headers is a whole reply
                    raise TimeoutError
                return response.status, dict(response.getheaders()), data
            except TimeoutError as error:
                raise self._down(f"no reply within {self._timeout:g} s") from error
            except (OSError, http.client.HTTPException, ValueError) as error:
                late = f"no reply within {self._timeout:g} s" if deadline.passed else type(error).__name__
                raise self._down(f"the exchange failed: {late}") from error

    def _connection(self) -> http.client.HTTPConnection:
        if self._address.scheme == "https":
            try:
                context = ssl.create_default_context()
            except OSError as error:    # SSL_CERT_FILE names what is no list of authorities
                raise self._down(f"the authorities to trust cannot be read: {type(error).__name__}") from error
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=context)
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)

    def _headers(self, method: str, body: bytes, question_id: str) -> dict[str, str]:
        return {
            **self._signature.headers(question_id, int(self._clock()), body),
            "Traceparent": traceparent(question_id),
            "Accept": "application/json",
            "User-Agent": "vouch",
            **({"Content-Type": "application/json"} if method == "POST" else {}),
        }

    def _down(self, what: str, headers: Mapping[str, str] | None = None) -> SurfaceDown:
        wait = retry_after(headers or {}, self._clock())
        return SurfaceDown(f"callback {self._host}: {what}", cure="check VOUCH_CALLBACK__URL and what runs there",
                           retry_after_s=wait)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a receiver wants to be left alone, an hour at most; None if it does not say."""
    value = next((v.strip() for k, v in headers.items() if k.lower() == "retry-after"), "")
    if value.isascii() and value.isdigit():
        return min(float(value[:9]), LONGEST_PAUSE_S)
    with suppress(ValueError, TypeError):
        return min(max(0.0, parsedate_to_datetime(value).timestamp() - now), LONGEST_PAUSE_S)
    return None


def _checked(url: str, hosts: Collection[str]) -> tuple[SplitResult, str, int | None]:
    """The address, its host and its port. Raises Usage."""
    try:
        address = urlsplit(url)
        host, port = address.hostname or "", address.port
    except ValueError as error:
        raise Usage("the callback's address cannot be understood", cure="fix VOUCH_CALLBACK__URL") from error
    plain = url.isascii() and url.isprintable() and " " not in url
    if not plain or address.scheme not in ("https", "http") or not host or address.username is not None \
            or address.fragment:
        raise Usage("the callback's address is not a plain https address", cure="fix VOUCH_CALLBACK__URL")
    if address.scheme == "http" and host not in _LOOPBACK:
        raise Usage(f"answers go to {host} by https only", cure="fix VOUCH_CALLBACK__URL")
    if host not in {allowed.strip().lower() for allowed in hosts}:
        raise Usage(f"answers may not go to {host}", cure="name it in VOUCH_CALLBACK__HOSTS")
    return address, host, port
