"""A service that people sign in to with a provider of OpenID Connect."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from homes.memory import folder_in_memory

from bots.http.app import Service
from bots.http.identity.identities import Identities
from bots.http.identity.oidc.provider import Provider, ProviderKeys
from bots.http.identity.oidc.sessions import Seal, SignedSessions
from bots.http.identity.oidc.sign_in import SignIn
from bots.http.identity.tokens import Expected, SignedTokens
from bots.http.page.signing import CALLBACK
from http_scene.http_place import Place, http_place
from http_scene.oidc_provider import CLIENT, SECRET, OidcProvider
from services.answering.identity import EndedInLedger

SEAL = Seal(b"k" * 32)


def sign_in_with(provider: OidcProvider, callback: str, ended: EndedInLedger, seal: Seal = SEAL) -> SignIn:
    known = Provider(provider.issuer, CLIENT, SECRET, callback)
    expected = Expected(provider.issuer, CLIENT, ("RS256",))
    tokens = SignedTokens(ProviderKeys(known), expected, "VOUCH_HTTP__OIDC")
    return SignIn(known, tokens, CLIENT, seal, SignedSessions(seal, 8.0, ended))


@contextmanager
def oidc_place(provider: OidcProvider, ended: EndedInLedger, *, secure: bool = False) -> Iterator[Place]:
    made: list[SignIn] = []

    def planted(service: Service) -> Service:
        made.append(sign_in_with(provider, "http://127.0.0.1:1/sign-in/callback", ended))
        return replace(service, sign_in=made[0], local=None, secure_cookies=secure,
                       identities=Identities([made[0].sessions], anonymous=True))

    with folder_in_memory() as folder, http_place(folder, changed=planted) as place:
        made[0].provider.callback = provider.callback = f"{place.address}{CALLBACK}"
        yield place
