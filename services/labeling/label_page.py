"""One passage after another to judge, for pages that keep nothing between two requests."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from services.labeling.judging import Labeling, Shown, ToJudge
from vouch.errors import BadInput, NotFound
from vouch.values.candidate import Passage

QUESTIONS = 40                          # the newest, of those that may be judged
_KEPT, _FOR = 500, timedelta(hours=1)   # what was found for a question
_BESIDE = 200                           # characters of a neighbor that are shown
_GRADES = ("0", "1", "2", "3")
_Left = tuple[ToJudge, str, dict[str, int]]     # a passage of a question, and where it stands


@dataclass(frozen=True)
class LabelPage:
    """The same questions, passages and judgments as `vouch label`. `labeling` None: this process holds no models."""

    labeling: Labeling | None
    clock: Callable[[], datetime]
    _found: OrderedDict[tuple[str, str], tuple[datetime, Sequence[str]]] = field(default_factory=OrderedDict)

    def next(self, person: str, skipped: int) -> dict[str, Any] | None:
        """The first passage that this person has not judged, after so many others; None where there is no more.

        Raises Usage or NotFound for whoever is no person of the directory, NotFound where nothing can be searched.
        """
        labeling = self._here()
        tag = labeling.check(person)
        return self._first(labeling, tag, islice(self._left(labeling, tag), skipped, None))

    def same(self, person: str, question: str, chunk_id: str) -> dict[str, Any] | None:
        """This one as `next` gives it, whatever was asked since; None once this person may not judge it any more, or
        has. Raises as `next` does."""
        labeling = self._here()
        tag = labeling.check(person)
        questions, judged = labeling.asked(tag), labeling.judged(tag)
        number = next((n for n, one in enumerate(questions, 1) if one.key == question), 0)
        if not number or (question, chunk_id) in judged:
            return None
        asked = questions[number - 1]
        found = self._pooled(labeling, tag, asked)      # anew after an hour, perhaps without this one
        ids = found if chunk_id in found else [*found, chunk_id]
        at = _at(number, questions, ids.index(chunk_id) + 1, ids, judged)
        return self._first(labeling, tag, [(asked, chunk_id, at)])

    def judge(self, person: str, question: str, chunk_id: str, text_hash: str, relevance: str) -> bool:
        """False if the passage is not what was shown, or may not be read any more: then nothing is kept.

        Raises NotFound for a question that this person may not judge, BadInput for what is no grade.
        """
        labeling = self._here()
        tag = labeling.check(person)
        if relevance not in _GRADES:
            raise BadInput("that is no grade", cure="give one from 0 to 3")
        asked = _asked(labeling, tag, question)
        shown = labeling.look(tag, asked, chunk_id)
        if shown is None or shown.passage.text_hash != text_hash:
            return False
        return labeling.save(tag, shown, int(relevance))

    def take_back(self, person: str, question: str, chunk_id: str) -> None:
        """Afterwards this person has judged nothing of the passage. Raises NotFound as `judge` does."""
        labeling = self._here()
        tag = labeling.check(person)
        labeling.forget(tag, _asked(labeling, tag, question), chunk_id)

    def _left(self, labeling: Labeling, tag: str) -> Iterator[_Left]:
        """What this person has not judged, of the newest questions."""
        questions, judged = labeling.asked(tag)[:QUESTIONS], labeling.judged(tag)
        for number, question in enumerate(questions, 1):
            ids = self._pooled(labeling, tag, question)
            for place, chunk_id in enumerate(ids, 1):
                if (question.key, chunk_id) not in judged:
                    yield question, chunk_id, _at(number, questions, place, ids, judged)

    def _first(self, labeling: Labeling, tag: str, left: Iterable[_Left]) -> dict[str, Any] | None:
        """Of those that may be read at this moment."""
        for question, chunk_id, at in left:
            shown = labeling.look(tag, question, chunk_id)
            if shown is not None:
                return {**_row(shown), **at}
        return None

    def _here(self) -> Labeling:
        if self.labeling is None:
            raise NotFound("this service holds no model to search with", cure="judge with vouch label")
        return self.labeling

    def _pooled(self, labeling: Labeling, tag: str, question: ToJudge) -> Sequence[str]:
        """Ids alone, for an hour: whether a passage may be read is looked up each time that it is shown."""
        now, name = self.clock(), (tag, question.key)
        found = self._found.get(name)
        if found is None or now - found[0] > _FOR:
            found = now, labeling.pooled(tag, question, 0)
            self._found[name] = found
            while len(self._found) > _KEPT:
                self._found.popitem(last=False)
        return found[1]


def _at(number: int, questions: Sized, place: int, ids: Sized, judged: Sized) -> dict[str, int]:
    return {"number": number, "questions": len(questions), "place": place, "places": len(ids), "judged": len(judged)}


def _asked(labeling: Labeling, tag: str, question: str) -> ToJudge:
    found = next((one for one in labeling.asked(tag) if one.key == question), None)
    if found is None:
        raise NotFound("there is no such question to judge", cure="open /operate/labels again")
    return found


def _row(shown: Shown) -> dict[str, Any]:
    passage = shown.passage
    return {
        "question": shown.question.text, "key": shown.question.key, "chunk_id": passage.chunk_id,
        "text_hash": passage.text_hash, "source": passage.source, "path": passage.path, "title": passage.title,
        "section": " > ".join(passage.section), "text": passage.text, "before": _text(shown.before)[-_BESIDE:],
        "after": _text(shown.after)[:_BESIDE],
    }  # fmt: skip


def _text(passage: Passage | None) -> str:
    return passage.text if passage is not None else ""
