"""Small talk is told from questions by the whole message."""

import pytest

from vouch.answering.small_talk import small_talk


@pytest.mark.parametrize("text", ["hi", "Hi!", "  HELLO ", "thanks!", "Thank you, vouch.", "what can you do?", "?",
                                  "👋", ":wave:", "ok", "Good morning!", "bye"])
def test_what_people_say_is_answered_in_kind(text: str) -> None:
    assert small_talk(text)


@pytest.mark.parametrize("text", ["hi, how do I book travel?", "thanks for what? see the travel policy", "help desk",
                                  "who is ana", "vpn", "what does ok mean", "", "   ", "C++", "42", "10:30:00",
                                  "hello world program in python", "hi " * 100])
def test_a_question_is_none(text: str) -> None:
    assert small_talk(text) is None


def test_replies_differ() -> None:
    assert len({small_talk(text) for text in ("hi", "thanks", "bye", "help", "ok")}) == 5
