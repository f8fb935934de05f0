"""Sends messages to Kafka, each acknowledged by every replica in sync before `send` returns."""

import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from typing import Any

from kafka import KafkaAdminClient, KafkaProducer, errors

from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.errors import BadMessage
from vouch.messages import LARGEST

MOST_BYTES = LARGEST + 40_000           # a message of the largest size with what a dead one says of itself
_CLOSE_S = 5.0
_DROP_S = 1.0


class KafkaSender:
    """Threads may share it. Idempotent: what the library repeats after a lost reply is stored once.

    A message whose `send` raised may be stored all the same: sent again, it is another message to Kafka. A client
    that is given up takes with it what other threads are sending on it; they are told so by LogDown.
    """

    def __init__(self, place: KafkaConnection) -> None:
        self._place = place
        self._turn = threading.Lock()
        self._client: Any = None
        self._known: set[str] = set()

    def send(
        self, topic: str, key: bytes, value: bytes, headers: Sequence[tuple[str, bytes]] = ()
    ) -> tuple[int, int]:
        name, place = self._place.topic(topic), self._place
        with place.ours(f"sending to {name}"):
            self._check(name)
            client = self._opened()
            try:
                future = client.send(name, value=value, key=key, headers=list(headers))
                sent = future.get(timeout=place.timeout_seconds + 1)
            except errors.MessageSizeTooLargeError as error:
                raise BadMessage(
                    f"{len(value)} bytes for {name} are more than Kafka accepts", cure=f"send at most {LARGEST} bytes"
                ) from error
            except errors.KafkaError as error:
                # Some leave the client unusable for good; after a silent line it waits on what it never gets.
                if not error.retriable or isinstance(error, errors.KafkaTimeoutError):
                    self._drop(client)
                raise
        return int(sent.partition), int(sent.offset)

    def close(self) -> None:
        with self._turn:
            client, self._client = self._client, None
        if client is not None:
            with suppress(errors.KafkaError):       # what is still under way is another thread's, which is told
                client.close(timeout=_CLOSE_S)

    def _opened(self) -> Any:
        with self._turn:
            if self._client is None:
                wait = self._place.milliseconds
                options = self._place.options() | {"request_timeout_ms": max(1_000, wait // 2)}
                self._client = KafkaProducer(
                    **options, acks="all", enable_idempotence=True, allow_auto_create_topics=False,
                    max_request_size=MOST_BYTES, max_block_ms=wait, delivery_timeout_ms=wait,
                )
            return self._client

    def _check(self, name: str) -> None:
        """A topic that is missing is said to be missing; the library would wait for somebody to make it."""
        if name not in self._known:
            with closing(KafkaAdminClient(**self._place.options())) as admin:
                [found] = admin.describe_topics([name])
            if found["error_code"]:
                raise self._place.missing([name])
            self._known.add(name)

    def _drop(self, client: Any) -> None:
        with self._turn:
            if self._client is client:
                self._client = None
        with suppress(errors.KafkaError):
            client._sender.force_close()        # or it waits for what never comes, and its thread works on for good
            client.close(timeout=_DROP_S)
