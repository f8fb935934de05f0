"""What the benchmark of answers times: the loop on the models of the settings, and search and writing alone."""

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from consumers.questions.answerer import Answerer
from vouch.access import PUBLIC
from vouch.adapters.models.encoder import FixedShapeEncoder
from vouch.adapters.models.scorers.maxsim import MaxSimReranker
from vouch.answering.packing import pack
from vouch.answering.refinement import Refined
from vouch.correction.components import Components
from vouch.correction.outcome import Outcome
from vouch.messages import QuestionAsked
from vouch.ports.language import Draft, DraftSentence, Evidence
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import rank
from vouch.retrieval.recipe.finding import Fuse, Retrieve

CHANGES = {"id", "question_id", "timings_ms", "asked_at", "answered_at"}


@dataclass(frozen=True)
class Asked:
    text: str
    tags: tuple[str, ...]

    def message(self, number: str = "q") -> QuestionAsked:
        return QuestionAsked.model_validate({
            "id": number, "text": self.text, "surface": "nobody", "asker": self.tags[0],
            "audience": {"tags": self.tags}, "asked_at": datetime.now(UTC),
        })


def read(file: Path) -> list[Asked]:
    """Of lines with `text` or `question`; those without `as`, a tag or a list of them, are asked by everybody."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [Asked(line.get("text") or line["question"], _tags(line.get("as") or PUBLIC)) for line in lines]


def _tags(told: str | list[str]) -> tuple[str, ...]:
    return (told,) if isinstance(told, str) else tuple(told)


class Clock:
    """Runs from the moment it is made."""

    def __init__(self) -> None:
        self._wall, self._processor, self._all = time.perf_counter(), time.thread_time(), time.process_time()

    @property
    def wall_ms(self) -> float:
        return 1000 * (time.perf_counter() - self._wall)

    @property
    def all_processor_ms(self) -> float:
        """Of all threads of the process; what waits for other processes does not count."""
        return 1000 * (time.process_time() - self._all)

    @property
    def processor_ms(self) -> float:
        """Of this thread."""
        return 1000 * (time.thread_time() - self._processor)


@dataclass
class Spent:
    """Of this thread inside the models."""

    processor_ms: float = 0.0

    def clear(self) -> None:
        self.processor_ms = 0.0


class Timed:
    """`inner`, with the time of its calls added up in `spent`."""

    def __init__(self, inner: Any, spent: Spent) -> None:
        self._inner, self._spent = inner, spent

    def __getattr__(self, name: str) -> Any:
        if name == "foresee":
            raise AttributeError(name)
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            clock = Clock()
            try:
                return found(*arguments, **named)
            finally:
                self._spent.processor_ms += clock.processor_ms

        return call


class TimedCloseness(Timed):
    """What is only timed otherwise reads passages no sooner than it scores them."""

    def foresee(self, needed: Sequence[str], likely: Iterable[str]) -> None:
        clock = Clock()
        self._inner.foresee(needed, likely)
        self._spent.processor_ms += clock.processor_ms


@dataclass(frozen=True)
class Machine:
    """`components` with their models timed in `models`; `where` and `chunks` are for the title of the report."""

    components: Components
    answerer: Answerer
    encoder: FixedShapeEncoder
    closeness: MaxSimReranker
    chunks: int
    where: str
    models: Spent = field(default_factory=Spent)

    def answer(self, asked: Asked) -> Outcome:
        return replace(self.answerer, components=lambda: self.components).answer(asked.message())

    def without_foresight(self) -> "Machine":
        """Refining and quoting read what they score each for themselves."""
        closeness = Timed(self.closeness, self.models)
        return replace(self, components=replace(self.components, closeness=closeness))

    def forget(self) -> None:
        self.closeness.forget()
        self.encoder.forget()

    def unchanging(self, asked: Asked) -> dict[str, Any]:
        """The answer and its candidates, but for times and ids."""
        made = self.answer(asked)
        kept = {k: v for k, v in made.answer.model_dump(mode="json").items() if k not in CHANGES}
        return {"answer": kept, "candidates": made.candidates}


def timed_components(plain_ones: Components, spent: Spent) -> Components:
    """Every model of the loop; the writer that quotes reads with the same timed one."""
    closeness = TimedCloseness(plain_ones.closeness, spent)
    ranks = closeness if plain_ones.reranker is plain_ones.closeness else Timed(plain_ones.reranker, spent)
    writer = type(plain_ones.fallback)(closeness, plain_ones.analyser)  # type: ignore[call-arg]
    judges = {
        name: Timed(model, spent) for name in ("evaluator", "judge", "unjudged")
        if (model := getattr(plain_ones, name)) is not None
    }
    return replace(plain_ones, encoder=Timed(plain_ones.encoder, spent), reranker=ranks, closeness=closeness,
                   writer=writer, fallback=writer, **judges)


class Slow:
    """In a language model's place: takes `seconds`, and cites the beginning of the first passage."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        time.sleep(self._seconds)
        if not evidence:
            return Draft((), "slow", reason="no evidence was given", decided=True)
        one = evidence[0]
        start, end = one.strips[0]
        return Draft((DraftSentence(one.passage.text[start:end], ((one.number, start, end),)),), "slow", decided=True)


def plain(machine: Machine, asked: Asked) -> Draft:
    """Retrieve and write: both engines, fused, and the first passages whole for the writer."""
    c = machine.components
    query = form_query(asked.text, c.analyser)
    kind = c.kinds.of(query)
    audience = machine.answerer.permissions.permissions().directory.audience(asked.tags, c.clock())
    how = replace(kind.ranking, steps=(Retrieve(), Fuse()))
    found = rank(c.index.view(audience), query, c.ranking_models, how).candidates[: kind.places]
    whole = [Refined(one, ((0, len(one.passage.text)),)) for one in found]
    evidence = pack(whole, kind.evidence_tokens, c.count_tokens, c.packing)
    return c.writer.write(asked.text, evidence)
