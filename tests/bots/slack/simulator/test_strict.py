"""The Slack on the loopback ends what Slack ends, takes no argument of another kind, and tells events again as Slack
does, unless the app says that it wants no more."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bots.slack.simulator import SlackServer
from bots.slack.simulator.deliveries import HASTE, RETRIES_S
from bots.slack.simulator.hooks import Hooks
from bots.slack.simulator.server import BOT_TOKEN
from bots.slack.simulator.streaming import EXPIRES_S
from bots.slack.simulator.workspace import STATUS_S

pytestmark = pytest.mark.integration
ROOT = "1.000001"


@pytest.fixture
def slack() -> Iterator[SlackServer]:
    with SlackServer() as started:
        for id_ in ("U1", "U2"):
            started.workspace.user(id_, id_, f"{id_}@acme.test")
        started.workspace.channel("C1", "one", ["U1", "U2"], "private")
        yield started


def call(slack: SlackServer, method: str, **given: Any) -> Any:
    return WebClient(BOT_TOKEN, base_url=slack.url, retry_handlers=[]).api_call(method, json=given)


def refused(slack: SlackServer, method: str, **given: Any) -> str:
    with pytest.raises(SlackApiError) as error:
        call(slack, method, **given)
    return str(error.value.response["error"])


def clock(slack: SlackServer) -> list[float]:
    now = [100.0]
    slack.workspace.clock = lambda: now[0]
    return now


def begun(slack: SlackServer) -> str:
    return str(call(slack, "chat.startStream", channel="C1", thread_ts=ROOT, recipient_user_id="U1",
                    recipient_team_id="T0ACME", markdown_text="a")["ts"])


def test_a_stream_that_nothing_is_written_to_expires(slack: SlackServer) -> None:
    now, ts = clock(slack), begun(slack)
    for _ in range(3):
        now[0] += EXPIRES_S
        call(slack, "chat.appendStream", channel="C1", ts=ts, markdown_text="b")
    assert refused(slack, "chat.update", channel="C1", ts=ts, text="x") == "streaming_state_conflict"
    now[0] += EXPIRES_S + 1
    for method in ("chat.appendStream", "chat.stopStream"):
        assert refused(slack, method, channel="C1", ts=ts, markdown_text="c") == "message_not_in_streaming_state"
    call(slack, "chat.update", channel="C1", ts=ts, text="x")
    assert [m.shown() for m in slack.workspace.messages] == ["x"]


def test_a_status_goes_away_by_itself_and_when_the_app_writes_there(slack: SlackServer) -> None:
    now = clock(slack)

    def say() -> None:
        call(slack, "assistant.threads.setStatus", channel_id="C1", thread_ts=ROOT, status="looks")

    say()
    now[0] += STATUS_S
    assert slack.workspace.status == {("C1", ROOT): "looks"}
    now[0] += 1
    assert slack.workspace.status == {}

    def answer() -> object:
        return call(slack, "chat.postMessage", channel="C1", thread_ts=ROOT, text="x")

    for write in (answer, lambda: begun(slack)):
        say()
        call(slack, "chat.postMessage", channel="C1", text="elsewhere")
        assert slack.workspace.status
        write()
        assert slack.workspace.status == {}


@pytest.mark.parametrize(("method", "given"), [
    ("chat.postMessage", {"channel": "C1", "text": 7}), ("chat.postMessage", {"channel": ["C1"], "text": "x"}),
    ("chat.postMessage", {"channel": "C1", "text": "x", "unfurl_links": "no way", "blocks": {}}),
    ("chat.postMessage", {"channel": "C1", "text": "x", "thread_ts": 1.5}),
    ("chat.postMessage", {"channel": "C1", "text": "x", "link_names": 1}),
    ("chat.postMessage", {"channel": "C1", "text": "x", "metadata": []}),
    ("chat.postEphemeral", {"channel": "C1", "user": 1, "text": "x"}),
    ("assistant.threads.setStatus", {"channel_id": "C1", "thread_ts": ROOT, "status": "s", "loading_messages": "m"}),
    ("views.publish", {"user_id": "U1", "view": []}),
])  # fmt: skip
def test_an_argument_of_another_kind_is_refused(slack: SlackServer, method: str, given: dict[str, Any]) -> None:
    assert refused(slack, method, **given) == "invalid_arguments" and not slack.workspace.messages


class App:
    """Answers each request with `status`, and keeps what it was told."""

    def __init__(self, status: int, headers: dict[str, str]) -> None:
        self.status, self.headers = status, headers
        self.heard: list[dict[str, str]] = []


@contextmanager
def listening(slack: SlackServer, status: int, **headers: str) -> Iterator[App]:
    app = App(status, {name.replace("_", "-"): value for name, value in headers.items()})

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            app.heard.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(app.status)
            for name, value in app.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is logged."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    slack.deliveries.app.request_url = f"http://127.0.0.1:{server.server_address[1]}/slack/events"
    try:
        yield app
    finally:
        server.shutdown()
        server.server_close()


def test_an_event_is_told_three_times_more_as_late_as_slack_tells_it(slack: SlackServer) -> None:
    assert RETRIES_S == (0.0, 60.0, 300.0) and slack.deliveries.retries == tuple(one / HASTE for one in RETRIES_S)
    with listening(slack, 500) as app:
        slack.deliveries.say("U1", slack.workspace.channels["C1"], "hello")
    assert [one.get("x-slack-retry-num") for one in app.heard] == [None, "1", "2", "3"]
    assert {one.get("x-slack-retry-reason") for one in app.heard} == {None, "http_error"}
    [told] = slack.deliveries.log
    assert not told.acked and told.tries == 4


@pytest.mark.parametrize(("answered", "tries"), [("1", 1), ("0", 4)])
def test_an_app_may_say_that_it_wants_no_more_of_it(slack: SlackServer, answered: str, tries: int) -> None:
    with listening(slack, 500, X_Slack_No_Retry=answered) as app:
        slack.deliveries.say("U1", slack.workspace.channels["C1"], "hello")
    assert len(app.heard) == tries


def post(url: str, **given: Any) -> str:
    """Empty, or Slack's word for what is wrong."""
    request = urllib.request.Request(url, json.dumps(given).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10):
            return ""
    except urllib.error.HTTPError as error:
        with error:
            return str(json.loads(error.read())["error"])


def test_an_interaction_is_answered_five_times_at_its_own_address(slack: SlackServer) -> None:
    url = slack.hooks.give("C1", "U1")
    assert post(url, text="x", colour="red") == "invalid_arguments" and post(url) == "no_text"
    assert [post(url, text=str(n)) for n in range(6)] == [""] * 5 + ["used_url"]
    assert {m.only_for for m in slack.workspace.messages} == {"U1"} and len(slack.workspace.messages) == 5
    assert post(slack.hooks.base + "/hooks/made-up", text="x") == "used_url"


def test_for_half_an_hour(slack: SlackServer) -> None:
    now = [0.0]
    slack.hooks = Hooks(slack.workspace, lambda: now[0])
    slack.hooks.base = slack.url.removesuffix("/api/")
    url = slack.hooks.give("C1", "U1")
    now[0] = 1800.0
    assert post(url, text="all see it", response_type="in_channel") == ""
    now[0] = 1801.0
    assert post(url, text="late") == "expired_url"
    [seen] = slack.workspace.seen_by("U2", "C1")
    assert seen.text == "all see it"


def test_what_was_pressed_is_replaced_or_taken_away(slack: SlackServer) -> None:
    call(slack, "chat.postMessage", channel="C1", text="press me")
    [message] = slack.workspace.messages
    url = slack.hooks.give("C1", "U1", message)
    assert post(url, text="pressed", replace_original=True) == "" and message.text == "pressed"
    assert post(url, delete_original=True) == "" and not slack.workspace.messages


def test_a_group_conversation_is_one_whoever_opens_it(slack: SlackServer) -> None:
    assert refused(slack, "conversations.open", users="U1,U2") == "missing_scope"     # the app opens none itself
    slack.api.scopes |= {"mpim:write"}
    first = call(slack, "conversations.open", users="U1,U2")["channel"]["id"]
    assert call(slack, "conversations.open", users="U2, U1")["channel"]["id"] == first == \
        slack.workspace.together(["U2", "U1", "U0VOUCH"]).id
    told = WebClient(BOT_TOKEN, base_url=slack.url, retry_handlers=[]).conversations_info(channel=first)["channel"]
    assert told["is_mpim"] and told["is_private"] and not told["is_im"]
    assert refused(slack, "conversations.open", users="U1,U9") == "user_not_found"
    for number in range(8):
        slack.workspace.user(f"U9{number}", "x")
    assert refused(slack, "conversations.open", users=",".join(slack.workspace.users)) == "too_many_users"


PICTURE, PAGE, OWN = "https://files.test/plan.png", "https://wiki.test/plan", "https://acme.slack.com/x.png"
SAID = f"see {PAGE} and {PICTURE} or {OWN}"
LINKED = [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
    {"type": "link", "url": PICTURE, "text": "plan"}]}]}]


@pytest.mark.parametrize(("given", "shown"), [
    ({"text": SAID}, [PICTURE]), ({"text": "plan", "blocks": LINKED}, [PICTURE]),
    ({"text": SAID, "unfurl_links": True}, [PAGE, PICTURE]), ({"text": SAID, "unfurl_media": False}, []),
    ({"text": SAID, "unfurl_links": True, "unfurl_media": False}, [PAGE]),
    ({"text": "plan", "blocks": LINKED, "unfurl_links": False, "unfurl_media": False}, []),
])
def test_previews_are_seen_unless_the_app_says_no(slack: SlackServer, given: dict[str, Any], shown: list[str]) -> None:
    call(slack, "chat.postMessage", channel="C1", **given)
    [message] = slack.workspace.seen_by("U1", "C1")
    assert [line for line in message.shown().splitlines() if "[preview" in line] == [
        f"[preview of {url}]" for url in shown]


def test_metadata_are_told_to_an_app_that_may_read_them(slack: SlackServer) -> None:
    own = {"event_type": "e", "event_payload": {"id": "1"}}
    ts = call(slack, "chat.postMessage", channel="C1", text="x", metadata=own)["ts"]
    client = WebClient(BOT_TOKEN, base_url=slack.url, retry_handlers=[])

    def told() -> list[Any]:
        looks = (client.conversations_history(channel="C1", include_all_metadata=True),
                 client.conversations_replies(channel="C1", ts=ts, include_all_metadata=True))
        return [look["messages"][0].get("metadata") for look in looks]

    assert told() == [own, own]
    slack.api.scopes -= {"metadata.message:read"}
    assert told() == [None, None]
