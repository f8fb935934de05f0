"""What people did after an answer, by itself: a plain restatement, and how much of a thread is looked at."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from learning_scene.one_answer import ANA, BO, DAY, MINUTE, NOW, RULES, answered, labels, question, terms, told

from vouch.access import PUBLIC
from vouch.learning.labels.threads import Threads, thread_of
from vouch.learning.labels.weak_labels import Answered, rephrases, weak_labels
from vouch.messages import QuestionAsked


def as_before(one: Answered, asked: Sequence[QuestionAsked]) -> tuple[datetime | None, bool]:
    """When it was asked again, and whether its thread ended well: by going through all questions in order."""
    def when(asked: QuestionAsked) -> tuple[datetime, str]:
        return asked.asked_at, asked.id

    def mine(other: QuestionAsked) -> bool:
        return other.asker == one.question.asker

    in_thread = [q for q in asked if thread_of(q) == thread_of(one.question) is not None
                 and (q.asker != PUBLIC or one.question.asker == PUBLIC)]
    similar = [q for q in sorted(asked, key=when) if q.id != one.question.id and mine(q)
               and rephrases(q.text, one.question.text, 0.5, terms)]
    again = next((q.asked_at for q in similar if when(q) > when(one.question)
                  and timedelta(0) <= q.asked_at - one.made_at <= RULES.rephrased_within
                  and q.asker != PUBLIC), None)
    talked = any(when(q) > when(one.question) and q.asked_at <= one.made_at + DAY for q in in_thread)
    near = any(one.question.asked_at - DAY <= q.asked_at <= one.made_at + DAY for q in similar)
    return again, thread_of(one.question) is not None and not talked and not near


@pytest.mark.parametrize("seed", range(200))
def test_behaviour_is_that_of_going_through_all_questions(seed: int) -> None:
    print(f"seed {seed}")
    chance = random.Random(seed)
    steps = [MINUTE * n for n in (0, 1, 1, 2, 10, 11, 12, 1440, 1441, 1442)] + [timedelta(microseconds=1)]
    everything = [question(chance.choice(["when rotate keys", "rotate api keys", "who else is there", "?"]),
                           NOW + chance.choice([-1, 1, 1]) * chance.choice(steps), id=f"r{n}",
                           asker=chance.choice([ANA, ANA, BO, PUBLIC]),
                           thread=chance.choice(["t1", "t1", "t1", "t2", None]))
                  for n in range(chance.randrange(12))]
    threads = Threads(everything, terms)
    for each in everything:
        one = replace(answered(), question=each, made_at=each.asked_at + chance.choice([MINUTE, timedelta(0)]))
        again, content = as_before(one, everything)
        found = [each for each in weak_labels(one, threads, RULES, NOW + 9 * DAY) if each.source == "behaviour"]
        if again is not None:
            assert {(label.at, label.relevance, label.chunk_id) for label in found} == {(again, 0, c) for c in "abc"}
        else:
            assert {(label.at, label.chunk_id) for label in found} == (
                {(one.made_at + DAY, chunk) for chunk in "ab"} if content else set())


def crowded(many: int, at: datetime = NOW) -> list[QuestionAsked]:
    """Of one person, in one thread, within ten minutes, each about something else."""
    return [question(f"word{n}", at + timedelta(milliseconds=n), id=f"r{n:04}") for n in range(many)]


def test_a_crowded_thread_is_not_compared_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms are made once for a question, and a bounded number of questions is compared with each answer."""
    made, compared = Counter[str](), Counter[str]()

    def counted_terms(text: str) -> list[str]:
        made[text] += 1
        return terms(text)

    def counted(text: str, former: str, share: float, terms: Callable[[str], Iterable[str]]) -> bool:
        compared[former] += 1
        return rephrases(text, former, share, terms)

    monkeypatch.setattr("vouch.learning.labels.weak_labels.rephrases", counted)
    asked = crowded(400)
    threads = Threads(asked, counted_terms)
    for one in asked:
        weak_labels(replace(answered(), question=one, made_at=one.asked_at), threads, RULES, NOW + 9 * DAY)
    assert set(made.values()) == {1} and len(made) == 400
    assert max(compared.values()) == 2 * RULES.rephrased_among == 100, "for behaviour, and for citations"


def test_what_is_asked_again_counts_among_the_next_fifty_of_its_asker() -> None:
    first = crowded(49, NOW + 2 * MINUTE)
    others = [replaced.model_copy(update={"asker": BO, "id": f"b{n}"}) for n, replaced in enumerate(first)]
    again = question("when rotate keys?", NOW + 4 * MINUTE)
    assert told(labels(answered(), *first, *others, again), "behaviour") == dict.fromkeys("abc", (0, 0.1))
    one_more = question("something else", NOW + 3 * MINUTE)
    assert told(labels(answered(), *first, *others, one_more, again), "behaviour") == {}
