"""Small talk is told from questions by the whole message."""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from vouch.answering.small_talk import small_talk

REPLIES = {
    "Hello.": ["hi", "Hi!", "  HELLO ", "hey there", "Good morning!", "Hello vouch! How are you doing today?",
               "hi all",
               "👋", ":wave:"],
    "You are welcome.": ["thanks!", "Thank you, vouch.", "thanks so much!", "Thanks, that helped :pray:", "merci",
                         "thank you very much, that helped", "ok thanks", "Great, thanks a lot!",
                         "thanks for the help",
                         "thanks, it worked", "hi, thanks", "thx, bye", "many thanks for your answer",
               "perfect thanks"],
    "Goodbye.": ["bye", "see you later", "ok, bye"],
    "I answer questions": ["help", "Help me, please", "what can you do?", "who are you?", "i need help"],
    "I am a program.": ["I need a human", "need a human", "I want to talk to a human", "can I talk to someone please?",
                       "a human, please",
                        "no. I need a human"],
    "Sorry.": ["You're wrong", "You’re wrong!", "that is not what I asked", "wrong answer", "bad bot",
               "no, that's wrong"],
    "Is there anything else": ["ok", "lol", "good bot", "resolved", "never mind", "yes", "great answer!", "haha",
                               "got it", "done", "No."],
    "Ask me a question": ["?", "👍", "...", ":shrug:"],
}
QUESTIONS = [
    "hi, how do I book travel?", "thanks for what? see the travel policy", "help desk", "who is ana", "vpn",
    "C++", "42",
    "what does ok mean", "", "   ", "10:30:00", "hello world program in python", "hi " * 100, "yes and no questions",
    "thanks, and how do I book travel?", "thanks for the info, how do I book travel?", "that's wrong, who owns it?",
    "how do I talk to a human resources person?", "who can I talk to about pay?", "is a resolved ticket closed?",
    "good answers to interview questions", "human resources", "never mind policy", "how is it going to be paid?",
    "what do you do on the first day?", "all", "there", "doing", "test plan", "how to say thanks to a colleague",
]  # fmt: skip


@pytest.mark.parametrize(("reply", "text"), [(reply, text) for reply, texts in REPLIES.items() for text in texts])
def test_what_people_say_is_answered_in_kind(reply: str, text: str) -> None:
    assert (small_talk(text) or "").startswith(reply)


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_is_none(text: str) -> None:
    assert small_talk(text) is None


def _questions(data: Path) -> Iterator[str]:
    for line in (data / "company_questions" / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["question"]
    with gzip.open(data / "squad2" / "dev.json.gz", "rt", encoding="utf-8") as file:
        for article in json.load(file)["data"]:
            for paragraph in article["paragraphs"]:
                yield from (one["question"] for one in paragraph["qas"])
    with gzip.open(data / "canard_dev" / "rewrites.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["question"]


@pytest.mark.data
def test_no_real_question_is_small_talk() -> None:
    """Of 200 employees, of SQuAD, and of conversations."""
    if not (place := os.environ.get("VOUCH_DATA")):
        pytest.skip("VOUCH_DATA is not set: there are no questions to look at")
    questions = list(_questions(Path(place)))
    assert len(questions) > 6_000
    assert [text for text in questions if small_talk(text)] == []
