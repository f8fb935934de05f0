"""The questions of all threads, so that what follows an answer is found without going through a whole thread."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import islice

from vouch.messages import ConversationAudience, QuestionAsked

_CACHED = 2_000                         # questions whose terms are kept
Terms = Callable[[str], Iterable[str]]


class Threads:
    """`terms` is called once for a question, as long as no _CACHED others are asked for in between."""

    def __init__(self, questions: Iterable[QuestionAsked], terms: Terms) -> None:
        self._all: defaultdict[tuple[str, str, str], list[QuestionAsked]] = defaultdict(list)
        self._of_asker: defaultdict[tuple[tuple[str, str, str], str], list[QuestionAsked]] = defaultdict(list)
        for question in questions:
            if (thread := thread_of(question)) is not None:
                self._all[thread].append(question)
                self._of_asker[thread, question.asker].append(question)
        for asked in (*self._all.values(), *self._of_asker.values()):
            asked.sort(key=_when)
        self.terms = lru_cache(_CACHED)(lambda text: frozenset(terms(text)))

    def next(self, question: QuestionAsked) -> QuestionAsked | None:
        """What anybody asked next in its thread."""
        thread = thread_of(question)
        asked = self._all.get(thread, []) if thread else []
        return next(_from(asked, bisect_right(asked, _when(question), key=_when)), None)

    def same_asker(self, question: QuestionAsked, since: datetime, until: datetime, most: int
                   ) -> Iterator[QuestionAsked]:
        """The first that its asker asked in its thread after it and in that time, both ends included, in order."""
        thread = thread_of(question)
        asked = self._of_asker.get((thread, question.asker), []) if thread else []
        first = max(bisect_right(asked, _when(question), key=_when), bisect_left(asked, since, key=_moment))
        return islice(_from(asked, first, bisect_right(asked, until, key=_moment)), most)


def thread_of(question: QuestionAsked) -> tuple[str, str, str] | None:
    """What names its thread among those of all surfaces; None where the surface has no threads."""
    if question.thread is None:
        return None
    audience = question.audience
    where = audience.conversation if isinstance(audience, ConversationAudience) else ""
    return question.surface, where, question.thread


def _from(asked: Sequence[QuestionAsked], first: int, end: int | None = None) -> Iterator[QuestionAsked]:
    """Without a copy of the rest of a thread."""
    return (asked[n] for n in range(first, len(asked) if end is None else end))


def _when(question: QuestionAsked) -> tuple[datetime, str]:
    return question.asked_at, question.id


def _moment(question: QuestionAsked) -> datetime:
    return question.asked_at
