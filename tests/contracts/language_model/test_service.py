"""A language model that fails, hangs or writes nonsense costs a question its share of time and no more."""

import email.utils
import math
import threading
import time
from typing import Any

import pytest
from homes.small_world import evidence
from model_fakes.chat_server import ChatServer, Handler, fails, hangs, replies, says, trickles
from model_fakes.language_model import model, models
from model_fakes.language_model import writer as language_writer

from vouch.adapters.language_model.model import Breaker, Prices
from vouch.answering.spending import spent_on_answer
from vouch.errors import ModelDown

pytestmark = pytest.mark.integration

QUESTION = "How many weeks of paid leave do parents get?"
LEAVE = "Parents get 12 weeks of paid leave. It must be used within one year."
GOOD = replies(("Parents get 12 weeks.", [(1, "Parents get 12 weeks")]), verdict="answers")


def test_a_reply_that_cannot_be_read_is_repaired_once_with_the_reason() -> None:
    with ChatServer([replies(("Made up.", [(1, "unicorns")])), GOOD]) as server:
        draft = language_writer(models(model(server.url))).write(QUESTION, evidence(LEAVE))
        assert draft.sentences and (draft.prompt_tokens, draft.completion_tokens) == (642, 24)
        first, again = (body["messages"] for body in server.requests)
        assert again[:2] == first and [one["role"] for one in again[2:]] == ["assistant", "user"]
        assert "unicorns" in again[2]["content"] and "no quote of it is in the passages" in again[3]["content"]


def test_the_second_model_writes_where_the_first_cannot_and_the_answer_says_so() -> None:
    with ChatServer([fails(500)]) as broken, ChatServer([GOOD]) as other:
        asked = models(model(broken.url), model(other.url, "small-one"))
        draft = language_writer(asked).write(QUESTION, evidence(LEAVE))
        assert draft.model == "small-one" and "status 500" in draft.warnings[0]


def test_both_causes_are_told_where_no_model_writes() -> None:
    with ChatServer([fails(500)]) as broken, ChatServer([says("no")]) as other:
        asked = language_writer(models(model(broken.url), model(other.url, "small-one")))
        with pytest.raises(ModelDown, match="status 500; model small-one: unusable"):
            asked.write(QUESTION, evidence(LEAVE))


def test_no_more_calls_are_made_than_an_answer_may_have() -> None:
    with ChatServer([says("no")]) as server:
        asked = models(model(server.url), model(server.url, "small-one"), most_calls=3)
        with spent_on_answer() as spent:
            for _ in range(2):
                with pytest.raises(ModelDown):
                    language_writer(asked).write(QUESTION, evidence(LEAVE))
        assert len(server.requests) == 3 and spent.total().calls == 3


def test_where_no_model_may_be_asked_none_is() -> None:
    with ChatServer([GOOD]) as server, spent_on_answer(allowed=False), pytest.raises(ModelDown):
        language_writer(models(model(server.url))).write(QUESTION, evidence(LEAVE))
    assert server.requests == []


def test_tokens_and_cost_of_all_calls_are_counted() -> None:
    prices = Prices(prompt=2.0, answer=10.0)
    with ChatServer([says("no"), GOOD]) as server, spent_on_answer() as spent:
        language_writer(models(model(server.url, prices=prices))).write(QUESTION, evidence(LEAVE))
    total = spent.total()
    assert (total.prompt, total.completion, total.calls) == (642, 24, 2)
    assert total.cost == pytest.approx(2 * (321 * 2.0 + 12 * 10.0) / 1e6)


@pytest.mark.parametrize("part", [hangs, trickles])
def test_all_tries_end_with_the_question(part: Any) -> None:
    with ChatServer([part]) as server:
        asked = models(model(server.url, retries=5, reply_s=10.0), model(server.url, "small-one", retries=5))
        before = time.monotonic()
        with spent_on_answer(0.8), pytest.raises(ModelDown, match="no reply within"):
            language_writer(asked).write(QUESTION, evidence(LEAVE))
        assert time.monotonic() - before < 2 and len(server.requests) == 2


def test_without_a_deadline_the_setting_ends_it() -> None:
    with ChatServer([hangs]) as server:
        asked = language_writer(models(model(server.url, retries=5), answer_s=0.6))
        before = time.monotonic()
        with pytest.raises(ModelDown):
            asked.write(QUESTION, evidence(LEAVE))
        assert time.monotonic() - before < 2


def test_a_dead_endpoint_costs_the_next_question_nothing() -> None:
    with ChatServer([hangs]) as server:
        asked = language_writer(models(model(server.url, failures=3, retries=2, reply_s=0.2)))
        with pytest.raises(ModelDown, match="no reply within"):
            asked.write(QUESTION, evidence(LEAVE))
        before = time.monotonic()
        with pytest.raises(ModelDown, match="left alone for"):
            asked.write(QUESTION, evidence(LEAVE))
        assert time.monotonic() - before < 0.1 and len(server.requests) == 3


def test_an_endpoint_that_is_back_is_asked_again() -> None:
    with ChatServer([fails(503), GOOD]) as server:
        asked = language_writer(models(model(server.url, failures=1, pause_s=0.1)))
        with pytest.raises(ModelDown, match="503"):
            asked.write(QUESTION, evidence(LEAVE))
        time.sleep(0.15)
        assert asked.write(QUESTION, evidence(LEAVE)).sentences


def test_replies_that_cannot_be_read_are_no_sign_that_the_endpoint_is_down() -> None:
    """What a document holds may spoil a reply; that must not take the model from other questions."""
    with ChatServer([*[says("no")] * 4, GOOD]) as server:
        asked = language_writer(models(model(server.url, failures=1)))
        for _ in range(2):
            with pytest.raises(ModelDown, match="unusable"):
                asked.write(QUESTION, evidence(LEAVE))
        assert asked.write(QUESTION, evidence(LEAVE)).sentences


def test_while_one_tries_the_others_wait_and_pauses_double() -> None:
    now = [0.0]
    breaker = Breaker(2, 10.0, 5.0, lambda: now[0])
    breaker.failed()
    assert breaker.wait() == 0
    breaker.failed()
    assert breaker.wait() == 10
    now[0] = 10.0
    assert (breaker.wait(), breaker.wait()) == (0, 5)
    breaker.failed()
    assert breaker.wait() == 20
    breaker.worked()
    assert (breaker.wait(), breaker.wait()) == (0, 0)


@pytest.mark.parametrize("header", ["seconds", "milliseconds", "date"])
def test_an_endpoint_that_says_when_is_asked_then(header: str) -> None:
    told = {
        "seconds": lambda: {"Retry_After": "1"}, "milliseconds": lambda: {"retry_after_ms": "900"},
        "date": lambda: {"Retry_After": email.utils.formatdate(math.ceil(time.time()) + 1, usegmt=True)},
    }[header]

    def busy(handler: Handler, body: dict[str, Any]) -> None:
        fails(429, **told())(handler, body)

    with ChatServer([busy, GOOD]) as server:
        asked = language_writer(models(model(server.url, retries=1)))
        before = time.monotonic()
        asked.write(QUESTION, evidence(LEAVE))
        assert 0.8 < time.monotonic() - before < 5


def test_an_endpoint_that_wants_longer_than_there_is_time_is_left_alone_till_then() -> None:
    with ChatServer([fails(429, Retry_After="30"), GOOD]) as server:
        asked = language_writer(models(model(server.url, retries=3), answer_s=5.0))
        before = time.monotonic()
        with pytest.raises(ModelDown, match="429"):
            asked.write(QUESTION, evidence(LEAVE))
        with pytest.raises(ModelDown, match="left alone for"):
            asked.write(QUESTION, evidence(LEAVE))
        assert time.monotonic() - before < 2 and len(server.requests) == 1


def test_no_more_calls_are_under_way_than_are_allowed() -> None:
    under_way, most, turn = [0], [0], threading.Lock()

    def counts(handler: Handler, body: dict[str, Any]) -> None:
        with turn:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        time.sleep(0.05)
        with turn:
            under_way[0] -= 1
        GOOD(handler, body)

    with ChatServer([counts]) as server:
        asked = language_writer(models(model(server.url, at_once=2)))
        threads = [threading.Thread(target=asked.write, args=(QUESTION, evidence(LEAVE))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.requests) == 8 and most[0] == 2
