"""Who asks the same again saw nothing relevant, wherever they ask; who is quiet for a day was content."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from learning_scene.one_answer import ANA, BO, DAY, MINUTE, NOW, RULES, answered, labels, question, terms, told, vote

from vouch.access import PUBLIC
from vouch.learning.labels.threads import Threads, thread_of
from vouch.learning.labels.weak_labels import rephrases, weak_labels
from vouch.messages import ConversationAudience, QuestionAsked, TagsAudience

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
    assert told(labels(answered(vote("down", person=ANA)), other, at=NOW + 9 * DAY), "behaviour") == {}
    for says_nothing in (vote("down", "not_allowed"), vote("down", "not_allowed", ANA), vote("down")):
        assert told(labels(answered(says_nothing), other, at=NOW + 9 * DAY), "behaviour") != {}
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


def test_a_stranger_in_the_thread_of_a_person_does_not_keep_it_from_ending() -> None:
    """Whoever has the address of an answer may ask below it; a colleague there goes on with the thread."""
    ended = told(labels(answered(), at=NOW + 9 * DAY), "behaviour")
    assert ended == dict.fromkeys("ab", (1, 0.1))
    strangers = [question(text, NOW + n * MINUTE, id=f"s{n}", asker=PUBLIC)
                 for n, text in enumerate(("who else is there?", "when rotate keys?"), 1)]
    assert told(labels(answered(), *strangers, at=NOW + 9 * DAY), "behaviour") == ended
    colleague = question("who else is there?", NOW + 5 * MINUTE, id="b", asker=BO)
    assert told(labels(answered(), *strangers, colleague, at=NOW + 9 * DAY), "behaviour") == {}
    stranger = answered(asker=PUBLIC)
    assert told(labels(stranger, strangers[0], at=NOW + 9 * DAY), "behaviour") == {}


def test_an_end_is_no_sign_where_more_was_asked_under_a_name_than_is_looked_through() -> None:
    others = [question(f"word{n}", NOW + n * MINUTE, id=f"o{n}", thread=f"o{n}") for n in range(51)]
    assert told(labels(answered(), *others[:50], at=NOW + 9 * DAY), "behaviour") != {}
    assert told(labels(answered(), *others, at=NOW + 9 * DAY), "behaviour") == {}


def test_without_a_thread_an_end_says_nothing() -> None:
    assert told(labels(answered(thread=None), at=NOW + 9 * DAY), "behaviour") == {}


@pytest.mark.parametrize(("one", "other", "same"), [
    ("rotate api keys", "keys rotate when", True), ("rotate api keys", "rotate api keys", True),
    ("a b", "a c", False), ("a b c", "a b d", True), ("a", "b", False), ("", "", False), ("vacation", "vacation", True),
    ("???", "???", True), ("???", "??? ?", False),
])  # fmt: skip
def test_the_same_in_other_words(one: str, other: str, same: bool) -> None:
    assert rephrases(one, other, 0.5, terms) is rephrases(other, one, 0.5, terms) is same
