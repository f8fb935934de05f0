"""A way to prove who asks is on with all of its settings and off with none of them: a part of them is a mistake.

Passed over in silence it would leave everybody with what is public.
"""

from dataclasses import dataclass

from pydantic import SecretStr

from vouch.errors import Usage
from vouch.settings.surfaces import HttpSettings


@dataclass(frozen=True, slots=True)
class Way:
    """`needed` are its settings; `more` are those that mean nothing without it."""

    what: str
    needed: tuple[str, ...]
    more: tuple[str, ...] = ()


OIDC = Way("signing in with a provider", ("oidc_issuer", "oidc_client", "oidc_secret"))
BEARER = Way("tokens of programs", ("bearer_jwks", "bearer_issuer", "bearer_audience"), ("bearer_asks_for",))
PROXY = Way("a proxy that says who asks", ("proxy_header", "proxy_peers", "proxy_secret"))
PROXY_ADDRESSES = Way("a proxy that says where requests come from", ("proxy_peers", "proxy_secret"))


def is_on(http: HttpSettings, way: Way) -> bool:
    """Whether all of its settings are there. Raises Usage where only some are."""
    there = [name for name in (*way.needed, *way.more) if _is_set(http, name)]
    missing = [name for name in way.needed if name not in there]
    if there and missing:
        raise Usage(f"{way.what} is set in part: {_listed(there)} without {_listed(missing)}",
                    cure=f"set {_listed(missing)} too, or leave out {_listed(there)}")
    return bool(there)


def _is_set(http: HttpSettings, name: str) -> bool:
    value = getattr(http, name)
    return bool(value.get_secret_value() if isinstance(value, SecretStr) else value)


def _listed(names: list[str]) -> str:
    return " and ".join(f"VOUCH_HTTP__{name.upper()}" for name in names)
