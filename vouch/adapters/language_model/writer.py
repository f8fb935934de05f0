"""Writes answers with a language model."""

from collections.abc import Callable, Sequence

from vouch.adapters.language_model.dialect import Form
from vouch.adapters.language_model.models import LanguageModels, Unreadable
from vouch.answering.prompting.prompts import PLAIN, THOUGHT_TOKENS, Style, messages, reply_schema, within_budget
from vouch.answering.prompting.replies import Reply, draft_sentences, read_reply
from vouch.ports.language import Draft, DraftSentence, Evidence

_Read = tuple[Reply, tuple[DraftSentence, ...], tuple[str, ...]]


class LanguageModelWriter:
    """A writer whose every failure is ModelDown: unreachable, refused, too slow, or a reply that cannot be used.

    `decides`: whether the model's own verdict counts, in place of the evaluator's.
    """

    def __init__(
        self, models: LanguageModels, *, count_tokens: Callable[[str], int], max_prompt_tokens: int = 3000,
        max_answer_tokens: int = 400, decides: bool = True, style: Style = PLAIN,
    ) -> None:  # fmt: skip
        self._models, self._count_tokens = models, count_tokens
        self._max_prompt_tokens, self._decides = max_prompt_tokens, decides
        self._style = style
        room = THOUGHT_TOKENS if style.think else 0
        self._form = Form("answer", reply_schema(think=style.think), max_answer_tokens + room)

    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        """Sentences whose quotes were found in `evidence`. Raises ModelDown as the class says."""
        if not evidence:
            return Draft((), self._models.name, reason="no evidence was given")
        shown = within_budget(question, evidence, self._max_prompt_tokens, self._count_tokens, self._style)
        response = self._models.ask(messages(question, shown, self._style), self._form, lambda text: _read(text, shown))
        reply, sentences, warnings = response.value
        decided = self._decides and reply.verdict is not None
        left_out = len(sentences) < len(reply.sentences)
        return Draft(
            sentences,
            response.model,
            prompt_tokens=response.prompt_tokens,
            completion_tokens=response.completion_tokens,
            warnings=(*response.notes, *warnings),
            reason="" if sentences else reply.reason or "the model found no answer in the passages",
            certain=not decided or (reply.verdict == "answers" and not left_out),
            decided=decided,
        )


def _read(text: str, given: Sequence[Evidence]) -> _Read:
    reply = read_reply(text)
    if reply is None:
        raise Unreadable("it is not the JSON that was asked for")
    if reply.verdict == "no":
        return reply.model_copy(update={"sentences": []}), (), ()
    sentences, warnings = draft_sentences(reply, given)
    if reply.sentences and not sentences:
        raise Unreadable("no quote of it is in the passages, letter by letter")
    if reply.verdict is not None and not reply.sentences:
        raise Unreadable(f"its verdict is `{reply.verdict}`, and it has no sentences")
    return reply, sentences, warnings
