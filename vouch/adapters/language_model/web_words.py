"""Words for a search of the web, by a language model that is told the question and nothing else."""

import logging
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from vouch.adapters.language_model.dialect import Form
from vouch.adapters.language_model.models import LanguageModels, Unreadable
from vouch.answering.prompt_templates import instructions
from vouch.answering.reply_json import objects
from vouch.errors import ModelDown

TEMPLATE = ("web_words", 1)
_MOST_WORDS, _MOST_CHARACTERS = 10, 200
_SCHEMA: dict[str, Any] = {
    "type": "object", "properties": {"words": {"type": "array", "items": {"type": "string"}}},
    "required": ["words"], "additionalProperties": False,
}
_log = logging.getLogger(__name__)


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    words: list[str]


class LanguageModelWords:
    """A function of the question: nothing else reaches the model. `rules` choose where it does not answer."""

    def __init__(self, models: LanguageModels, rules: Callable[[str], str]) -> None:
        self._models, self._rules = models, rules

    def __call__(self, question: str) -> str:
        """Empty where the rules see no word to search by: then nothing is asked, whatever the model would say."""
        by_rules = self._rules(question)
        if not by_rules:
            return ""
        messages = [{"role": "system", "content": instructions(*TEMPLATE)},
                    {"role": "user", "content": f"Question: {question}"}]
        try:
            return self._models.ask(messages, Form("words", _SCHEMA, 100), _read, spare=1).value
        except ModelDown as down:
            _log.info("words for the web were chosen by rules: %s", down.cause)
            return by_rules


def _read(content: str) -> str:
    for text in objects(content):
        try:
            words = " ".join(_Reply.model_validate_json(text).words).split()
        except ValidationError:
            continue
        kept = [word for word in words if "://" not in word and "@" not in word and word.isprintable()][:_MOST_WORDS]
        if kept:
            return " ".join(kept)[:_MOST_CHARACTERS]
    raise Unreadable("it is not a list of words in the JSON that was asked for")
