"""Plans the steps of a question with a language model: each order is one call."""

from vouch.adapters.language_model.dialect import Form
from vouch.adapters.language_model.models import LanguageModels
from vouch.answering.reply_json import objects
from vouch.answering.spending import spending, spent_beside
from vouch.correction.steps.prompt import SCHEMA, planner_messages
from vouch.errors import ModelDown
from vouch.ports.planner import Situation

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
            return self._models.ask(planner_messages(situation, problem), self._form, _object).value


def _object(content: str) -> str:
    """The last object in it, without thoughts that were written before it."""
    return next(objects(content), content)
