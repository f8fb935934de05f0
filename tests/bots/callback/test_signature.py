"""Signatures as the Standard Webhooks specification has them; callback_receiver.py checks them over a socket."""

import base64
import time

import pytest
from http_scene.callback_receiver import SECRET, verified

from bots.callback.signature import WebhookSignature, webhook_id
from vouch.errors import Usage


def encoded(size: int) -> str:
    return "whsec_" + base64.b64encode(bytes(range(size))).decode()


def test_the_example_that_the_projects_libraries_are_tested_with() -> None:
    signature = WebhookSignature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    assert signature.headers("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}') == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_a_receiver_that_follows_the_specification_takes_it_as_it_is_and_not_changed() -> None:
    now = int(time.time())
    headers = WebhookSignature(SECRET).headers("q/1.2", now, b"{}")
    assert verified(headers, b"{}", SECRET)
    for changed in ({"webhook-id": "q%2F1%2E3"}, {"webhook-timestamp": str(now - 1)},
                    {"webhook-signature": f"v1,{'A' * 43}="}):
        assert not verified(headers | changed, b"{}", SECRET), changed
    assert not verified(headers, b"{ }", SECRET) and not verified(headers, b"{}", encoded(32))
    assert not verified(WebhookSignature(SECRET).headers("q/1.2", now - 301, b"{}"), b"{}", SECRET)


def test_an_id_holds_no_full_stop_and_no_two_questions_share_one() -> None:
    names = ["5f0c2a", "a.b", "a%2Eb", "a%252Eb", "a/b", "a?b", ".", "%", "C1-1_2~3"]
    ids = [webhook_id(name) for name in names]
    assert len(set(ids)) == len(names) and ids[0] == "5f0c2a" and ids[-1] == "C1-1_2~3"
    assert not any("." in one or " " in one for one in ids)


@pytest.mark.parametrize("secret", [encoded(24), encoded(64)])
def test_a_secret_of_24_to_64_bytes_is_taken(secret: str) -> None:
    assert verified(WebhookSignature(secret).headers("q", int(time.time()), b""), b"", secret)


@pytest.mark.parametrize("secret", [
    "", "hush", "h" * 64, encoded(23), encoded(65), encoded(24)[6:], "whsec_", "whsec_hush!" + "h" * 64,
    encoded(25).rstrip("="), "whsec_" + "é" * 40, "WHSEC_" + encoded(32)[6:],
])
def test_a_secret_of_another_form_is_refused_without_showing_it(secret: str) -> None:
    with pytest.raises(Usage, match="24 to 64 bytes") as raised:
        WebhookSignature(secret)
    assert "VOUCH_CALLBACK__SECRET" in raised.value.cure and "openssl rand -base64 32" in raised.value.cure
    assert len(secret) < 7 or secret not in f"{raised.value} {raised.value.cure}"
    assert raised.value.__cause__ is None and raised.value.__context__ is None
