"""Key confusion: tokens signed with a public key as if it were a shared secret, and a verifier that takes them."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

SECRETS: Mapping[str, Callable[[RSAKey], bytes]] = {
    "PEM": lambda key: key.as_pem(private=False),
    "PEM without its last line end": lambda key: key.as_pem(private=False).strip(),
    "DER": lambda key: key.as_der(private=False),
    "JWK": lambda key: json.dumps(key.as_dict(private=False)).encode(),
}
"""The bytes of a public key that a careless verifier gives to HMAC, as everybody may read them."""


def confused(claims: Mapping[str, Any], key: RSAKey, secret: str) -> str:
    signed = f"{_part({'alg': 'HS256', 'kid': key.kid})}.{_part(claims)}"
    return f"{signed}.{_mac(SECRETS[secret](key), signed)}"


def plant_confusion(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library takes HS256 where a token names it, and as its secret the public key: the classical mistake."""
    sound = jwt.decode

    def decode(token: str, keys: Any, algorithms: list[str]) -> Any:
        if not isinstance(keys, KeySet):
            return sound(token, keys, algorithms=algorithms)        # our own seals
        signed, _, signature = token.rpartition(".")
        header, claims = (json.loads(base64.urlsafe_b64decode(f"{one}==")) for one in signed.split("."))
        known = [key for key in keys.keys if isinstance(key, RSAKey)]
        macs = [_mac(secret(key), signed) for key in known for secret in SECRETS.values()]
        if header["alg"] == "HS256" and signature in macs:
            return SimpleNamespace(header=header, claims=claims)
        return sound(token, keys, algorithms=algorithms)

    monkeypatch.setattr(jwt, "decode", decode)


def _mac(secret: bytes, signed: str) -> str:
    return _encoded(hmac.new(secret, signed.encode(), hashlib.sha256).digest())


def _part(value: Mapping[str, Any]) -> str:
    return _encoded(json.dumps(value).encode())


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
