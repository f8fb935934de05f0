"""The web beside the documents: when it is asked, by whom, with what, and how its words are told from others."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from fakes.fixed_evaluator import FixedEvaluator
from fakes.noted_web import FETCHED, NotedWeb, web_passage
from homes.small_world import EVERYBODY, NOBODY, NOW, OPEN, SmallWorld, passage, small_world
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.terminal import render
from vouch.access import Audience, Label, Reader
from vouch.answering.answer import Answer
from vouch.answering.answer_text import FROM_WEB, UNSURE
from vouch.answering.packing import heading
from vouch.correction import loop
from vouch.correction.components import Outside
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.correction.steps.web import FAILED
from vouch.ports.language import Draft, DraftSentence, Evidence
from vouch.ports.web import Found

CHESS, LEAVE = "Who won the chess tournament?", "How many weeks of paid leave do parents get?"
UNCLEAR = "How many paid weeks do new French parents get yearly?"
WON = web_passage("Judit won the chess tournament in Riga.", "chess", "Chess news")
FRENCH = web_passage("French parents get 16 paid weeks yearly.", "french", "Leave in France")
DOGS = web_passage("Dogs like long walks.", "dogs")


def world(web: NotedWeb, readers: Label = OPEN, surfaces: frozenset[str] | None = None, **changes: Any) -> SmallWorld:
    return small_world(outside=Outside(web, readers, surfaces), **changes)


def ask(made: SmallWorld, text: str) -> Outcome:
    return answer_question(made.ask(text), made.components)


def told(answer: Answer) -> str:
    return "\n".join(line.text for line in render(answer.model_dump(mode="json"), 100))


def test_what_the_documents_answer_is_never_sent() -> None:
    web = NotedWeb(WON)
    outcome = ask(world(web), LEAVE)
    assert web.asked == [] and outcome.answer.knowledge == "internal"
    assert "outside" not in outcome.answer.timings_ms


def test_what_they_do_not_answer_is_answered_from_the_web_and_said_to_be() -> None:
    web = NotedWeb(DOGS, WON)
    outcome = ask(world(web), CHESS)
    answer = outcome.answer
    assert web.asked == [CHESS] and answer.action == "answered" and answer.knowledge == "external"
    assert answer.answer.startswith(FROM_WEB) and "Judit" in answer.answer and "Dogs" not in answer.answer
    [citation] = answer.citations
    assert (citation.origin, citation.url, citation.title) == ("external", "https://site.org/chess", "Chess news")
    assert citation.fetched_at == FETCHED and citation.place == ""
    assert WON.text[slice(*citation.characters)] == citation.quote
    shown = told(answer)
    assert "from the web, not from your documents, fetched 2026-01-05 11:00 UTC" in shown and citation.url in shown
    assert answer.timings_ms["outside"] >= 0 and answer.verdict and "on the web" in answer.verdict.reason


def test_only_chunks_of_the_index_are_looked_up_again_and_kept_as_candidates() -> None:
    made = world(NotedWeb(WON))
    outcome = ask(made, CHESS)
    ids = {one.chunk_id for one in made.index.passages}
    assert set(outcome.given) <= ids and {row["chunk_id"] for row in outcome.candidates} <= ids
    probable = [row["probability"] for row in outcome.candidates if row["chunk_id"] in outcome.given]
    assert outcome.given and max(row["probability"] or 0 for row in outcome.candidates) in probable


class QuotesAll:
    """A language model that cites every passage it is given."""

    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        quoted = [(one.number, *one.strips[0]) for one in evidence]
        return Draft(tuple(
            DraftSentence(one.passage.text[quote[1] : quote[2]], (quote,))
            for one, quote in zip(evidence, quoted, strict=True)
        ), "big-one")


def test_titles_of_the_web_are_told_from_others() -> None:
    other = web_passage("The chess tournament was won in Riga by Judit.", "riga", "Riga today")
    answer = ask(world(NotedWeb(WON, other)), CHESS).answer
    assert "Chess news (from the web):" in answer.answer and "Riga today (from the web):" in answer.answer


def test_a_language_model_is_told_which_passages_are_from_the_web() -> None:
    assert heading(WON).endswith(" (from the web)") and not heading(passage("x")).endswith("web)")


def test_unclear_evidence_is_put_beside_that_of_the_web() -> None:
    answer = ask(world(NotedWeb(FRENCH), writer=QuotesAll()), UNCLEAR).answer
    assert answer.knowledge == "both"
    assert [c.origin for c in answer.citations][:2] == ["internal", "external"]
    assert "What cites [2] is from the web, not from your documents:" in answer.answer
    assert answer.verdict and answer.verdict.kind == "correct"


def test_a_web_that_is_no_clearer_leaves_it_unclear() -> None:
    answer = ask(world(NotedWeb(web_passage("French parents yearly get cheese."))), UNCLEAR).answer
    assert answer.action == "answered_with_caution" and answer.answer.startswith(UNSURE)


def test_a_web_without_anything_near_is_a_decline_that_says_so() -> None:
    answer = ask(world(NotedWeb(DOGS)), CHESS).answer
    assert answer.action == "declined" and answer.reason.endswith("nor is one of the web")
    assert "site.org" not in told(answer) and answer.citations == []


@pytest.mark.parametrize(("question", "action"), [(CHESS, "declined"), (UNCLEAR, "answered_with_caution")])
def test_a_web_that_fails_leaves_the_documents_and_a_warning(question: str, action: str) -> None:
    without = answer_question(small_world().ask(question), small_world().components).answer
    answer = ask(world(NotedWeb(down="search service brave: no reply in time")), question).answer
    assert answer.action == action and answer.knowledge in ("internal", "none")
    assert (answer.answer, answer.citations) == (without.answer, without.citations)
    assert answer.warnings == [f"{FAILED}search service brave: no reply in time"]
    assert "note: the web was not used" in told(answer)


def raises() -> Any:
    raise RuntimeError("words of a search")


@pytest.mark.parametrize("gives", [raises, lambda: "no result", lambda: Found([passage("A secret.")])])
def test_a_search_that_raises_or_lies_leaves_the_documents_and_a_warning(
    gives: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    class Lying(NotedWeb):
        def passages(self, question: str, top: int) -> Found:
            return gives()

    without = answer_question(small_world().ask(UNCLEAR), small_world().components).answer
    answer = ask(world(Lying()), UNCLEAR).answer
    assert (answer.answer, answer.citations, answer.warnings) == (without.answer, without.citations,
                                                                  [f"{FAILED}it failed"])
    assert "a step by web failed" in caplog.text and "words of a search" not in caplog.text


@pytest.mark.parametrize("raised", [SystemExit(3), GeneratorExit(), KeyboardInterrupt()])
def test_a_first_search_that_ends_the_program_ends_nothing_but_itself(raised: BaseException) -> None:
    class Ending(NotedWeb):
        def passages(self, question: str, top: int) -> Found:
            raise raised

    assert ask(world(Ending()), UNCLEAR).answer.warnings == [f"{FAILED}it failed"]


def test_no_page_found_is_said() -> None:
    assert ask(world(NotedWeb()), CHESS).answer.warnings == ["the web search found no page"]


def test_a_list_goes_there_only_if_the_documents_hold_nothing_of_it() -> None:
    web = NotedWeb(FRENCH)
    ask(world(web), "List all documents about leave")
    assert web.asked == []
    ask(world(web), "List all chess champions")
    assert web.asked


ANA = Reader("user:ana", frozenset({"public", "group:staff", "user:ana"}))
BEN = Reader("user:ben", frozenset({"public", "user:ben"}))
STAFF = Label(frozenset({"group:staff"}))


def test_a_list_of_which_the_documents_hold_something_unclear_is_made_of_them_alone() -> None:
    web = NotedWeb(WON)
    made = small_world(outside=Outside(web, OPEN), evaluator=FixedEvaluator(0.4))
    answer = answer_question(made.ask("List all documents about leave"), made.components).answer
    assert answer.verdict and answer.verdict.kind == "ambiguous"
    assert web.asked == [] and answer.knowledge == "internal"


@pytest.mark.parametrize(("readers", "audience", "surfaces", "outside", "goes"), [
    (OPEN, (ANA, BEN), None, True, True),
    (STAFF, (ANA,), None, True, True),
    (STAFF, (ANA, BEN), None, True, False),     # one of them may not
    (NOBODY, (ANA,), None, True, False),
    (OPEN, (ANA,), frozenset({"terminal"}), True, True),
    (OPEN, (ANA,), frozenset({"slack"}), True, False),
    (OPEN, (ANA,), frozenset({"terminal"}), False, False),      # said, and not asked
])
def test_it_serves_whom_and_where_it_is_allowed(
    readers: Label, audience: tuple[Reader, ...], surfaces: frozenset[str] | None, outside: bool, goes: bool
) -> None:
    web = NotedWeb(WON)
    made = world(web, readers, surfaces)
    question = replace(made.ask(CHESS, Audience(audience)), surface="terminal", outside=outside)
    answer = answer_question(question, made.components).answer
    assert bool(web.asked) == goes == (answer.knowledge == "external")


def test_off_is_the_default() -> None:
    assert small_world().components.outside is None


def test_a_hidden_document_opens_no_way_and_closes_none() -> None:
    hidden = passage("Judit won the chess tournament.", chunk_id="secret", path="secret.md")
    outcomes = []
    for rows in ([], [hidden]):
        web = NotedWeb(FRENCH)
        made = world(web)
        made.index.passages = [*made.index.passages]
        other = small_world([*made.index.passages, *rows], outside=Outside(web, OPEN))
        other.index.labels.update(dict.fromkeys((one.chunk_id for one in rows), NOBODY))
        answer = answer_question(other.ask(CHESS), other.components).answer
        outcomes.append((web.asked, answer.model_dump(exclude={"timings_ms"})))
    assert outcomes[0] == outcomes[1] and outcomes[0][0] == [CHESS]


WORDS = ("leave", "weeks", "parents", "chess", "riga", "salary", "ana", "keys", "paid")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


def sent(question: str, texts: list[str]) -> list[str]:
    web = NotedWeb(WON)
    rows = [passage(text, chunk_id=f"c{n}", path=f"{n}.md") for n, text in enumerate(texts)]
    made = small_world(rows, outside=Outside(web, OPEN))
    answer_question(made.ask(question), made.components)
    return web.asked


def only_the_question_is_sent(examples: int = 150) -> None:
    """Two worlds that have nothing in common but the question: whatever is sent is the same."""
    goes = []

    @settings(max_examples=examples, derandomize=True, deadline=None, database=None)
    @given(TEXTS, st.lists(TEXTS, max_size=5), st.lists(TEXTS, max_size=5))
    def check(question: str, first: list[str], second: list[str]) -> None:
        queries = {*sent(question, first), *sent(question, second)}
        assert queries <= {question}
        goes.append(bool(queries))

    check()
    assert sum(goes) > examples / 4


@pytest.mark.slow
def test_what_is_sent_is_a_function_of_the_question_alone() -> None:
    only_the_question_is_sent()


@pytest.mark.slow
def test_planted_a_query_built_from_passages_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As an expansion of the query by the words of the best passage would do it."""
    best: list[str] = []
    consult, first_search = loop.consult, loop.first_search

    def remembering(*given: Any) -> Any:
        found = first_search(*given)
        best[:] = [one.passage.text for one in found.judged[:1]]
        return found

    def leaking(question: Any, query: Any, inside: Any, c: Any, stage: Any) -> Any:
        return consult(question, replace(query, text=" ".join([query.text, *best])), inside, c, stage)

    monkeypatch.setattr(loop, "first_search", remembering)
    monkeypatch.setattr(loop, "consult", leaking)
    with pytest.raises(AssertionError):
        only_the_question_is_sent()


def test_a_revocation_while_the_web_is_asked_sends_the_question_round_again() -> None:
    made = world(NotedWeb(FRENCH))

    class Revoking(NotedWeb):
        def passages(self, question: str, top: int) -> Any:
            for one in made.index.labels:
                made.index.labels[one] = NOBODY
            return super().passages(question, top)

    web = Revoking(FRENCH)
    components = replace(made.components, outside=Outside(web, OPEN))
    answer = answer_question(made.ask(UNCLEAR, EVERYBODY), components).answer
    assert "12 weeks" not in answer.model_dump_json() and answer.answered_at == NOW and len(web.asked) == 2
