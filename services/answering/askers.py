"""Who asks: the ids of their questions, whose turn it is, and what strangers are not told."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from typing import Protocol

from vouch.access import PUBLIC, Audience
from vouch.errors import Denied
from vouch.filters import Filters

_DIGITS = 32


class QuestionIds:
    """An id is a nonce and a mark that only `key` can make of nonce and asker, so every process with the key knows."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def new(self, asker: str, text: str, readers: Sequence[str], once: str | None = None) -> str:
        """With `once` the same for the same words, readers and asker; else never the same twice."""
        nonce = secrets.token_hex(_DIGITS // 2) if once is None else self._digits("once", asker, text, *readers, once)
        return nonce + self._digits("asked", asker, nonce)

    def is_of(self, question_id: str, asker: str) -> bool:
        nonce, mark = question_id[:_DIGITS], question_id[_DIGITS:]
        made = self._digits("asked", asker, nonce)
        return hmac.compare_digest(mark.encode(errors="replace"), made.encode())

    def _digits(self, *parts: str) -> str:
        data = json.dumps(parts).encode()
        return hmac.new(self._key, data, hashlib.sha256).hexdigest()[:_DIGITS]


class Turns(Protocol):
    def take(self, who: str) -> None:
        """Raises Guarded for one question too many."""
        ...


class Unlimited:
    def take(self, who: str) -> None:
        """Never refuses: no limit is set."""


def untold(audience: Audience) -> dict[str, int]:
    """Numbers that replace those shown to these readers; empty where the directory knows them all."""
    return {"index_version": 0, "access_epoch": 0} if _strange(audience) else {}


def refuse_owners(filters: Filters, audience: Audience) -> None:
    """Raises Denied where strangers narrow by owners: what is found would tell who works here."""
    if filters.owners and _strange(audience):
        raise Denied("only people whom the directory knows may narrow by owners", cure="sign in, or leave owners out")


def _strange(audience: Audience) -> bool:
    return any(reader.principals == {PUBLIC} for reader in audience.readers)
