"""A provider of OpenID Connect on loopback, as strict as a real one, that tells lies on demand.

It checks client, secret, redirect address, PKCE (S256 alone) and that a code is
used once and in time. Whoever comes to `authorize` is `person` at once; a
browser is shown a page there with one button.
"""

import base64
import hashlib
import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

from http_scene.local_http import LocalHTTP, QuietHandler

CLIENT, SECRET = "vouch", "the-secret-of-vouch"
KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
Claims = dict[str, Any]


def signed(claims: Claims) -> str:
    return jwt.encode({"alg": "RS256", "kid": "one"}, claims, KEY)


@dataclass
class OidcProvider:
    """`lie` makes the id token from the claims; `metadata` is what it says of itself besides; `apart`: the address of
    a person is told by `userinfo` alone."""

    person: Claims = field(default_factory=lambda: {"sub": "1", "email": "ana", "email_verified": True})
    callback: str = ""
    lie: Callable[[Claims], str] = signed
    metadata: Claims = field(default_factory=dict)
    apart: bool = False
    userinfo: Claims = field(default_factory=dict)
    codes: dict[str, Claims] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    def __enter__(self) -> "OidcProvider":
        self.server = LocalHTTP(type("Handler", (_Handler,), {"provider": self}))
        self.server.__enter__()
        self.issuer = f"http://127.0.0.1:{self.server.server_address[1]}"
        return self

    def __exit__(self, *told: object) -> None:
        self.server.__exit__(*told)

    def sign_in(self, address: str) -> str:
        """What the browser is sent back to, once the person has signed in at `address`. Raises ValueError."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        wrong = [name for name, value in {"client_id": CLIENT, "response_type": "code", "redirect_uri": self.callback,
                                          "code_challenge_method": "S256"}.items() if asked.get(name) != value]
        missing = [name for name in ("state", "nonce", "code_challenge") if not asked.get(name)]
        if wrong or missing or "openid" not in asked.get("scope", "").split():
            raise ValueError(f"refused: {wrong} {missing}")
        code = uuid.uuid4().hex
        self.codes[code] = {**asked, "until": time.time() + 60}
        return f"{self.callback}?{urlencode({'code': code, 'state': asked['state']})}"

    def redeemed(self, form: Claims, authorization: str) -> Claims:
        """What a code is worth. Raises ValueError for one that is not good."""
        basic = base64.b64encode(f"{quote(CLIENT)}:{quote(SECRET)}".encode()).decode()
        asked = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if authorization != f"Basic {basic}":
            raise ValueError("invalid_client")
        if (asked is None or asked["until"] < time.time() or form.get("grant_type") != "authorization_code"
                or form.get("redirect_uri") != asked["redirect_uri"] or challenge != asked["code_challenge"]):
            raise ValueError("invalid_grant")
        now = int(time.time())
        own = {"sub": self.person["sub"]} if self.apart else self.person
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"], **own}
        return {"access_token": "access-1", "token_type": "Bearer", "expires_in": 300, "id_token": self.lie(claims)}

    def said(self) -> Claims:
        places = {f"{name}_endpoint": f"{self.issuer}/{name}" for name in ("authorization", "token", "userinfo")}
        return {"issuer": self.issuer, **places, "jwks_uri": f"{self.issuer}/jwks",
                "id_token_signing_alg_values_supported": ["RS256", "none"], **self.metadata}


class _Handler(QuietHandler):
    provider: OidcProvider

    def do_GET(self) -> None:  # noqa: N802
        place, provider = urlsplit(self.path).path, self.provider
        if place == "/.well-known/openid-configuration":
            self._json(200, provider.said())
        elif place == "/jwks":
            self._json(200, dict(KeySet([KEY]).as_dict(private=False)))
        elif place == "/userinfo" and self.headers["Authorization"] == "Bearer access-1":
            self._json(200, provider.userinfo or provider.person)
        elif place == "/authorize":
            head = '<title>Provider</title><link rel="icon" href="data:,">'
            form = f'<form method="post" action="{escape(self.path)}"><button>Sign in</button></form>'
            self.send(200, (head + form).encode(), "text/html")
        else:
            self._json(404, {})

    def do_POST(self) -> None:  # noqa: N802
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if urlsplit(self.path).path == "/authorize":
            self.send(302, b"", Location=self.provider.sign_in(self.path))
            return
        form = {name: values[0] for name, values in parse_qs(body).items()}
        try:
            if urlsplit(self.path).path != "/token":
                raise ValueError("invalid_request")
            self._json(200, self.provider.redeemed(form, self.headers.get("Authorization", "")))
        except ValueError as error:
            self.provider.refused.append(str(error))
            self._json(400, {"error": str(error)})

    def _json(self, status: int, value: Claims) -> None:
        self.send(status, json.dumps(value).encode())
