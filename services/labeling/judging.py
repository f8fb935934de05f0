"""Passages to judge, and the labels that people give.

A person is shown what that person and every reader of the question may read,
as it may be read at that moment; so no label tells of a document that the
question's own readers could not have been shown.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from services.answering.search import SearchService
from vouch.access import PUBLIC, parse_tag
from vouch.access_check.directory import expired, unknown
from vouch.adapters.ledger import Ledger
from vouch.errors import Busy, Denied, NotFound, Overtaken, Usage
from vouch.learning.labels.label import CONVERSATION, Label, audience_tags, label_key, question_key
from vouch.messages import QuestionAsked
from vouch.ports.index import View
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import rank
from vouch.values.candidate import Candidate, Passage

_TRIES = 3
_CURE = "judge as a person of the directory: --as user:NAME; vouch directory load FILE loads one"


@dataclass(frozen=True, slots=True)
class ToJudge:
    """A question as it is judged: `audience` are the tags of its readers, sorted."""

    text: str
    audience: tuple[str, ...]

    @property
    def key(self) -> str:
        return question_key(self.text, self.audience)


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage at its place, for one question. `began` is what the ledger said of purges before it was looked up."""

    question: ToJudge
    passage: Passage
    before: Passage | None
    after: Passage | None
    version: int
    began: int


@dataclass(frozen=True)
class Labeling:
    """`pool`: passages from each of words, meaning, fusion and reranker; `weight` of a judgment."""

    finder: SearchService
    ledger: Ledger
    clock: Callable[[], datetime]
    weight: float
    pool: int

    def check(self, person: str) -> str:
        """The person's tag. Raises Usage unless it is one person's, NotFound for one whom the directory lacks."""
        tag = parse_tag(person)
        if not tag.startswith("user:"):
            raise Usage(f"{tag} is not one person, and a judgment is one person's", cure=_CURE)
        directory = self.finder.permissions().directory
        told, gone = unknown(directory, tag), expired(directory, tag)
        if told or gone:
            raise NotFound(told or f"{tag} {gone}", cure=_CURE)
        return tag

    def asked(self, person: str) -> list[ToJudge]:
        """What this person asked, or anybody in public, each question once, the newest first."""
        mine = (q for q in self.ledger.history.asked() if q.asker == person or _is_public(q))
        return list({one.key: one for one in (ToJudge(q.text, audience_tags(q.audience)) for q in mine)}.values())

    def judged(self, person: str) -> set[tuple[str, str]]:
        """(question key, chunk id) of what this person has judged."""
        rows = self.ledger.labels.list(["judged"])
        return {(label.question_key, label.chunk_id) for label in rows if label.person == person}

    def pooled(self, person: str, question: ToJudge, seed: int) -> list[str]:
        """Ids of the passages to judge, in an order drawn from the seed and the question alone."""
        view = self._view(person, question)
        query = form_query(question.text, self.finder.analyser)
        ranked = rank(view, query, self.finder.ranking_models(), self.finder.how(self.pool))
        found = [*_first(ranked.fused, self.pool), *ranked.fused[: self.pool], *ranked.candidates[: self.pool]]
        return sorted({one.chunk_id for one in found}, key=lambda chunk_id: _drawn(f"{seed}:{question.key}:{chunk_id}"))

    def look(self, person: str, question: ToJudge, chunk_id: str) -> Shown | None:
        """The passage as it is now; None if it may not be read any more."""
        began = self.ledger.answers.erasures()
        view = self._view(person, question)
        try:
            (passage,) = view.passages([chunk_id])
        except Denied:
            return None
        beside = view.passages(view.around(chunk_id, 1, 1))
        before = next((neighbor for neighbor in beside if neighbor.ordinal < passage.ordinal), None)
        after = next((neighbor for neighbor in beside if neighbor.ordinal > passage.ordinal), None)
        return Shown(question, passage, before, after, view.version, began)

    def save(self, person: str, shown: Shown, relevance: int) -> bool:
        """False if the passage may not be read any more: then nothing is kept. Raises BadInput beyond 0 to 3."""
        now: Shown | None = shown
        for _ in range(_TRIES):
            if now is None or now.passage.text != shown.passage.text:
                return False
            try:
                self.ledger.labels.put([self._label(person, now, relevance)], now.began)
                return True
            except Overtaken:               # documents were purged since it was looked up: perhaps this one
                now = self.look(person, shown.question, shown.passage.chunk_id)
        raise Busy("documents are being purged all the time", cure="judge again later")

    def forget(self, person: str, question: ToJudge, chunk_id: str) -> None:
        """Afterwards this person has judged nothing of the passage for the question."""
        self.ledger.labels.delete([label_key(question.key, chunk_id, "judged", person)])

    def _label(self, person: str, shown: Shown, relevance: int) -> Label:
        passage = shown.passage
        return Label(
            shown.question.text, shown.question.audience, passage.chunk_id, passage.text_hash, shown.version, relevance,
            "judged", self.weight, self.clock(), person,
        )  # fmt: skip

    def _view(self, person: str, question: ToJudge) -> View:
        """Who is in a conversation is not known here: what was asked there is judged by what the person may read."""
        tags = [tag for tag in question.audience if not tag.startswith(CONVERSATION)]
        return self.finder.index.view(self.finder.permissions().directory.audience([person, *tags]))


def to_judge(text: str, audience: Iterable[str], person: str) -> ToJudge:
    """A question of a file; without an audience it is the person's own. Raises BadAccess for what is no tag."""
    return ToJudge(text, tuple(sorted({parse_tag(tag) for tag in audience}) or [person]))


def _drawn(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def _is_public(question: QuestionAsked) -> bool:
    return PUBLIC in audience_tags(question.audience)


def _first(fused: Sequence[Candidate], count: int) -> Iterator[Candidate]:
    """The first ones of each engine."""
    for one in fused:
        if min(one.lexical_rank or count + 1, one.dense_rank or count + 1) <= count:
            yield one
