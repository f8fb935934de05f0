"""Marks that a form carries, so that no page of somebody else can send it for this person."""

import hashlib
import hmac
import json
import secrets

from bots.http.caller import Caller
from vouch.errors import Denied

COOKIE = "vouch_browser"


class Marks:
    """A mark is made of the browser's own cookie and of who is signed in: it serves in no other browser or session."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @staticmethod
    def new_browser() -> str:
        return secrets.token_urlsafe(24)

    def mark(self, browser: str, caller: Caller) -> str:
        data = json.dumps(["form", browser, caller.tag, caller.session]).encode()
        return hmac.new(self._key, data, hashlib.sha256).hexdigest()

    def check(self, given: str, browser: str | None, caller: Caller) -> None:
        """Raises Denied for a form that was not rendered for this browser and person."""
        made = self.mark(browser, caller) if browser else ""
        if not made or not hmac.compare_digest(given.encode(errors="replace"), made.encode()):
            raise Denied("the form is too old, or was not made by this service", cure="open the page again")
