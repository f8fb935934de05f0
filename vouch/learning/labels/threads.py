"""The questions of all threads and people, so that what follows an answer is found without going through all."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import islice

from vouch.access import PUBLIC
from vouch.learning.labels.label import audience_tags
from vouch.messages import ConversationAudience, QuestionAsked
from vouch.ports.models import Analyse

_CACHED = 2_000                         # questions whose terms are kept
Thread = tuple[str, str, str]
Readers = tuple[str, ...]


class Threads:
    """`terms` is called once for a question, as long as no _CACHED others are asked for in between."""

    def __init__(self, questions: Iterable[QuestionAsked], terms: Analyse) -> None:
        self._all: defaultdict[Thread, list[QuestionAsked]] = defaultdict(list)
        self._named: defaultdict[Thread, list[QuestionAsked]] = defaultdict(list)
        self._of_asker: defaultdict[str, list[QuestionAsked]] = defaultdict(list)
        self._for_readers: defaultdict[tuple[str, Readers], list[QuestionAsked]] = defaultdict(list)
        for question in questions:
            self._of_asker[question.asker].append(question)
            self._for_readers[question.asker, audience_tags(question.audience)].append(question)
            if (thread := thread_of(question)) is not None:
                self._all[thread].append(question)
                if question.asker != PUBLIC:
                    self._named[thread].append(question)
        lists = self._all, self._named, self._of_asker, self._for_readers
        for asked in (asked for by_key in lists for asked in by_key.values()):
            asked.sort(key=_when)
        self.terms = lru_cache(_CACHED)(lambda text: frozenset(terms(text)))

    def next(self, question: QuestionAsked) -> QuestionAsked | None:
        """What was asked next in its thread; after the question of a person, by a person: strangers may come to the
        thread by its address, and their questions say nothing of that person."""
        thread = thread_of(question)
        threads = self._all if question.asker == PUBLIC else self._named
        asked = threads.get(thread, []) if thread else []
        return next(_from(asked, bisect_right(asked, _when(question), key=_when)), None)

    def same_person(self, question: QuestionAsked, since: datetime, until: datetime, most: int
                    ) -> Iterator[QuestionAsked]:
        """The first that its asker asked after it and in that time, both ends included, in order, on any surface.

        Nothing for those who ask without a name: the next one in their thread may be anybody.
        """
        asked = self._of_asker.get(question.asker, [])
        return islice(_of_the_same(question, asked, since, until), most)

    def same_person_and_readers(self, question: QuestionAsked, since: datetime, until: datetime, most: int
                                ) -> Iterator[QuestionAsked]:
        """As `same_person`, of what was asked for the same readers: no question for others changes what is found."""
        asked = self._for_readers.get((question.asker, audience_tags(question.audience)), [])
        return islice(_of_the_same(question, asked, since, until), most)

    def same_name(self, question: QuestionAsked, since: datetime, until: datetime) -> Iterator[QuestionAsked]:
        """All others under its asker's name in that time, both ends included; without a name, those of everybody."""
        asked = self._of_asker.get(question.asker, [])
        found = _from(asked, bisect_left(asked, since, key=_moment), bisect_right(asked, until, key=_moment))
        return (one for one in found if one.id != question.id)


def thread_of(question: QuestionAsked) -> Thread | None:
    """What names its thread among those of all surfaces; None where the surface has no threads."""
    if question.thread is None:
        return None
    audience = question.audience
    where = audience.conversation if isinstance(audience, ConversationAudience) else ""
    return question.surface, where, question.thread


def _of_the_same(
    question: QuestionAsked, asked: Sequence[QuestionAsked], since: datetime, until: datetime
) -> Iterator[QuestionAsked]:
    if question.asker == PUBLIC:
        return iter(())
    first = max(bisect_right(asked, _when(question), key=_when), bisect_left(asked, since, key=_moment))
    return _from(asked, first, bisect_right(asked, until, key=_moment))


def _from(asked: Sequence[QuestionAsked], first: int, end: int | None = None) -> Iterator[QuestionAsked]:
    """Without a copy of the rest."""
    return (asked[n] for n in range(first, len(asked) if end is None else end))


def _when(question: QuestionAsked) -> tuple[datetime, str]:
    return question.asked_at, question.id


def _moment(question: QuestionAsked) -> datetime:
    return question.asked_at
