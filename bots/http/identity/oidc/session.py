"""What Authlib's client of OAuth 2 sends goes by the one bounded exchange."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from bots.http.identity.exchange import exchange


@dataclass(frozen=True, slots=True)
class Answer:
    status_code: int
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def raise_for_status(self) -> None:
        if self.status_code >= 400:
            raise http.client.HTTPException(f"status {self.status_code}")


class BoundedSession:
    """The one method that a token is fetched with."""

    def post(self, url: str, data: Mapping[str, str], headers: Mapping[str, str], auth: Any) -> Answer:
        """`auth` adds the client's own proof. Raises one of exchange.FAILURES."""
        address, sent, body = auth.prepare("POST", url, dict(headers), urlencode(data))
        reply = exchange("POST", address, sent, body.encode())
        return Answer(reply.status, reply.body)
