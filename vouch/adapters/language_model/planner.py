"""Plans the steps of a question with a language model, which also writes the planner's instructions."""

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from vouch.adapters.language_model.dialect import Form
from vouch.adapters.language_model.models import LanguageModels, Unreadable
from vouch.answering.prompting.replies import last_object, objects
from vouch.answering.spending import spending, spent_beside
from vouch.correction.planning.prompt import SCHEMA, planner_messages
from vouch.errors import ModelDown
from vouch.ports.language import Situation

LONGEST = 1000                          # characters
_SCHEMA: dict[str, Any] = {
    "type": "object", "properties": {"instructions": {"type": "string"}}, "required": ["instructions"],
    "additionalProperties": False,
}
_ROLE = f"""\
You improve the instructions of a planner that orders searches step by step until a question's evidence is found. Its \
tools are rag(query), a search, and open(chunk), what stands around a passage. You are told its instructions now, and \
how the sequences of its actions that did well differ from those that did badly. Write better instructions that hold \
for any question: which action comes first, when to go on, what not to repeat, when to stop. At most {LONGEST} \
characters, plain sentences, no examples and no names.

Reply with one JSON object and nothing else:
{{"instructions": "…"}}"""


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    instructions: str


class LanguageModelComparator:
    """Implements the Writes of a training. No words of a question or a document reach the model."""

    def __init__(self, models: LanguageModels) -> None:
        self._models = models

    @property
    def name(self) -> str:
        return f"language model {self._models.name}"

    def instructions(self, before: str, contrast: str) -> str:
        """Raises ModelDown."""
        asked = f"Instructions now:\n{before or 'none'}\n\nWhat was seen:\n{contrast}"
        messages = [{"role": "system", "content": _ROLE}, {"role": "user", "content": asked}]
        return self._models.ask(messages, Form("instructions", _SCHEMA, 400), _read).value


def _read(content: str) -> str:
    for text in objects(content):
        try:
            said = " ".join(_Reply.model_validate_json(text).instructions.split())
        except ValidationError:
            continue
        if said and len(said) <= LONGEST and said.isprintable():
            return said
    raise Unreadable(f"it is not instructions of 1 to {LONGEST} characters in the JSON that was asked for")


_REPLY_TOKENS = 300


class LanguageModelPlanner:
    """Implements ports.Planner. Its calls take nothing of the number that may be made for an answer.

    `most_tokens`: once all calls for an answer have used so many, it orders nothing more.
    """

    def __init__(self, models: LanguageModels, *, seconds: float = 8.0, most_tokens: int = 20_000) -> None:
        """`seconds`: of one order."""
        self._models, self._seconds, self._most_tokens = models, seconds, most_tokens
        self._form = Form("order", SCHEMA, _REPLY_TOKENS)

    @property
    def name(self) -> str:
        return f"language model {self._models.name}"[:200]

    def next_step(self, situation: Situation, problem: str = "") -> str:
        """What the model said, unchecked: whoever asks checks it, and asks for one repair. Raises ModelDown."""
        spent = spending()
        total = spent.total() if spent else None
        if total and total.prompt + total.completion >= self._most_tokens:
            raise ModelDown("the tokens for this question are used up", cure="VOUCH_STEPS__TOKENS sets how many")
        with spent_beside(self._seconds):
            return self._models.ask(planner_messages(situation, problem), self._form, last_object).value
