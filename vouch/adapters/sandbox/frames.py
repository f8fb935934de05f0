"""Messages between vouch and its parsing child: two lengths, a JSON object, bytes. Neither side trusts the other's."""

import json
import os
import struct
from typing import Any

Message = tuple[dict[str, Any], bytes]
MOST_HEADER = 16 * 1024 * 1024          # bytes
_LENGTHS = struct.Struct(">II")


class BadFrame(ValueError):
    """What came is no message, or not the one that was due."""


def frame(header: dict[str, Any], body: bytes = b"") -> bytes:
    packed = json.dumps(header, separators=(",", ":")).encode()
    return _LENGTHS.pack(len(packed), len(body)) + packed + body


class Incoming:
    """Gathers one message from blocks of bytes, never more of it than is allowed."""

    def __init__(self, most_body: int) -> None:
        self._most_body = most_body
        self._held = bytearray()

    def feed(self, block: bytes) -> Message | None:
        """The message once it is whole. Raises BadFrame as soon as it cannot become one."""
        self._held += block
        if len(self._held) < _LENGTHS.size:
            return None
        header, body = _LENGTHS.unpack_from(self._held)
        if header > MOST_HEADER or body > self._most_body:
            raise BadFrame("a message that is too long")
        end = _LENGTHS.size + header + body
        if len(self._held) < end:
            return None
        if len(self._held) > end:
            raise BadFrame("more than one message")
        with memoryview(self._held) as view:
            return _object(bytes(view[_LENGTHS.size : _LENGTHS.size + header])), bytes(view[_LENGTHS.size + header :])


def receive(handle: int) -> Message | None:
    """The next message, waited for; None at the end of the stream."""
    lengths = _exactly(handle, _LENGTHS.size)
    if lengths is None:
        return None
    header, body = _LENGTHS.unpack(lengths)
    packed, data = _exactly(handle, header), _exactly(handle, body)
    return None if packed is None or data is None else (_object(packed), data)


def send(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _exactly(handle: int, length: int) -> bytes | None:
    held = bytearray()
    while len(held) < length:
        block = os.read(handle, min(length - len(held), 1 << 20))
        if not block:
            return None
        held += block
    return bytes(held)


def _object(packed: bytes) -> dict[str, Any]:
    try:
        header = json.loads(packed)
    except (ValueError, RecursionError) as error:
        raise BadFrame("no JSON") from error
    if not isinstance(header, dict):
        raise BadFrame("no JSON object")
    return header
