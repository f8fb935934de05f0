"""Whether the bot's own endpoint takes what Slack signs."""

import http.client
import json
import time
import uuid

from slack_sdk.signature import SignatureVerifier

from bots.slack.http_server import PATH
from vouch.errors import Usage

_SECONDS = 5.0
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}       # noqa: S104 - not listened on, but replaced
_START = "start it on this machine: vouch slack run"


def own_endpoint(host: str, port: int, secret: str) -> str:
    """Asks it as Slack does before it sends any event. Raises Usage with the cure."""
    if port == 0:
        raise Usage("nobody can know the port", cure="set VOUCH_SLACK__PORT")
    challenge = uuid.uuid4().hex
    status, told = _posted(_ANYWHERE.get(host, host), port, secret,
                           json.dumps({"type": "url_verification", "token": "unused", "challenge": challenge}))
    if status == 0:
        raise Usage(f"nobody answers at {host}:{port}", cure=_START)
    if status == 401:
        raise Usage("the bot refuses what is signed with this secret",
                    cure="give the bot the same VOUCH_SLACK__SIGNING_SECRET, and set the clock; then start it again")
    if status != 200 or challenge not in told:
        raise Usage(f"what answers at {host}:{port}{PATH} is not the bot (status {status})", cure=_START)
    return f"http://{host}:{port}{PATH} answers what is signed with the secret"


def _posted(host: str, port: int, secret: str, body: str) -> tuple[int, str]:
    """Status and text; status 0 if nobody answers."""
    moment = str(int(time.time()))
    signature = SignatureVerifier(secret).generate_signature(timestamp=moment, body=body) or ""
    connection = http.client.HTTPConnection(host, port, timeout=_SECONDS)
    try:
        connection.request("POST", PATH, body, {
            "Content-Type": "application/json", "X-Slack-Request-Timestamp": moment, "X-Slack-Signature": signature})
        response = connection.getresponse()
        return response.status, response.read(10_000).decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()
