"""Requests are signed as Standard Webhooks says, so that any of its libraries can check them."""

import base64
import hashlib
import hmac
from urllib.parse import quote

from vouch.errors import Usage

PREFIX = "whsec_"
KEY_BYTES = (24, 64)
_MADE = "whsec_$(openssl rand -base64 32)"


class WebhookSignature:
    """HMAC-SHA256 over `ID.SECONDS.BODY`, in three headers."""

    def __init__(self, secret: str) -> None:
        """Raises Usage, which does not show it, for a secret of another form."""
        self._key = _key_of(secret)

    def headers(self, name: str, seconds: int, body: bytes) -> dict[str, str]:
        """`name` is what the request is about; requests about the same have one id."""
        id_ = webhook_id(name)
        made = hmac.digest(self._key, f"{id_}.{seconds}.".encode() + body, hashlib.sha256)
        return {
            "webhook-id": id_,
            "webhook-timestamp": str(seconds),
            "webhook-signature": f"v1,{base64.b64encode(made).decode()}",
        }


def webhook_id(name: str) -> str:
    """Percent-encoded, full stops too: what is signed is parted by them, so an id must not hold one."""
    return quote(name, safe="").replace(".", "%2E")


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True) if secret.startswith(PREFIX) else b""
    except ValueError:
        key = b""
    least, most = KEY_BYTES
    if not least <= len(key) <= most:
        raise Usage(f"the callback's secret is not {PREFIX} and the base64 of {least} to {most} bytes",
                    cure=f"in a shell: export VOUCH_CALLBACK__SECRET={_MADE}")
    return key
