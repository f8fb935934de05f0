"""What a person can do about a call that Slack refuses or does not answer, by the code that Slack gives."""

from urllib.error import URLError

FROM_PAGE = "copy the Bot User OAuth Token of the app's page OAuth & Permissions to VOUCH_SLACK__BOT_TOKEN"
_GENERATE = "generate an app-level token with the scope connections:write, and set VOUCH_SLACK__APP_TOKEN"
_INSTALL = "install the app into the workspace again, and set VOUCH_SLACK__BOT_TOKEN to the token that this gives"
_SCOPES = "give the app the scopes of vouch slack manifest, and install it again"
_BY_CODE = {
    "invalid_auth": FROM_PAGE, "not_authed": FROM_PAGE, "not_allowed_token_type": FROM_PAGE,
    "token_revoked": _INSTALL, "token_expired": _INSTALL, "account_inactive": _INSTALL,
    "missing_scope": _SCOPES, "no_permission": _SCOPES,
    "team_access_not_granted": "let an administrator of Slack grant the app access to this workspace",
    "access_denied": "let an administrator of Slack allow the app",
    "ekm_access_denied": "an administrator of Slack has suspended access to messages: ask there",
    "org_login_required": "the workspace is being moved into an organisation: try again later",
    "team_added_to_org": "the workspace is being moved into an organisation: try again later",
}  # fmt: skip
_BY_APP_TOKEN = frozenset({"invalid_auth", "not_authed", "not_allowed_token_type", "token_revoked", "token_expired",
                           "account_inactive", "missing_scope", "no_permission"})  # fmt: skip
UNREACHABLE = ("look whether this machine reaches Slack by https (network, proxy, VOUCH_SLACK__API_URL), "
               "then try again")
LEFT_ALONE = "Slack takes no more such calls for now: try again in {:.0f} s"


def refused(method: str, code: str) -> str:
    """`code`: what Slack calls the error; empty for a status alone."""
    if method == "apps.connections.open" and code in _BY_APP_TOKEN:
        return _GENERATE
    if code in _BY_CODE:
        return _BY_CODE[code]
    if not code or code in ("internal_error", "fatal_error", "service_unavailable", "request_timeout"):
        return "try again in a moment; https://slack-status.com says whether Slack itself has trouble"
    return f"https://docs.slack.dev/reference/methods/{method} says what that means"


def unanswered(error: Exception) -> str:
    """Why no reply came, without what was sent."""
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, TimeoutError):
        return "no reply in time"
    return (reason.strerror if isinstance(reason, OSError) else None) or type(reason).__name__
