"""A language model writes instructions from labels and counts; what it may not say is refused."""

import json

import pytest
from model_fakes.chat_server import ChatServer, Part, fails, says
from model_fakes.language_model import model, models

from vouch.adapters.language_model.planner import LanguageModelComparator
from vouch.errors import ModelDown

pytestmark = pytest.mark.integration
CONTRAST = "3 questions were done well, 4 badly.\nended as covered: well 20%, badly 80%"


def written(*parts: Part) -> tuple[str, ChatServer]:
    with ChatServer(parts) as server:
        return LanguageModelComparator(models(model(server.url))).instructions("Be brief.", CONTRAST), server


def test_it_is_told_the_instructions_and_the_contrast_and_its_words_are_taken() -> None:
    said, server = written(says('{"instructions": "Go on after\\n the first link."}'))
    assert said == "Go on after the first link."
    told = server.requests[0]["messages"][1]["content"]
    assert told == f"Instructions now:\nBe brief.\n\nWhat was seen:\n{CONTRAST}"


@pytest.mark.parametrize("part", [
    fails(500), says("Go on."), says('{"instructions": ""}'), says(json.dumps({"instructions": "x" * 1001})),
    says(json.dumps({"instructions": "a\x1b[2J"})), says('{"instructions": ["a"]}'),
])
def test_what_cannot_be_used_is_an_error(part: Part) -> None:
    with pytest.raises(ModelDown):
        written(part, part)
