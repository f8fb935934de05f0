"""Where people ask and where they read, and who looks after it: HTTP, Slack, callbacks, monitoring."""

import re
from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints, ValidationInfo, field_validator

from vouch.access import parse_tag
from vouch.errors import BadAccess
from vouch.settings.base import PLAIN_URL, Group

_PLAIN_URL = re.compile(PLAIN_URL)

class AskingSettings(Group):
    per_minute: Annotated[int, Field(ge=0, le=10_000, description="Questions one asker may ask within a minute; more are refused with the time to wait. 0: no limit, but for strangers over HTTP (`VOUCH_HTTP__STRANGER_QUESTIONS`).")] = 0


class CallbackSettings(Group):
    """Answers to questions of one surface are sent to an address (delivery.md)."""

    url: Annotated[str, Field(description="Address that answers are sent to; empty: none.")] = ""
    surface: Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,200}$", description="Answers to questions with this `surface` go there.")] = "callback"
    hosts: Annotated[str, Field(description="Hosts that the address may have, separated by commas; any other host is refused at startup.")] = ""
    secret: Annotated[SecretStr, Field(description="Key of the signature that each request carries, as Standard Webhooks writes it: `whsec_` and the base64 of 24 to 64 random bytes; never logged.")] = SecretStr("")
    timeout_seconds: Annotated[float, Field(gt=0, le=60, description="Longest time for one request in all.")] = 10.0
    after_doubt: Annotated[Literal["ask", "repeat"], Field(description="If a reply is lost: `ask` the receiver what it has, or, if it drops repeats by their webhook-id, `repeat` the request.")] = "ask"


_TOKENS = {"bot_token": "xoxb-", "app_token": "xapp-"}


class SlackSettings(Group):
    """Questions asked and answered in Slack (slack.md). The bot, the worker, and the sender need the same of these."""

    bot_token: Annotated[SecretStr, Field(description="The app's bot token, `xoxb-…`; never logged. Empty: no Slack.")] = SecretStr("")
    mode: Annotated[Literal["socket", "http"], Field(description="How events come: over a connection that the bot opens, or as signed requests that Slack sends.")] = "socket"
    app_token: Annotated[SecretStr, Field(description="For `socket`: the app-level token, `xapp-…`; never logged.")] = SecretStr("")
    signing_secret: Annotated[SecretStr, Field(description="For `http`: the app's signing secret; never logged.")] = SecretStr("")
    host: Annotated[str, Field(min_length=1, description="For `http`: the address to listen on. What is in front of it speaks https.")] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535, description="For `http`: the port to listen on; 0: any.")] = 3000
    api_url: Annotated[str, Field(pattern=PLAIN_URL, description="Address of Slack's Web API; https, or on the loopback.")] = "https://slack.com/api/"
    timeout_seconds: Annotated[float, Field(gt=0, le=30, description="Longest wait for one reply of Slack.")] = 10.0
    people: Annotated[dict[str, str], Field(description="Access tags of people and apps whose verified e-mail address does not tell: Slack user id to tag.")] = {}
    people_seconds: Annotated[float, Field(ge=0, le=600, description="How long what Slack says of a person, or of who is in a user group, counts, unless it tells of a change; of a person five seconds at most right before an answer is posted, in a large workspace more (docs/slack.md).")] = 60.0
    members_seconds: Annotated[float, Field(ge=0, le=60, description="How long what Slack says of who is in a channel counts while an answer is made, unless it tells of a change; when an answer is begun, and right before it is posted, Slack is asked anew.")] = 5.0
    max_members: Annotated[int, Field(ge=1, le=1000, description="In a conversation with more members only public documents are used.")] = 200
    progress: Annotated[Literal["stream", "status"], Field(description="How a thread shows how far its question is: by a message with its stages, which becomes the answer, or by a status alone.")] = "stream"
    public_channels: Annotated[Literal["members", "public"], Field(description="Who reads along in a channel that anybody in the workspace may open: its `members`, or everybody, so that only `public` documents are used there.")] = "members"

    owners: Annotated[str, Field(description="Access tags of those who look after all channels, separated by commas, such as `user:ana@acme.test, group:support`: they are asked where a person wants a human, decide about drafts, and get the daily digest.")] = ""
    prompts: Annotated[tuple[Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=75)], ...], Field(max_length=3, description='Questions of your company that direct messages suggest, three at most, as ["How do I book travel?"]; choose some that everybody gets an answer to.')] = ()
    handoffs_per_hour: Annotated[int, Field(ge=1, le=100, description="How often one person may ask for a human within an hour.")] = 5

    @field_validator("bot_token", "app_token")
    @classmethod
    def _a_token(cls, token: SecretStr, info: ValidationInfo) -> SecretStr:
        value, other = token.get_secret_value(), next(name for name in _TOKENS if name != info.field_name)
        begins = _TOKENS[info.field_name or ""]
        if value.startswith(_TOKENS[other]):
            raise ValueError(f"begins with {_TOKENS[other]}, as VOUCH_SLACK__{other.upper()} does; it needs {begins}…")
        if value and not (value.startswith(begins) and re.fullmatch(r"[!-~]+", value.removeprefix(begins))):
            raise ValueError(f"must be the token that Slack gave: {begins} and plain letters, digits and signs")
        return token


class MonitorSettings(Group):
    """Metrics and health of a running process (operations.md)."""

    port: Annotated[int, Field(ge=0, le=65535, description="Port of 127.0.0.1 where `vouch worker`, `vouch sender`, `vouch watch` and `vouch serve` answer /metrics, /healthz and /readyz; one for each process. 0: none.")] = 0


class HttpSettings(Group):
    """The HTTP service and page of `vouch serve` (http.md). Who asks is proven as identity.md says; no way is on by default."""

    host: Annotated[str, Field(min_length=1, description="Address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535, description="Port to listen on; 0 takes a free one.")] = 8080
    hosts: Annotated[str, Field(description="Names that browsers and programs reach it by, without ports, separated by commas; requests to any other name are refused. Empty: 127.0.0.1 and localhost.")] = ""
    anonymous: Annotated[bool, Field(description="A request that does not prove who asks reads what is public; false refuses it.")] = True
    operators: Annotated[str, Field(description="Group whose people may look at what tells of all documents, as group:NAME; empty: nobody.")] = ""
    announcers: Annotated[str, Field(description="Who may announce changed documents over HTTP besides operators, as access tags separated by commas, such as `user:ci@acme.test, group:writers`.")] = ""
    uploads: Annotated[str, Field(description="Source of kind folder that operators may upload documents into; empty: none. Its access rules decide who reads them.")] = ""
    upload_bytes: Annotated[int, Field(ge=1024, le=100_000_000, description="Largest form with an uploaded document.")] = 5_000_000
    secret: Annotated[SecretStr, Field(description="Key of question ids, of marks in forms and of the sessions of people who sign in with a provider: whoever knows it can be anybody. Never logged. 16 characters or more; several web processes need the same. Empty: one that is kept in the home.")] = SecretStr("")
    secure_cookies: Annotated[bool | None, Field(description="Browsers send cookies by https only. Unset: where the service's address is https, or it listens beyond this machine; false says otherwise, with a warning.")] = None
    body_bytes: Annotated[int, Field(ge=1024, le=10_000_000, description="Largest body of a request.")] = 65_536
    per_minute: Annotated[int, Field(ge=0, description="Requests of one person within a minute, wherever they are, and of one address that proves nothing; more are refused. 0: any number. Each process counts for itself.")] = 600
    stranger_questions: Annotated[int, Field(ge=0, le=10_000, description="Questions within a minute from one address that proves nothing, so that no stranger holds up others for long; more are refused. A smaller `VOUCH_ASKING__PER_MINUTE` counts for them, too. 0: no limit of their own. Each process counts for itself.")] = 30
    address: Annotated[str, Field(description="Where browsers reach it, such as https://ask.acme.test; needed for signing in with a provider, and for programs to be told where they get tokens.")] = ""
    mcp: Annotated[bool, Field(description="Assistants may ask at /mcp, by the Model Context Protocol (mcp.md).")] = False
    metrics_token: Annotated[SecretStr, Field(description="What Prometheus sends as its bearer token for /metrics, 16 characters or more; never logged. Empty: operators alone see it.")] = SecretStr("")
    oidc_issuer: Annotated[str, Field(description="OpenID Connect provider that people sign in with, by its issuer: an https address. Empty: none.")] = ""
    oidc_client: Annotated[str, Field(description="Client id that the provider gave.")] = ""
    oidc_secret: Annotated[SecretStr, Field(description="Client secret that the provider gave; never logged.")] = SecretStr("")
    oidc_algorithms: Annotated[str, Field(description="Signatures of the provider that are accepted, separated by commas, whatever it says; none with a shared key.")] = "RS256"
    oidc_claim: Annotated[str, Field(min_length=1, description="Claim that holds the person's name in the directory; of `email` only a verified one.")] = "email"
    oidc_hours: Annotated[float, Field(gt=0, le=168, description="How long somebody stays signed in.")] = 8.0
    bearer_jwks: Annotated[str, Field(description="Keys that tokens of programs are signed with: a JWKS file, or its https address. Empty: no tokens are taken.")] = ""
    bearer_issuer: Annotated[str, Field(description="The `iss` that a token must have.")] = ""
    bearer_audience: Annotated[str, Field(description="The `aud` that a token must have.")] = ""
    bearer_algorithms: Annotated[str, Field(description="Signatures that are accepted, separated by commas, whatever a token says; none with a shared key.")] = "RS256"
    bearer_claim: Annotated[str, Field(min_length=1, description="Claim of a token that holds the person's name in the directory; of `email` only a verified one.")] = "email"
    bearer_asks_for: Annotated[dict[str, tuple[str, ...]], Field(description='Programs that may ask for others: by the tag of each the readers, or groups of readers, that it may name as the audience, as {"user:helpdesk": ["group:support"]}.')] = {}
    group_claim: Annotated[str, Field(description="Claim of the provider's and of programs' tokens that names groups, such as `groups`; empty: none is believed.")] = ""
    group_map: Annotated[dict[str, str], Field(description='Which group of the directory a value of that claim stands for; others count for nothing, as {"vouch-engineers": "group:engineers"}.')] = {}
    group_hours: Annotated[float, Field(gt=0, le=168, description="How long groups count that a token named, from when it was made, and to the end of the last hour.")] = 8.0
    proxy_header: Annotated[str, Field(pattern=r"^$|^[A-Za-z0-9-]{1,100}$", description="Header in which a proxy in front says who asks. Empty: none is believed.")] = ""
    proxy_peers: Annotated[str, Field(description="Addresses or networks that the proxy connects from, separated by commas.")] = ""
    proxy_secret: Annotated[SecretStr, Field(description="What the proxy sends in X-Vouch-Proxy-Secret, 16 characters or more; never logged.")] = SecretStr("")

    @field_validator("secret", "metrics_token")
    @classmethod
    def _not_guessed(cls, secret: SecretStr) -> SecretStr:
        if 0 < len(secret.get_secret_value()) < 16:
            raise ValueError("needs at least 16 characters, or none")
        return secret

    @field_validator("operators")
    @classmethod
    def _a_group(cls, tag: str) -> str:
        if tag and not re.fullmatch(r"group:\S+", tag):
            raise ValueError("must be one group, written as group:operators")
        return tag

    @field_validator("announcers")
    @classmethod
    def _tags(cls, tags: str) -> str:
        for tag in filter(None, map(str.strip, tags.split(","))):
            try:
                parse_tag(tag)
            except BadAccess as error:
                raise ValueError(f"{error.cause}; {error.cure}") from error
        return tags

    @field_validator("address")
    @classmethod
    def _an_address(cls, address: str) -> str:
        if address and not _PLAIN_URL.fullmatch(address):
            raise ValueError("must be an address such as https://ask.acme.test")
        return address


class TracingSettings(Group):
    """OpenTelemetry traces of questions, from the asking to the reply (operations.md)."""

    endpoint: Annotated[str, Field(pattern=rf"{PLAIN_URL}|^$", description="Address of a collector that accepts spans by OTLP over HTTP, path included, as http://127.0.0.1:4318/v1/traces; empty: no traces. A key goes into `OTEL_EXPORTER_OTLP_HEADERS`, never into the address.")] = ""
