"""Questions that ask for a list: a cited line for each document, in a stable order, and no word of what is hidden."""

import random
from dataclasses import replace

import pytest
from homes.small_world import NOBODY, SmallWorld, passage, small_world

from vouch.answering.answer import Answer
from vouch.answering.answer_text import NOTHING_FOR_ALL
from vouch.correction.components import QuestionKinds
from vouch.correction.loop import answer_question
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.retrieval.ranking import Ranking
from vouch.values.candidate import Passage

QUESTION = "Which documents mention the pantry budget?"


def recipes(documents: int = 20, rerank: int = 100) -> QuestionKinds:
    return QuestionKinds(FactQuestions(), ListQuestions(Ranking(top=1000, rerank=rerank), documents))


def five() -> list[Passage]:
    """Five documents on the pantry budget, two passages each, and five on other matters."""
    rows = []
    for n in range(5):
        place = {"path": f"{n}.md", "title": f"Office {n}", "section": ("Office",), "document_chunks": 2}
        rows += [
            passage(f"The pantry budget of office {n} is spent on tea.", chunk_id=f"b{n}", **place),
            passage(f"Visitors of office {n} sign in.", chunk_id=f"v{n}", ordinal=1, **place),
            passage(f"Badges are handed out on floor {n}.", chunk_id=f"o{n}", path=f"other{n}.md", title="Badges"),
        ]
    return rows


def asked(world: SmallWorld, question: str = QUESTION) -> Answer:
    return answer_question(world.ask(question), world.components).answer


def unstamped(answer: Answer) -> dict[str, object]:
    return answer.model_dump(exclude={"timings_ms"})


def test_each_document_gets_one_cited_line() -> None:
    answer = asked(small_world(five()))
    assert answer.action == "answered" and not answer.warnings
    assert [c.path for c in answer.citations] == [f"{n}.md" for n in range(5)]
    assert answer.answer.splitlines() == [
        f"- Office {n}: The pantry budget of office {n} is spent on tea. [{n + 1}]" for n in range(5)]
    assert all(s.citations == [n] for n, s in enumerate(answer.sentences, 1))


def test_the_order_does_not_depend_on_the_order_of_rows() -> None:
    first = unstamped(asked(small_world(five())))
    for seed in range(5):
        rows = five()
        random.Random(seed).shuffle(rows)
        assert unstamped(asked(small_world(rows))) == first


def test_beyond_the_limit_the_rest_is_counted() -> None:
    world = small_world(five(), kinds=recipes(documents=2))
    outcome = answer_question(world.ask(QUESTION), world.components)
    assert len(outcome.answer.sentences) == 2
    assert outcome.answer.warnings == ["3 more documents fit and are not listed: ask about a part to see them"]
    assert {f"b{n}" for n in range(5)} <= set(outcome.given)         # what is counted must stay readable, too


def test_passages_nobody_judged_are_said_so() -> None:
    answer = asked(small_world(five(), kinds=recipes(rerank=3)))
    assert len(answer.sentences) == 3
    assert any(warning.startswith("at least 2 passages that are less near") for warning in answer.warnings)


def test_a_reader_of_two_of_five_gets_those_two_and_no_count_of_the_others() -> None:
    hidden = {f"{kind}{n}" for n in (1, 3, 4) for kind in "bv"}
    for most in (1, 20):
        made = recipes(documents=most)
        some, without = small_world(five(), kinds=made), small_world(
            [p for p in five() if p.chunk_id not in hidden], kinds=made)
        some.index.labels.update(dict.fromkeys(hidden, NOBODY))
        answer = asked(some)
        assert unstamped(answer) == unstamped(asked(without))
        assert [c.path for c in answer.citations] == ["0.md", "2.md"][:most]
        assert answer.warnings == (["1 more document fits and is not listed: ask about a part to see them"]
                                   if most == 1 else [])


def test_a_counted_document_that_is_hidden_meanwhile_is_counted_no_more() -> None:
    world = small_world(five(), kinds=recipes(documents=2))
    reranker, calls = world.components.reranker, []

    class Revoking:
        fingerprint = "revoking"

        def scores(self, pairs: list[tuple[str, str]]) -> list[float]:
            calls.append(len(pairs))
            if len(calls) == 2:                             # while the answer is written
                world.index.labels["b4"] = NOBODY
            return reranker.scores(pairs)

    world.components = replace(world.components, reranker=Revoking(), closeness=Revoking())
    answer = asked(world)
    assert len(calls) == 4                                  # judged and written twice
    assert answer.warnings == ["2 more documents fit and are not listed: ask about a part to see them"]


@pytest.mark.parametrize("question", ["Which documents mention unicorns?", "List all of the"])
def test_a_list_of_nothing_is_declined(question: str) -> None:
    answer = asked(small_world(five()), question)
    assert answer.action == "declined" and not answer.sentences and not answer.warnings
    assert answer.answer.startswith(NOTHING_FOR_ALL)


def test_a_usual_question_keeps_its_few_quotations() -> None:
    answer = asked(small_world(five()), "What is the pantry budget spent on?")
    titles = {c.number: c.title for c in answer.citations}
    assert answer.answer == "\n\n".join(f"{titles[n]}:\n{s.text} [{n}]" for n, s in enumerate(answer.sentences, 1))
