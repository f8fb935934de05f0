"""A follow-up question as one that stands alone, in the words of a language model."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from vouch.adapters.language_model.dialect import Form, Message
from vouch.adapters.language_model.models import LanguageModels, Unreadable
from vouch.answering.prompting.replies import objects
from vouch.answering.prompting.templates import fence, instructions
from vouch.answering.spending import spent_beside
from vouch.ports.models import Analyse

TEMPLATE = ("follow_up", 1)
LONGEST = 400                           # characters
OWN_WORDS = 4                           # telling words of a reply that neither a question nor a title holds, at most
_SECONDS = 6.0                          # for all calls: somebody waits for the search
_SCHEMA: dict[str, Any] = {
    "type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"],
    "additionalProperties": False,
}
_FORM = Form("question", _SCHEMA, 200)


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    question: str


class LanguageModelCompleter:
    """Implements ports.Completer. Its calls take nothing of the number that may be made for an answer."""

    def __init__(self, models: LanguageModels, terms: Analyse, *, seconds: float = _SECONDS) -> None:
        """`terms`: the telling words of a text."""
        self._models, self._terms, self._seconds = models, terms, seconds

    @property
    def name(self) -> str:
        return f"language model {self._models.name}"[:200]

    def complete(self, question: str, earlier: Sequence[str], titles: Sequence[str]) -> str:
        """One line that keeps to the words it was given. Raises ModelDown."""
        read = partial(_checked, question=question, earlier=[*earlier, *titles], terms=self._terms)
        with spent_beside(self._seconds):
            return self._models.ask(_messages(question, earlier, titles), _FORM, read).value


def _messages(question: str, earlier: Sequence[str], titles: Sequence[str]) -> list[Message]:
    """Between two marker lines that none of the words can contain."""
    parts = [*(f"Asked before: {_line(one)}" for one in earlier), *(f"Title: {_line(one)}" for one in titles),
             f"Last question: {_line(question)}"]
    marker, body = fence(parts), "\n".join(parts)
    return [{"role": "system", "content": instructions(*TEMPLATE)},
            {"role": "user", "content": f"<<{marker}\n{body}\n{marker}>>"}]


def _line(text: str) -> str:
    return " ".join(text.split())


def _checked(content: str, *, question: str, earlier: Sequence[str], terms: Analyse) -> str:
    """Raises Unreadable for a question that is another one."""
    line = _read(content)
    said, asked, before = (set(terms(text)) for text in (line, question, " ".join(earlier)))
    if asked and said.isdisjoint(asked):
        raise Unreadable("it leaves out what the last question asks")
    if before and said.isdisjoint(before):
        raise Unreadable("it leaves out what was asked before, and so says no more than the last question")
    if len(said - asked - before) > OWN_WORDS:
        raise Unreadable("it holds too many words that neither the questions nor the titles hold")
    return line


def _read(content: str) -> str:
    for text in objects(content):
        try:
            line = _line(_Reply.model_validate_json(text).question)
        except ValidationError:
            continue
        if line and len(line) <= LONGEST and line.isprintable() and "://" not in line:
            return line
    raise Unreadable(f"it is not one question of at most {LONGEST} characters in the JSON that was asked for")
