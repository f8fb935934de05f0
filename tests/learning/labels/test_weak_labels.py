"""Labels from citations, votes and behaviour: each rule alone, and all of them against a plain restatement."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest
from learning_scene.one_answer import ANA, BO, DAY, MINUTE, NOW, RULES, answered, labels, question, terms, told, vote

from vouch.learning.labels.threads import Threads
from vouch.learning.labels.weak_labels import Answered, weak_labels
from vouch.messages import ConversationAudience


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


def test_a_conversation_is_an_audience_that_no_reader_has() -> None:
    where = ConversationAudience(surface="slack", conversation="C1")
    assert {one.audience for one in labels(answered(audience=where))} == {("conversation:slack:C1",)}


def test_a_weight_of_nothing_makes_no_label() -> None:
    silent = replace(RULES, cited=0, shown=0, up=0, ended=0, rephrased=0)
    assert weak_labels(answered(vote("up")), Threads([], terms), silent, NOW + 9 * DAY) == []


@pytest.mark.parametrize("seed", range(200))
def test_all_rules_at_once_against_a_plain_count(seed: int) -> None:
    """(relevance, weight) of every label, restated as sums over what happened; the order of a thread does not count."""
    chance = random.Random(seed)
    votes = [vote(chance.choice(["up", "down"]), chance.choice([None, "wrong", "not_allowed"]),
                  f"user:{n}@acme.test" if n else ANA)
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
            disliked = any(one.person == ANA and one.vote == "down" and one.category != "not_allowed" for one in votes)
            if one.answer["action"] == "answered" and quiet and not disliked:
                expected += [(chunk, 1, 0.1) for chunk in "ab"]
    found = labels(one, *thread, at=at)
    assert sorted((label.chunk_id, label.relevance, label.weight) for label in found) == sorted(expected)
    assert labels(one, *chance.sample(thread, len(thread)), at=at) == found
    assert len({label.key for label in found}) == len(found)


def test_a_vote_dated_ahead_makes_labels_of_now() -> None:
    later = NOW + 9 * MINUTE
    ahead = replace(vote("up"), at=NOW + 365 * DAY)
    found = [label.at for label in labels(answered(ahead), at=later) if label.source == "vote"]
    assert found and set(found) == {later}
