"""The ways in which people and programs prove who they are, as far as the settings turn them on."""

import hmac
import logging
import re
from collections.abc import Collection

from bots.http.identity.addresses import is_loopback, is_safe, is_this_machine
from bots.http.identity.bearer import BearerTokens, Resource
from bots.http.identity.caller import Identity
from bots.http.identity.identities import Identities
from bots.http.identity.jwks import Jwks, open_jwks
from bots.http.identity.local import LocalSessions
from bots.http.identity.oidc.provider import Provider, ProviderKeys
from bots.http.identity.oidc.sessions import Ended, Seal, SignedSessions
from bots.http.identity.oidc.sign_in import SignIn
from bots.http.identity.proxy import TrustedPeers, TrustedProxy
from bots.http.identity.tokens import Expected, GroupClaims, GroupNotes, SignedTokens, chosen
from bots.http.page.signing import CALLBACK
from cli.wiring.http.whole_ways import BEARER, OIDC, PROXY, PROXY_ADDRESSES, is_on
from services.answering.identity import ProvenInLedger
from vouch.access import Directory
from vouch.access_check.directory import expired, unknown
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.ledger import Ledger
from vouch.errors import NotFound, Unavailable, Usage
from vouch.settings.surfaces import HttpSettings

_PLAIN = re.compile(r"https?://[\w.:\[\]-]+/?", re.ASCII)
_log = logging.getLogger(__name__)


def open_proven(http: HttpSettings, ledger: Ledger) -> ProvenInLedger:
    """Notes of groups that count for the hours that are set now, also those noted while more were set."""
    proven = ProvenInLedger(ledger.access, ledger.proven_groups, http.group_hours)
    proven.shorten()
    return proven


def open_groups(http: HttpSettings, notes: GroupNotes) -> GroupClaims | None:
    """What is believed of the groups that tokens name; nothing unless the settings say of which claim and which values.
    """
    if not http.group_claim and not http.group_map:
        return None
    if not http.group_claim or not http.group_map:
        raise Usage("groups of tokens are believed only of one claim, and only those that are named",
                    cure="set VOUCH_HTTP__GROUP_CLAIM and VOUCH_HTTP__GROUP_MAP, or neither")
    return GroupClaims(http.group_claim, http.group_map, notes)


def open_sign_in(http: HttpSettings, key: bytes, ended: Ended, groups: GroupClaims | None = None) -> SignIn | None:
    """Its cookies are signed with a key of their own, so that no other mark of the service is taken for one. Raises
    Usage for settings that nobody could sign in with."""
    if not is_on(http, OIDC):
        return None
    provider = Provider(http.oidc_issuer, http.oidc_client, http.oidc_secret.get_secret_value(),
                        f"{http.address.rstrip('/')}{CALLBACK}")
    expected = Expected(http.oidc_issuer, http.oidc_client, tuple(chosen(http.oidc_algorithms)), http.oidc_claim)
    seal = Seal(hmac.digest(key, b"signed in", "sha256"))
    tokens = SignedTokens(ProviderKeys(provider), expected, "VOUCH_HTTP__OIDC")
    sessions = SignedSessions(seal, http.oidc_hours, ended, secure=_secure(http))
    return SignIn(provider, tokens, http.oidc_client, seal, sessions, groups)


def open_identities(
    http: HttpSettings, local: LocalSessions | None, sign_in: SignIn | None, groups: GroupClaims | None = None
) -> Identities:
    """The ways to prove who asks that the settings turn on. If one person is named, nobody else can sign in. Raises
    Usage for a way that is set in part."""
    ways: list[Identity] = [] if local is None else [local]
    if sign_in is not None:
        ways.append(sign_in.sessions)
    if is_on(http, BEARER):
        ways.append(_bearer(http, groups))
    if (http.proxy_header or not ways) and is_on(http, PROXY):      # beside other ways it may tell addresses alone
        ways.append(_proxy(http))
    if not ways and not http.anonymous:
        raise Usage("nobody could get in: no way to prove who asks is on, and nobody else is let in",
                    cure="choose one of docs/identity.md, or leave out VOUCH_HTTP__ANONYMOUS=false")
    return Identities(ways, anonymous=http.anonymous and local is None, per_minute=http.per_minute,
                      proxies=_proxies(http))


def _bearer(http: HttpSettings, groups: GroupClaims | None) -> BearerTokens:
    same_issuer = http.bearer_issuer.rstrip("/") == http.oidc_issuer.rstrip("/")
    if same_issuer and http.bearer_audience == http.oidc_client:
        raise Usage("what the provider says to sign people in would count as a token of a program: "
                    "VOUCH_HTTP__BEARER_AUDIENCE is VOUCH_HTTP__OIDC_CLIENT, of one issuer",
                    cure="have tokens made for an audience of their own, and name it in VOUCH_HTTP__BEARER_AUDIENCE")
    algorithms = tuple(chosen(http.bearer_algorithms))
    expected = Expected(http.bearer_issuer, http.bearer_audience, algorithms, http.bearer_claim)
    return BearerTokens(_keys(http.bearer_jwks), expected, acts_for=http.bearer_asks_for, groups=groups)


def _proxy(http: HttpSettings) -> TrustedProxy:
    return TrustedProxy(http.proxy_header, chosen(http.proxy_peers), http.proxy_secret.get_secret_value())


def _keys(place: str) -> Jwks:
    """They are looked for at once: of a file that holds none nobody could ever get in, and an address may come back."""
    jwks = open_jwks(place)
    try:
        jwks.keys()
    except Unavailable as error:
        if "://" in place:
            _log.warning("VOUCH_HTTP__BEARER_JWKS: the keys of tokens cannot be had from there now, so that no token "
                         "can be checked until they can: %s", error.cause)
            return jwks
        why = getattr(error.__cause__, "strerror", None) or "that is no set of public keys (JWKS)"
        raise Usage(f"the keys of tokens cannot be read from {place}: {why}", cure="fix VOUCH_HTTP__BEARER_JWKS"
                    ) from error
    return jwks


def open_resource(http: HttpSettings) -> Resource | None:
    """What programs are told of where they get tokens; nothing unless tokens are taken, at an address that is known."""
    if not http.bearer_jwks or not http.address:
        return None
    if not is_safe(http.bearer_issuer) or not is_safe(http.address) or not _PLAIN.fullmatch(http.address):
        _log.warning("programs are not told where they get tokens: VOUCH_HTTP__BEARER_ISSUER and VOUCH_HTTP__ADDRESS "
                     "have to be https addresses for that, the second one without a path")
        return None
    return Resource(http.address.rstrip("/"), http.bearer_issuer)


def _proxies(http: HttpSettings) -> TrustedPeers | None:
    if not is_on(http, PROXY_ADDRESSES):
        return None
    return TrustedPeers(chosen(http.proxy_peers), http.proxy_secret.get_secret_value())


def open_local(watched: WatchedPermissions, http: HttpSettings, person: str | None) -> LocalSessions | None:
    if person is None:
        return None
    if not is_loopback(http.host):
        raise Usage("--as is for this machine alone", cure=(
            "leave out VOUCH_HTTP__HOST; or leave out --as, and let people sign in with a provider "
            "(VOUCH_HTTP__OIDC_ISSUER) or by a proxy (VOUCH_HTTP__PROXY_PEERS)"
        ))
    if not person.startswith("user:"):
        raise Usage(f"{person} is no person", cure="vouch serve --as user:NAME")
    directory = watched.permissions().directory
    cause, gone = unknown(directory, person), expired(directory, person)
    if cause or gone:
        raise NotFound(cause or f"{person} {gone}", cure="load a directory that holds them: vouch directory load FILE")
    return LocalSessions(person, secure=_secure(http))


def secure_cookies(http: HttpSettings) -> bool:
    """Whether browsers send cookies by https alone: where they reach it so, or from other machines, unless told not to.
    """
    if http.secure_cookies is False and _heard_by_others(http):
        _log.warning("cookies travel by plain http too: who listens on the way can act as anybody who is signed in; "
                     "leave out VOUCH_HTTP__SECURE_COOKIES=false")
    return _secure(http)


def _secure(http: HttpSettings) -> bool:
    return _heard_by_others(http) if http.secure_cookies is None else http.secure_cookies


def _heard_by_others(http: HttpSettings) -> bool:
    return http.address.startswith("https://") or not is_this_machine(http.host)


def warn_of_names(http: HttpSettings, directory: Directory, sources: Collection[str]) -> None:
    """Warns about names in settings that match nobody, as pages say only that they are not for the person who asks."""
    if http.operators and (warning := unknown(directory, http.operators)):
        _log.warning("VOUCH_HTTP__OPERATORS: %s, so nobody may open /operate", warning)
    for tag in sorted(set(http.group_map.values())):
        if warning := unknown(directory, tag):
            _log.warning("VOUCH_HTTP__GROUP_MAP: %s", warning)
    for tag in chosen(http.announcers):
        if warning := unknown(directory, tag):
            _log.warning("VOUCH_HTTP__ANNOUNCERS: %s", warning)
    if http.uploads and http.uploads not in sources:
        _log.warning("VOUCH_HTTP__UPLOADS: there is no source %r; vouch source list shows them", http.uploads)
