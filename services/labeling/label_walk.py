"""A walk through questions and their passages: forwards, back, and on where a former walk ended."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.labeling.judging import Labeling, Shown, ToJudge


@dataclass(frozen=True, slots=True)
class Step:
    """Where a walk is: question `question` of `questions`, its passage `place` of `places`, both from 1.

    `former` is what was judged here before in this walk.
    """

    shown: Shown
    question: int
    questions: int
    place: int
    places: int
    former: int | None


@dataclass(frozen=True, slots=True)
class _Pair:
    question: int
    place: int
    places: int
    chunk_id: str


class LabelWalk:
    """A person's walk through questions and passages; those judged before are left out. A question is searched when its
    turn comes.
    """

    def __init__(self, labeling: Labeling, person: str, questions: Sequence[ToJudge], seed: int) -> None:
        """Raises Usage or NotFound unless the person is one of the directory."""
        self._labeling, self._questions, self._seed = labeling, list(questions), seed
        self._person = labeling.check(person)
        self._ahead = self._pairs()
        self._met: list[_Pair] = []
        self._at = 0
        self._said: dict[_Pair, int] = {}   # in this walk, the latest last
        self._step: Step | None = None
        self.passed_over = 0                # questions without a passage that may be read, until now

    def current(self) -> Step | None:
        """The passage to judge now, looked up again; None at the end."""
        while (pair := self._pair()) is not None:
            question = self._questions[pair.question]
            shown = self._labeling.look(self._person, question, pair.chunk_id)
            if shown is not None:
                self._step = Step(shown, pair.question + 1, len(self._questions), pair.place, pair.places,
                                  self._said.get(pair))
                return self._step
            del self._met[self._at]
        self._step = None
        return None

    def judge(self, relevance: int) -> bool:
        """Saves what the person says of the current passage and goes on; False if it may not be read any more."""
        if self._step is None:
            raise RuntimeError("there is nothing to judge here")
        saved = self._labeling.save(self._person, self._step.shown, relevance)
        if saved:
            pair = self._met[self._at]
            self._said.pop(pair, None)
            self._said[pair] = relevance
            self._at += 1
        return saved

    @property
    def judged(self) -> int:
        """Passages that were judged in this walk and not taken back."""
        return len(self._said)

    def skip(self) -> None:
        """Goes on; the passage comes again in another walk."""
        if self._step is not None:
            self._at += 1

    def back(self) -> bool:
        """Goes back by one; False at the beginning."""
        if not self._at:
            return False
        self._at -= 1
        return True

    def undo(self) -> bool:
        """Forgets the latest judgment of this walk and goes back to its passage; False if there is none."""
        if not self._said:
            return False
        pair, _ = self._said.popitem()
        self._labeling.forget(self._person, self._questions[pair.question], pair.chunk_id)
        if pair in self._met:               # else it may not be read any more
            self._at = self._met.index(pair)
        return True

    def _pair(self) -> _Pair | None:
        while self._at >= len(self._met):
            found = next(self._ahead, None)
            if found is None:
                return None
            self._met.append(found)
        return self._met[self._at]

    def _pairs(self) -> Iterator[_Pair]:
        judged = self._labeling.judged(self._person)
        for number, question in enumerate(self._questions):
            ids = self._labeling.pooled(self._person, question, self._seed)
            self.passed_over += not ids
            for place, chunk_id in enumerate(ids, 1):
                if (question.key, chunk_id) not in judged:
                    yield _Pair(number, place, len(ids), chunk_id)
