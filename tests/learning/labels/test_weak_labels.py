"""Labels from citations, votes and behaviour: each rule alone, and all of them against a plain restatement."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from vouch.access import PUBLIC
from vouch.learning.labels.label import Label
from vouch.learning.labels.threads import Threads, thread_of
from vouch.learning.labels.weak_labels import Answered, Ballot, Given, LabelRules, rephrases, weak_labels
from vouch.messages import ConversationAudience, QuestionAsked, TagsAudience

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
ANA, BO = "user:ana@acme.test", "user:bo@acme.test"
RULES = LabelRules()


def terms(text: str) -> list[str]:
    return text.lower().replace("?", "").split()


def question(text: str = "rotate api keys?", at: datetime = NOW, **more: Any) -> QuestionAsked:
    values: dict[str, Any] = {
        "id": f"q{at.timestamp()}", "surface": "slack", "asker": ANA, "thread": "t1",
        "audience": TagsAudience(tags=("user:bo@acme.test", "group:staff")),
    }  # fmt: skip
    return QuestionAsked(text=text, asked_at=at, **values | more)


def answered(*votes: Ballot, action: str = "answered", sent: bool = True, **more: Any) -> Answered:
    """Made a minute after the question: b is cited first, then a; c was given and not cited."""
    body = {"id": "a1", "action": action, "index_version": 7, "citations": [
        {"chunk_id": "b"}, {"chunk_id": "a"}, {"chunk_id": "b"},
    ]}  # fmt: skip
    given = (Given("a", "aa", 1, True), Given("b", "bb", 2, True), Given("c", None, 3, False))
    return Answered(question(**more), body, NOW + MINUTE, sent, given, votes)


def vote(kind: str, category: str | None = None, person: str = BO) -> Ballot:
    return Ballot(person, kind, category, NOW + 5 * MINUTE)


def labels(one: Answered, *thread: QuestionAsked, at: datetime = NOW + 2 * MINUTE) -> list[Label]:
    return weak_labels(one, Threads([one.question, *thread], terms), RULES, at)


def told(found: list[Label], source: str) -> dict[str, tuple[int, float]]:
    return {label.chunk_id: (label.relevance, label.weight) for label in found if label.source == source}


def test_what_is_cited_is_relevant_and_what_was_given_and_not_cited_weakly_is_not() -> None:
    found = {label.chunk_id: label for label in labels(answered())}
    assert {name: (one.relevance, one.weight) for name, one in found.items()} == {
        "a": (1, 0.2), "b": (1, 0.2), "c": (0, 0.1),
    }  # fmt: skip
    assert {name: one.position for name, one in found.items()} == {"b": 1, "a": 2, "c": 3}, "as the reader saw it"
    assert {(one.person, one.answer_id, one.version, one.at) for one in found.values()} == {
        (None, "a1", 7, NOW + MINUTE)
    }
    assert found["a"].audience == ("group:staff", "user:bo@acme.test") and found["a"].text_hash == "aa"


def test_labels_of_a_follow_up_are_of_what_was_searched_for() -> None:
    one = answered()
    later = replace(one, answer={**one.answer, "understood_as": "what are api keys? rotate api keys?"})
    assert {label.question for label in labels(one)} == {"rotate api keys?"}
    assert {label.question for label in labels(later)} == {"what are api keys? rotate api keys?"}


def test_a_citation_given_with_caution_counts_less() -> None:
    found = told(labels(answered(action="answered_with_caution")), "cited")
    assert found == {"a": (1, 0.05), "b": (1, 0.05), "c": (0, 0.1)}


@pytest.mark.parametrize("one", [
    answered(vote("up"), action="declined"), answered(vote("down"), action="replied"), answered(vote("up"), sent=False),
])  # fmt: skip
def test_what_nobody_was_answered_gives_no_label(one: Answered) -> None:
    assert labels(one, question("rotate api keys now", NOW + 3 * MINUTE), at=NOW + 9 * DAY) == []


def test_the_reason_of_a_vote_decides_its_weight() -> None:
    given = {"not_asked": 0.5, "wrong": 0.4, "outdated": 0.2, "other": 0.3, None: 0.3}
    for category, weight in given.items():
        assert told(labels(answered(vote("down", category))), "vote") == {"a": (0, weight), "b": (0, weight)}
    assert told(labels(answered(vote("down", "not_allowed"))), "vote") == {}
    assert told(labels(answered(vote("up"))), "vote") == {"a": (2, 0.5), "b": (2, 0.5)}
    both = [one for one in labels(answered(vote("up"), vote("down", person=ANA))) if one.source == "vote"]
    assert {(one.person, one.relevance) for one in both} == {(BO, 2), (ANA, 0)} and len({one.key for one in both}) == 4


RELEVANT = {"a": (1, 0.2), "b": (1, 0.2), "c": (0, 0.1)}


@pytest.mark.parametrize("action", ["answered", "answered_with_caution"])
@pytest.mark.parametrize("text", ["when rotate keys?", "Rotate  API keys?"])
@pytest.mark.parametrize("thread", ["t1", "t2"])
@pytest.mark.parametrize("after", [MINUTE, 11 * MINUTE])
def test_what_is_cited_is_not_relevant_where_its_asker_asks_again(action: str, text: str, thread: str, after: timedelta
                                                                  ) -> None:
    again = question(text, NOW + after, thread=thread)
    found = labels(answered(vote("up"), action=action), again, at=NOW + 9 * DAY)
    assert told(found, "cited") == {"c": (0, 0.1)}, "what was not cited stays what it was"
    assert told(found, "vote") == {"a": (2, 0.5), "b": (2, 0.5)}, "what somebody said, counts"
    assert told(found, "behaviour") == dict.fromkeys("abc", (0, 0.1))


@pytest.mark.parametrize("other", [
    question("when rotate keys?", NOW + 11 * MINUTE + timedelta(seconds=1)),       # too late
    question("when rotate keys?", NOW + timedelta(seconds=59)),                    # before there was an answer
    question("when rotate keys?", NOW + 3 * MINUTE, asker=BO),
    question("rotate who else is on call", NOW + 3 * MINUTE),
])  # fmt: skip
def test_no_other_question_takes_what_is_cited_away(other: QuestionAsked) -> None:
    assert told(labels(answered(), other, at=NOW + 9 * DAY), "cited") == RELEVANT


def test_what_is_cited_for_the_public_depends_on_no_question_for_others() -> None:
    """Else a model of public questions would change with what was asked of hidden documents."""
    public: dict[str, Any] = {"audience": TagsAudience(tags=(PUBLIC,))}
    one = answered(**public)
    hidden = [question("when rotate keys?", NOW + 2 * MINUTE + n * timedelta(milliseconds=1), id=f"h{n:03}")
              for n in range(RULES.rephrased_among + 1)]
    again = question("when rotate keys?", NOW + 4 * MINUTE, **public)
    for asked, left in (((), RELEVANT), ((again,), {"c": (0, 0.1)})):
        assert told(labels(one, *asked), "cited") == told(labels(one, *hidden, *asked), "cited") == left


def test_who_asks_again_in_other_words_saw_nothing_relevant() -> None:
    again = question("when rotate keys?", NOW + 11 * MINUTE)
    found = [one for one in labels(answered(), again, at=NOW + 9 * DAY) if one.source == "behaviour"]
    assert {one.chunk_id: (one.relevance, one.weight) for one in found} == dict.fromkeys("abc", (0, 0.1))
    assert {(one.person, one.at) for one in found} == {(ANA, again.asked_at)}


@pytest.mark.parametrize("other", [
    question("when rotate keys?", NOW + 11 * MINUTE + timedelta(seconds=1)),       # too late
    question("when rotate keys?", NOW + timedelta(seconds=59)),                    # before there was an answer
    question("when rotate keys?", NOW + 3 * MINUTE, asker=BO),
    question("rotate who else is on call", NOW + 3 * MINUTE),
])  # fmt: skip
def test_another_question_in_the_thread_is_none_that_is_asked_again_and_no_end(other: QuestionAsked) -> None:
    assert told(labels(answered(), other, at=NOW + 9 * DAY), "behaviour") == {}


@pytest.mark.parametrize("other", [
    question("who else is on call", NOW + 3 * MINUTE, thread="t2"),
    question("when rotate keys?", NOW + 3 * MINUTE, thread="t2", asker=BO),
    question("when rotate keys?", NOW + 2 * MINUTE + DAY),
    question("when rotate keys?", NOW + 2 * MINUTE + DAY, thread="t2"),
    question("when rotate keys?", NOW - DAY - MINUTE, thread="t2"),
])  # fmt: skip
def test_a_thread_that_is_quiet_for_a_day_was_content(other: QuestionAsked) -> None:
    assert told(labels(answered(), other, at=NOW + MINUTE + DAY), "behaviour") == {"a": (1, 0.1), "b": (1, 0.1)}
    assert told(labels(answered(), other, at=NOW + DAY), "behaviour") == {}, "the day is not over"
    assert told(labels(answered(vote("down")), other, at=NOW + 9 * DAY), "behaviour") == {}
    assert told(labels(answered(vote("up")), other, at=NOW + 9 * DAY), "behaviour") != {}
    assert told(labels(answered(action="answered_with_caution"), other, at=NOW + 9 * DAY), "behaviour") == {}


ELSEWHERE: list[dict[str, Any]] = [
    {"thread": "t2"}, {"thread": None}, {"surface": "http"}, {"surface": "http", "thread": "t2"},
    {"audience": ConversationAudience(surface="slack", conversation="C")},
]  # fmt: skip


@pytest.mark.parametrize("where", ELSEWHERE)
@pytest.mark.parametrize("mine", ["t1", None])
@pytest.mark.parametrize("text", ["when rotate keys?", "Rotate  API keys?"])
def test_who_asks_again_elsewhere_saw_nothing_relevant_either(where: dict[str, Any], mine: str | None, text: str
                                                               ) -> None:
    own = {"audience": TagsAudience(tags=(ANA,)), "thread": mine}
    again = question(text, NOW + 3 * MINUTE, **{**own, "thread": "t1", **where})
    if "audience" in where and text != "when rotate keys?":      # shared, or asked to be read alone
        assert told(labels(answered(**own), again, at=NOW + 9 * DAY), "behaviour") == {}
        return
    for action in ("answered", "answered_with_caution"):
        found = labels(answered(**own, action=action), again, at=NOW + 9 * DAY)
        assert told(found, "behaviour") == dict.fromkeys("abc", (0, 0.1)), "weak, and against all that was shown"
    assert labels(answered(**own, action="declined"), again, at=NOW + 9 * DAY) == []


@pytest.mark.parametrize("mine", [(ANA,), (ANA, BO), ("user:desk",)])
@pytest.mark.parametrize("theirs", [(BO,), ("user:desk",)])
@pytest.mark.parametrize("text", ["when rotate keys?", "rotate api keys?"])
def test_what_a_program_asks_for_one_person_says_nothing_of_what_another_was_shown(
    mine: tuple[str, ...], theirs: tuple[str, ...], text: str
) -> None:
    desk: dict[str, Any] = {"asker": "user:desk", "thread": None}
    one = answered(**desk, audience=TagsAudience(tags=mine))
    again = question(text, NOW + 3 * MINUTE, **desk, audience=TagsAudience(tags=theirs))
    held = dict.fromkeys("abc", (0, 0.1)) if mine == theirs else {}
    assert told(labels(one, again, at=NOW + 9 * DAY), "behaviour") == held
    same = question(text, NOW + 4 * MINUTE, **desk, id="same", audience=TagsAudience(tags=mine))
    assert told(labels(one, again, same, at=NOW + 9 * DAY), "behaviour") == dict.fromkeys("abc", (0, 0.1))


@pytest.mark.parametrize("where", ELSEWHERE)
@pytest.mark.parametrize("at", [-MINUTE, timedelta(0), 11 * MINUTE + timedelta(seconds=1), DAY])
def test_who_asked_nearly_the_same_within_a_day_was_not_content(where: dict[str, Any], at: timedelta) -> None:
    """Before: the latest of several tries has no better answer only because nobody tried again."""
    other = question("when rotate keys?", NOW + at, id="other", **where)
    assert told(labels(answered(), other, at=NOW + 9 * DAY), "behaviour") == {}


def test_the_last_of_several_tries_leaves_no_passage_of_theirs_relevant() -> None:
    """The same question, typed three times in new threads of Slack, and then given up."""
    tries = [question(at=NOW + 3 * n * MINUTE, thread=f"t{n}") for n in range(3)]
    threads = Threads(tries, terms)
    found = [label for one in tries for label in weak_labels(
        replace(answered(), question=one, made_at=one.asked_at + MINUTE), threads, RULES, NOW + 9 * DAY)]
    assert [label.relevance for label in found if label.source == "behaviour"] == [0] * 6


@pytest.mark.parametrize("bug", ["threads alone", "caution", "no look at other tries"])
def test_planted_bugs_are_caught(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if bug == "threads alone":
        for name in ("same_person", "same_name"):
            monkeypatch.setattr(Threads, name, _in_its_thread(getattr(Threads, name)))
    elif bug == "caution":
        monkeypatch.setattr("vouch.learning.labels.weak_labels._SURE", ("answered", "answered_with_caution"))
    else:
        monkeypatch.setattr(Threads, "same_name", lambda *_: iter(()))
    checks: list[Callable[[], None]] = [
        *(partial(test_who_asks_again_elsewhere_saw_nothing_relevant_either, where, "t1", "rotate keys")
          for where in ELSEWHERE),
        *(partial(test_who_asked_nearly_the_same_within_a_day_was_not_content, where, DAY) for where in ELSEWHERE),
        partial(test_a_thread_that_is_quiet_for_a_day_was_content, question("who else", thread="t2")),
    ]  # fmt: skip
    assert any(map(_fails, checks))


def _fails(check: Callable[[], None]) -> bool:
    try:
        check()
    except AssertionError:
        return True
    return False


def _in_its_thread(look: Callable[..., Iterable[QuestionAsked]]) -> Callable[..., Iterable[QuestionAsked]]:
    def narrow(self: Threads, asked: QuestionAsked, *more: Any) -> Iterator[QuestionAsked]:
        return (one for one in look(self, asked, *more) if thread_of(one) == thread_of(asked))
    return narrow


@pytest.mark.parametrize("surface", ["http", "log", "slack"])
@pytest.mark.parametrize("text", ["when rotate keys?", "rotate api keys?"])
def test_strangers_who_share_a_thread_do_not_lower_each_others_labels(surface: str, text: str) -> None:
    """They share a name: the next one who asks nearly the same need not be the one who was answered."""
    one = answered(asker=PUBLIC, surface=surface)
    for thread in ("t1", "t2", None):
        again = question(text, NOW + 3 * MINUTE, asker=PUBLIC, surface=surface, thread=thread)
        alone = told(labels(one, at=NOW + 3 * MINUTE), "cited")
        found = labels(one, again, at=NOW + 9 * DAY)
        assert told(found, "behaviour") == {} and told(found, "cited") == alone == RELEVANT


def test_an_end_is_no_sign_where_more_was_asked_under_a_name_than_is_looked_through() -> None:
    others = [question(f"word{n}", NOW + n * MINUTE, id=f"o{n}", thread=f"o{n}") for n in range(51)]
    assert told(labels(answered(), *others[:50], at=NOW + 9 * DAY), "behaviour") != {}
    assert told(labels(answered(), *others, at=NOW + 9 * DAY), "behaviour") == {}


def test_without_a_thread_an_end_says_nothing() -> None:
    assert told(labels(answered(thread=None), at=NOW + 9 * DAY), "behaviour") == {}


def test_a_conversation_is_an_audience_that_no_reader_has() -> None:
    where = ConversationAudience(surface="slack", conversation="C1")
    assert {one.audience for one in labels(answered(audience=where))} == {("conversation:slack:C1",)}


@pytest.mark.parametrize(("one", "other", "same"), [
    ("rotate api keys", "keys rotate when", True), ("rotate api keys", "rotate api keys", True),
    ("a b", "a c", False), ("a b c", "a b d", True), ("a", "b", False), ("", "", False), ("vacation", "vacation", True),
    ("???", "???", True), ("???", "??? ?", False),
])  # fmt: skip
def test_the_same_in_other_words(one: str, other: str, same: bool) -> None:
    assert rephrases(one, other, 0.5, terms) is rephrases(other, one, 0.5, terms) is same


def test_a_weight_of_nothing_makes_no_label() -> None:
    silent = replace(RULES, cited=0, shown=0, up=0, ended=0, rephrased=0)
    assert weak_labels(answered(vote("up")), Threads([], terms), silent, NOW + 9 * DAY) == []


@pytest.mark.parametrize("seed", range(200))
def test_all_rules_at_once_against_a_plain_count(seed: int) -> None:
    """(relevance, weight) of every label, restated as sums over what happened; the order of a thread does not count."""
    chance = random.Random(seed)
    votes = [vote(chance.choice(["up", "down"]), chance.choice([None, "wrong", "not_allowed"]), f"user:{n}@acme.test")
             for n in range(chance.randrange(4))]
    one = answered(*votes, action=chance.choice(["answered", "answered_with_caution", "declined"]))
    thread = [question(chance.choice(["when rotate keys", "who else is there"]), id=f"r{n}",
                       at=NOW + chance.randrange(1, 3000) * MINUTE, asker=chance.choice([ANA, BO]))
              for n in range(chance.randrange(4))]
    at = NOW + timedelta(hours=chance.randrange(60))
    expected = list[tuple[str, int, float]]()
    if one.answer["action"] != "declined":
        sure = 0.2 if one.answer["action"] == "answered" else 0.05
        for ballot in votes:
            weight = 0.5 if ballot.vote == "up" else {"wrong": 0.4, None: 0.3}.get(ballot.category)
            if ballot.category != "not_allowed":
                assert weight is not None
                expected += [(chunk, 2 if ballot.vote == "up" else 0, weight) for chunk in "ab"]
        delays = [(q, q.asked_at - one.made_at) for q in thread]
        expected += [("c", 0, 0.1)]
        if any(q.asker == ANA and "rotate" in q.text and timedelta(0) <= d <= 10 * MINUTE for q, d in delays):
            expected += [(chunk, 0, 0.1) for chunk in "abc"]
        else:
            expected += [(chunk, 1, sure) for chunk in "ab"]
            quiet = at - one.made_at >= DAY and all(d > DAY for _, d in delays)
            if one.answer["action"] == "answered" and quiet and not any(ballot.vote == "down" for ballot in votes):
                expected += [(chunk, 1, 0.1) for chunk in "ab"]
    found = labels(one, *thread, at=at)
    assert sorted((label.chunk_id, label.relevance, label.weight) for label in found) == sorted(expected)
    assert labels(one, *chance.sample(thread, len(thread)), at=at) == found
    assert len({label.key for label in found}) == len(found)


def as_before(one: Answered, asked: Sequence[QuestionAsked]) -> tuple[datetime | None, bool]:
    """When it was asked again, and whether its thread ended well: by going through all questions in order."""
    def when(asked: QuestionAsked) -> tuple[datetime, str]:
        return asked.asked_at, asked.id

    def mine(other: QuestionAsked) -> bool:
        return other.asker == one.question.asker

    in_thread = [q for q in asked if thread_of(q) == thread_of(one.question) is not None]
    similar = [q for q in sorted(asked, key=when) if q.id != one.question.id and mine(q)
               and rephrases(q.text, one.question.text, 0.5, terms)]
    again = next((q.asked_at for q in similar if when(q) > when(one.question)
                  and timedelta(0) <= q.asked_at - one.made_at <= RULES.rephrased_within
                  and q.asker != PUBLIC), None)
    talked = any(when(q) > when(one.question) and q.asked_at <= one.made_at + DAY for q in in_thread)
    near = any(one.question.asked_at - DAY <= q.asked_at <= one.made_at + DAY for q in similar)
    return again, bool(in_thread) and not talked and not near


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
