"""The corrective loop over a small handbook: answers, declines, permissions that change, writers that fail."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from fakes.fixed_evaluator import FixedEvaluator
from homes.small_world import EVERYBODY, NOBODY, NOW, OPEN, SmallWorld, passage, small_world

from vouch.access import Audience, Directory, Label, Reader
from vouch.answering.answer import Answer
from vouch.answering.answer_text import NOTHING_FOR_ALL
from vouch.answering.confidence import agreement, outranking
from vouch.correction.components import QuestionKinds
from vouch.correction.loop import answer_question
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.errors import BadInput, ModelDown
from vouch.filters import Filters
from vouch.ports.language import Draft, DraftSentence, Evidence
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA
from vouch.retrieval.ranking import Ranking
from vouch.values.candidate import Candidate


def test_an_answer_quotes_the_document_exactly() -> None:
    world = small_world()
    outcome = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components)
    answer = outcome.answer
    assert answer.action == "answered" and answer.verdict and answer.verdict.kind == "correct"
    first = answer.citations[0]
    assert "12 weeks" in first.quote and first.path == "leave.md" and first.section == ["Leave", "Parental leave"]
    [source] = [p for p in world.index.passages if p.chunk_id == first.chunk_id]
    assert source.text[first.characters[0] - source.start : first.characters[1] - source.start] == first.quote
    assert answer.answer.startswith(answer.sentences[0].text) and "[1]" in answer.answer
    assert first.chunk_id in outcome.given
    assert set(answer.timings_ms) == {
        "retrieve", "fuse", "expand", "rerank", "evaluate", "refine", "pack", "write", "verify", "total"
    }


def test_every_candidate_is_kept_with_its_places_and_features() -> None:
    world = small_world()
    rows = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components).candidates
    assert [row["position"] for row in rows] == list(range(1, len(world.index.passages) + 1))
    for row in rows:
        assert row["schema"] == FEATURE_SCHEMA and tuple(row["features"]) == FEATURE_NAMES
        assert row["rerank_rank"] is not None and row["probability"] is not None and row["evidence"]
    assert rows[0]["cited"] and rows[0]["shown"] == 1


@pytest.mark.parametrize("question", ["Who won the chess tournament?", "the of and", "¿?"])
def test_what_the_documents_do_not_answer_is_declined(question: str) -> None:
    world = small_world()
    answer = answer_question(world.ask(question), world.components).answer
    assert answer.action == "declined" and not answer.sentences and not answer.citations and answer.reason
    assert answer.answer.startswith(NOTHING_FOR_ALL)
    assert answer.knowledge == "none" and answer.confidence.value == 0.0


@pytest.mark.parametrize(("readers", "said"), [
    (["user:ana@acme.test"], "documents you can read"),
    (["user:ana@acme.test", "user:ben@acme.test"], "documents that everybody here may read"),
    (["public"], "documents that everybody here may read"),
])
def test_a_decline_speaks_of_what_all_its_readers_may_read(readers: list[str], said: str) -> None:
    world = small_world()
    asked = world.ask("Who won the chess tournament?", Directory().audience(readers, NOW))
    assert said in answer_question(asked, world.components).answer.answer


def test_with_filters_nothing_outside_them_is_looked_at() -> None:
    world = small_world()
    asked = world.ask("How many weeks of paid leave do parents get?")
    for path, action in (("leave.md", "answered"), ("tools.md", "declined")):
        outcome = answer_question(replace(asked, filters=Filters(paths=(path,))), world.components)
        assert outcome.answer.action == action
        assert {row["chunk_id"].split(":")[0] for row in outcome.candidates} == {path}


def test_no_documents_is_a_decline_too() -> None:
    world = small_world([])
    outcome = answer_question(world.ask("How many weeks of paid leave?"), world.components)
    assert outcome.answer.action == "declined" and outcome.candidates == [] and outcome.given == ()


def test_a_hidden_document_declines_in_the_words_of_a_missing_one() -> None:
    question = "How many weeks of paid leave do parents get?"
    hidden, missing = small_world(), small_world()
    gone = "leave.md:Parental leave"
    hidden.index.labels[gone] = NOBODY
    rest = [p for p in missing.index.passages if p.chunk_id != gone]
    missing = small_world(rest)
    answers = [answer_question(w.ask(question), w.components).answer for w in (hidden, missing)]
    assert answers[0].model_dump(exclude={"timings_ms"}) == answers[1].model_dump(exclude={"timings_ms"})


def test_ambiguous_evidence_answers_at_low_confidence() -> None:
    world = small_world()
    question = world.ask("How many paid weeks do new French parents get yearly?")
    answer = answer_question(question, world.components).answer
    assert answer.verdict and answer.verdict.kind == "ambiguous"
    assert answer.action == "answered_with_caution" and answer.confidence.level == "low"


@pytest.mark.parametrize("question", ["How many weeks of paid leave do parents get?", "List all kinds of leave."])
@pytest.mark.parametrize(("best", "action"), [
    (0.8, "answered"), (0.79, "answered_with_caution"), (0.39, "answered_with_caution"),
    (0.2, "answered_with_caution"), (0.19, "declined"),
])
def test_the_nearest_passages_are_shown_down_to_half_the_lower_threshold(
    question: str, best: float, action: str
) -> None:
    world = small_world(evaluator=FixedEvaluator(best, (0.4, 0.8)))
    answer = answer_question(world.ask(question), world.components).answer
    assert answer.action == action
    assert answer.answer.startswith("I found no clear answer.") == (action == "answered_with_caution")
    assert bool(answer.citations) == (action != "declined")
    assert answer.verdict and (answer.verdict.kind == "incorrect") == (best < 0.4)


def test_a_language_model_may_answer_what_the_evaluator_finds_unlikely() -> None:
    asked: list[str] = []

    class Noted:
        def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
            asked.append(question)
            return Draft((), "some-model", reason="not in the passages")

    world = small_world(evaluator=FixedEvaluator(0.2, (0.4, 0.8)), writer=Noted())
    answer = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components).answer
    assert len(asked) == 1 and answer.action == "declined"


def test_an_empty_question_is_refused() -> None:
    world = small_world()
    with pytest.raises(BadInput, match="empty"):
        answer_question(world.ask(" \u200b "), world.components)


class Revoking:
    """A writer during whose work a permission falls away, the first `times` times."""

    def __init__(self, world: object, inner: object, times: int) -> None:
        self.world, self.inner, self.times, self.calls = world, inner, times, 0

    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        self.calls += 1
        draft = self.inner.write(question, evidence)  # type: ignore[attr-defined]
        if self.calls <= self.times:
            for one in evidence:
                self.world.index.labels[one.passage.chunk_id] = NOBODY  # type: ignore[attr-defined]
        return draft


def test_a_permission_that_falls_away_while_writing_sends_the_question_round_again() -> None:
    world = small_world()
    writer = Revoking(world, world.components.writer, times=1)
    world.components = replace(world.components, writer=writer)
    outcome = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components)
    assert "12 weeks" not in outcome.answer.model_dump_json()
    assert world.index.visible(EVERYBODY, outcome.given) == set(outcome.given)


def test_without_the_second_look_the_revoked_words_would_get_out(monkeypatch: pytest.MonkeyPatch) -> None:
    world = small_world()
    writer = Revoking(world, world.components.writer, times=1)
    world.components = replace(world.components, writer=writer)
    monkeypatch.setattr(world.index, "visible", lambda audience, ids: set(ids))
    outcome = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components)
    assert "12 weeks" in outcome.answer.model_dump_json()


def test_a_question_whose_evidence_never_settles_is_declined_empty() -> None:
    world = small_world()
    labels = world.index.labels

    class Flickering(Revoking):
        def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
            draft = super().write(question, evidence)
            self.restore = [one.passage.chunk_id for one in evidence]
            return draft

    writer = Flickering(world, world.components.writer, times=99)
    view = world.index.view

    def reopened(audience: Audience, filters: Filters) -> object:
        labels.update(dict.fromkeys(getattr(writer, "restore", []), OPEN))
        return view(audience, filters)

    world.index.view = reopened  # type: ignore[method-assign, assignment]
    world.components = replace(world.components, writer=writer)
    outcome = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components)
    assert writer.calls == 3
    assert outcome.answer.action == "declined" and outcome.given == () and outcome.candidates == []
    assert "weeks of paid leave." not in outcome.answer.model_dump_json()


def test_a_membership_that_ends_while_writing_counts() -> None:
    world = small_world()
    for chunk_id in world.index.labels:
        world.index.labels[chunk_id] = Label(frozenset({"group:staff"}))
    staff = Audience((Reader("user:ana", frozenset({"public", "group:staff"})),))
    looked_up = [staff, EVERYBODY, EVERYBODY, EVERYBODY]
    question = replace(world.ask("How many weeks of paid leave do parents get?", staff),
                       resolve=lambda: looked_up.pop(0))
    answer = answer_question(question, world.components).answer
    assert answer.action == "declined" and "12 weeks" not in answer.model_dump_json()


class Down:
    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        raise ModelDown("model big-one: no reply within 30 s")


def test_a_writer_that_is_down_is_replaced_and_said_so() -> None:
    world = small_world(writer=Down())
    answer = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components).answer
    assert answer.action == "answered" and answer.model == "extractive"
    assert any("no reply within 30 s" in warning for warning in answer.warnings)


class Lying:
    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        return Draft((DraftSentence("Parents get 40 weeks.", ((1, 0, 10),)), DraftSentence("Trust me.", ())), "liar")


def test_a_draft_that_does_not_hold_becomes_a_decline() -> None:
    world = small_world(writer=Lying())
    answer = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components).answer
    assert answer.action == "declined" and len(answer.warnings) == 2
    assert answer.reason == "what was written could not be verified against the documents"


def test_an_answer_names_each_of_its_makers_as_that_one_is_called() -> None:
    names = {"reranked_by": "model R, why", "judged_by": "evaluator E", "read_by": "judge J", "planned_by": "agent A"}
    world = small_world(**names, reranked_with="weights of R", judge=FixedReader(),
                        kinds=QuestionKinds(FactQuestions(Ranking(top=20), name="own"), ListQuestions()))
    asked = replace(world.ask("How many weeks of paid leave do parents get?"), steps=2)
    answer = answer_question(asked, world.components).answer
    assert {name: getattr(answer, name) for name in names} == names
    assert (answer.recipe, answer.fused_by, answer.model) == ("own", "reciprocal ranks", "extractive")


class FixedReader:
    fingerprint = "J"

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [0.0 for _ in pairs]


def test_the_same_world_gives_the_same_answer() -> None:
    def once() -> Answer:
        world = small_world()
        return answer_question(world.ask("Which receipts must I keep for expenses?"), world.components).answer

    assert once().model_dump(exclude={"timings_ms"}) == once().model_dump(exclude={"timings_ms"})
    assert once().answered_at == NOW


def test_a_swap_changes_the_first_places_and_is_marked() -> None:
    question = "How many weeks of paid leave do parents get?"
    world = small_world()
    plain, told = answer_question(world.ask(question), world.components), "swapped"
    drawn = replace(world.components, swap_rate=1.0)
    swapped, again = (answer_question(world.ask(question), drawn) for _ in range(2))
    first, second = swapped.answer.swapped
    assert second == first + 1 and told not in plain.answer.model_dump()
    assert swapped.answer.model_dump(mode="json")[told] == [first, second]
    order, other = ([row["chunk_id"] for row in one.candidates] for one in (plain, swapped))
    order[first - 1], order[first] = order[first], order[first - 1]
    assert other == order and swapped.candidates == again.candidates


def test_equal_passages_are_shown_once() -> None:
    rows = [passage("Parents get 12 weeks.", chunk_id=f"c{n}", path=f"{n}.md") for n in range(5)]
    world = small_world(rows)
    outcome = answer_question(world.ask("Which weeks do parents get?"), world.components)
    assert [row["shown"] for row in outcome.candidates if row["shown"]] == [1]
    assert outcome.answer.citations[0].chunk_id == "c0"


@pytest.mark.parametrize("question", ["How many weeks of paid leave do parents get?", "Who won the chess tournament?"])
def test_an_answer_holds_scores_of_passages_that_are_looked_up_again_and_of_no_others(question: str) -> None:
    world = small_world()
    outcome = answer_question(world.ask(question), world.components)
    probable = {row["chunk_id"]: round(row["probability"], 4) for row in outcome.candidates}
    assert outcome.answer.verdict and set(outcome.given) < set(probable)
    assert sorted(outcome.answer.verdict.scores) == sorted(probable[one] for one in outcome.given)
    assert max(probable.values()) in outcome.answer.verdict.scores      # the reason tells it


HEAP = [passage(f"Parents get {n} weeks of leave.", chunk_id=f"c{n:02}", path=f"{n}.md") for n in range(32)]


def lead(scores: dict[str, float], one: str, among: Sequence[str]) -> float:
    """What the documentation of the feature says, over those alone that are looked up again."""
    others = sorted((scores[other] for other in among if other != one), reverse=True)[:2]
    return scores[one] - sum(others) / max(len(others), 1)


def test_what_the_confidence_is_made_from_is_looked_up_again() -> None:
    what_measured_is_given(small_world())


def what_measured_is_given(world: SmallWorld) -> None:
    outcome = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components)
    rows = {row["chunk_id"]: row for row in outcome.candidates if row["probability"] is not None}
    given = [one for one in outcome.given if one in rows]
    assert outcome.answer.citations and len(given) < len(rows)
    scores = {one: row["rerank_score"] for one, row in rows.items()}
    for one in rows:
        assert rows[one]["evidence"]["maxsim_lead"] == pytest.approx(lead(scores, one, given)), one
    cited = {c.chunk_id for c in outcome.answer.citations}
    for rank in ("lexical_rank", "dense_rank"):
        first = {row["chunk_id"] for row in outcome.candidates if row[rank] is not None and row[rank] <= 10}
        assert first & cited or first <= set(outcome.given), rank


def test_what_outranks_the_cited_is_looked_up_again() -> None:
    """A retriever that has them all behind its first ten would agree if those were hidden."""
    found = [Candidate(one, lexical_rank=n, dense_rank=40 - n) for n, one in enumerate(HEAP, 1)]
    cited = [found[14]]                 # fifteenth by words, twenty-fifth by meaning
    assert agreement(cited) == 0
    ahead = {one.chunk_id for one in outranking(found, cited)}
    assert ahead == {one.chunk_id for one in [*found[:10], *found[29:]]}
    assert outranking(found, [found[0], found[-1]]) == []


def test_numbers_measured_by_what_nobody_looks_up_again_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the list's best are not looked up again."""
    monkeypatch.setattr("vouch.correction.steps.further.leading", lambda judged: [])
    few = QuestionKinds(FactQuestions(Ranking(top=20), places=1), ListQuestions())
    with pytest.raises(AssertionError):
        what_measured_is_given(small_world(kinds=few))


def test_the_confidence_may_be_the_sum_of_reranker_citations_and_facts() -> None:
    world = small_world()
    question = world.ask("How many weeks of paid leave do parents get?")
    product = answer_question(question, world.components).answer
    summed = answer_question(question, replace(world.components, confidence="sum")).answer
    assert product.confidence.parts.rerank is None and "rerank" not in product.confidence.parts.model_dump()
    parts = summed.confidence.parts
    assert parts.rerank is not None and (parts.citations, parts.facts) == (1.0, 1.0)
    assert summed.confidence.value == pytest.approx(0.5 * parts.rerank + 0.5, abs=1e-3)
    assert summed.answer == product.answer
