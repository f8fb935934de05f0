"""Judges passages with a language model: one call for all of them."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from vouch.adapters.language_model.dialect import Form
from vouch.adapters.language_model.models import LanguageModels, Unreadable
from vouch.answering.packing import heading
from vouch.answering.prompting.judge_prompt import SCHEMA, Judged, judge_messages, read_judged
from vouch.answering.spending import spending
from vouch.errors import ModelDown
from vouch.ports.models import Evaluator
from vouch.values.candidate import Candidate

LOWER, UPPER = 0.3, 0.7                 # of the model's own numbers, as its instructions tell it what they mean
_FIRST_TOKENS, _TOKENS_EACH = 40, 24    # of a reply
FELL_BACK = "the language model did not judge the passages ({}); the evaluator that comes with vouch did"


class LanguageModelJudge:
    """Implements ports.Evaluator. `trained` judges where no model does, which the answer tells.

    What the model gives is told on the scale of `trained`, whose thresholds hold for both. No passage is
    likelier than all of them together are to answer. One call of an answer is always left for writing it.
    """

    def __init__(
        self, models: LanguageModels, trained: Evaluator, count_tokens: Callable[[str], int], most_tokens: int = 6000,
    ) -> None:  # fmt: skip
        self.models, self.trained = models, trained
        self._count_tokens, self._most_tokens = count_tokens, most_tokens

    def over(self, trained: Evaluator) -> "LanguageModelJudge":
        """The same with another evaluator beside it."""
        return LanguageModelJudge(self.models, trained, self._count_tokens, self._most_tokens)

    @property
    def fingerprint(self) -> str:
        return f"language model {self.models.name}"

    @property
    def judged_with(self) -> str:
        return self.trained.judged_with

    @property
    def thresholds(self) -> tuple[float, float]:
        return self.trained.thresholds

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Raises what `trained` raises, and nothing of the model's."""
        if not candidates:
            return []
        try:
            judged = self._asked(question, candidates)
        except ModelDown as down:
            if spent := spending():
                spent.note(FELL_BACK.format(down.cause))
            return self.trained.probabilities(question, candidates)
        lower, upper = self.trained.thresholds
        return [_on_scale(min(probability, judged.sufficient), lower, upper) for probability in judged.probabilities]

    def _asked(self, question: str, candidates: Sequence[Candidate]) -> Judged:
        each = self._most_tokens // len(candidates)
        texts = [f"{heading(candidate.passage)}\n{self._cut(candidate.passage.text, each)}" for candidate in candidates]
        form = Form("judgment", SCHEMA, _FIRST_TOKENS + _TOKENS_EACH * len(texts))

        def read(text: str) -> Judged:
            judged = read_judged(text, len(texts))
            if isinstance(judged, str):
                raise Unreadable(judged)
            return judged

        return self.models.ask(judge_messages(question, texts), form, read, spare=1).value

    def _cut(self, text: str, tokens: int) -> str:
        """Its beginning, if all of it is more than its share."""
        while (there := self._count_tokens(text)) > tokens and len(text) > 1:
            text = text[: min(len(text) - 1, max(1, len(text) * tokens // there))]
        return text


def _on_scale(probability: float, lower: float, upper: float) -> float:
    """Straight lines from one scale to the other, so that its thresholds become those of the other."""
    for (a, b), (c, d) in zip(pairwise((0.0, LOWER, UPPER, 1.0)), pairwise((0.0, lower, upper, 1.0)), strict=True):
        if probability <= b:
            return c + (probability - a) / (b - a) * (d - c)
    return 1.0
