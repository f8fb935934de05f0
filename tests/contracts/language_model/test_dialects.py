"""What a language model's endpoint takes is learned from what it refuses, and from nothing else."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from homes.small_world import evidence
from model_fakes.chat_dialects import (
    Check,
    ollama,
    openai_chat,
    openai_error,
    openai_old,
    openai_reasoning,
    vllm,
    vllm_gemma,
    without_formats,
)
from model_fakes.chat_server import ChatServer, Part, reply_text, says
from model_fakes.language_model import model, models
from model_fakes.language_model import writer as language_writer

from vouch.adapters.language_model.dialect import dialect_of
from vouch.adapters.language_model.writer import LanguageModelWriter
from vouch.errors import ModelDown

pytestmark = pytest.mark.integration

QUESTION = "How many weeks of paid leave do parents get?"
LEAVE = "Parents get 12 weeks of paid leave. It must be used within one year."
REPLY = reply_text(("Parents get 12 weeks.", [(1, "Parents get 12 weeks")]), verdict="answers")
TOKENS = ("max_tokens", "max_completion_tokens")


@contextlib.contextmanager
def writing(check: Check, *parts: Part, **options: Any) -> Iterator[tuple[LanguageModelWriter, ChatServer]]:
    with ChatServer(parts or [says(REPLY)], check=check) as server:
        yield language_writer(models(model(server.url, **options))), server


@pytest.mark.parametrize(("check", "requests"), [(openai_chat, 1), (openai_reasoning, 3), (openai_old, 2), (vllm, 1),
                                                 (vllm_gemma, 2), (ollama, 1), (without_formats, 3)])
def test_each_dialect_is_learned_once(check: Check, requests: int) -> None:
    with writing(check) as (writer, server):
        for _ in range(2):
            assert writer.write(QUESTION, evidence(LEAVE)).sentences
        assert len(server.requests) == requests + 1
        assert all(LEAVE in body["messages"][-1]["content"] for body in server.requests)


def test_a_model_that_thinks_is_told_no_temperature_and_the_newer_name_of_the_length() -> None:
    with writing(openai_reasoning) as (writer, server):
        writer.write(QUESTION, evidence(LEAVE))
        assert server.sent("temperature", *TOKENS) == [(0, 400, None), (0, None, 400), (None, None, 400)]


def test_a_form_gives_way_to_a_weaker_one() -> None:
    with writing(without_formats) as (writer, server):
        writer.write(QUESTION, evidence(LEAVE))
        forms = [body.get("response_format", {}).get("type") for body in server.requests]
        assert forms == ["json_schema", "json_object", None]


def test_what_the_role_system_would_say_comes_first_where_there_is_none() -> None:
    with writing(vllm_gemma) as (writer, server):
        writer.write(QUESTION, evidence(LEAVE))
        [only] = server.requests[-1]["messages"]
        assert only["role"] == "user" and only["content"].index("Rules") < only["content"].index(LEAVE)


@pytest.mark.parametrize("message", [
    "This model's maximum context length is 8192 tokens.", "max_tokens is too large: 400. At most 100.",
    "Your input was flagged by a content filter.", "",
])
def test_another_refusal_teaches_nothing(message: str) -> None:
    with writing(lambda body: openai_error(message)) as (writer, server):
        for _ in range(2):
            with pytest.raises(ModelDown, match="status 400"):
                writer.write(QUESTION, evidence(LEAVE))
        assert server.requests[0] == server.requests[1]


def test_a_length_that_is_refused_by_both_names_is_left_out() -> None:
    def refuses(body: dict[str, Any]) -> Any:
        field = next((name for name in TOKENS if name in body), None)
        return openai_error(f"Unrecognized request argument supplied: {field}") if field else None

    with writing(refuses) as (writer, server):
        assert writer.write(QUESTION, evidence(LEAVE)).sentences
        assert server.sent(*TOKENS) == [(400, None), (None, 400), (None, None)]


@pytest.mark.parametrize(("named", "check"), [("vllm", openai_reasoning), ("openai", vllm),
                                              ("ollama", without_formats)])
def test_a_dialect_that_is_set_is_not_given_up(named: Any, check: Check) -> None:
    with writing(check, dialect=named) as (writer, _), pytest.raises(ModelDown, match="status 400"):
        writer.write(QUESTION, evidence(LEAVE))


@pytest.mark.parametrize(("named", "check"), [("openai", openai_reasoning), ("openai", openai_chat), ("vllm", vllm),
                                              ("ollama", ollama)])
def test_a_dialect_that_is_set_fits_its_endpoint(named: Any, check: Check) -> None:
    with writing(check, dialect=named) as (writer, server):
        assert writer.write(QUESTION, evidence(LEAVE)).sentences
        assert len(server.requests) == (2 if check is openai_reasoning else 1)


def test_openai_itself_is_known_by_its_address() -> None:
    assert dialect_of("auto", "https://api.openai.com/v1").tokens_field == "max_completion_tokens"
    assert dialect_of("auto", "https://openai.com.evil.example/v1").tokens_field == "max_tokens"


@pytest.mark.parametrize("part", [
    says(f"<think>\nThey ask {{weeks}}, as in {{\"a\": 1}}.\n</think>\n\n{REPLY}"),
    says(f"So {{it}} is twelve.\n</think>{REPLY}"),
    says(f"<think>I may not write </think> here. {{}}</think>```json\n{REPLY}\n```"),
    says(REPLY, reasoning_content="{\"sentences\": []}"),
    says(REPLY, reasoning="They get {12}.", thought_tokens=40),
    says(f"For example {{\"sentences\": []}} would be empty. {REPLY} {{that}} is all."),
])
def test_thoughts_are_no_part_of_the_reply(part: Part) -> None:
    with writing(openai_chat, part) as (writer, _):
        [sentence] = writer.write(QUESTION, evidence(LEAVE)).sentences
        assert sentence.text == "Parents get 12 weeks."


def test_a_model_that_thinks_gets_room_for_it_when_its_thoughts_used_that_of_the_reply() -> None:
    cut = says(None, ended="length", reasoning_content="Well")
    with writing(openai_chat, cut, says(REPLY)) as (writer, server):
        assert writer.write(QUESTION, evidence(LEAVE)).sentences
        writer.write(QUESTION, evidence(LEAVE))
        assert server.sent("max_tokens") == [(400,), (4400,), (4400,)]


@pytest.mark.parametrize(("part", "cause"), [
    (says(REPLY[:40], ended="length"), "cut off"),
    (says(f"<think>{REPLY}", ended="length"), "cut off"),
    (says(None, refusal="I cannot help with that."), "refused to answer"),
    (says("", ended="content_filter"), "content filter"),
    (says(f"<think>{REPLY}"), "not the JSON"),
])
def test_a_reply_that_is_none_says_why(part: Part, cause: str) -> None:
    with writing(openai_chat, part) as (writer, _), pytest.raises(ModelDown, match=cause) as caught:
        writer.write(QUESTION, evidence(LEAVE))
    assert "cannot help" not in str(caught.value)
