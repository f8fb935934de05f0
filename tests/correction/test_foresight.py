"""What refining and quoting score is read at once beforehand, and changes nothing."""

from collections.abc import Iterable, Sequence

import pytest
from fakes.fixed_evaluator import FixedEvaluator
from fakes.hashed_models import OverlapReranker
from homes.small_world import GATE, NOW, passage, small_world

from vouch.adapters.analyser import SnowballAnalyser
from vouch.answering.answer import Answer
from vouch.answering.quoting.extractive import ExtractiveWriter
from vouch.correction.loop import answer_question
from vouch.ports.language import Draft, Evidence
from vouch.values.candidate import Passage

ANALYSER = SnowballAnalyser()
QUESTION = "How many weeks of paid leave do parents get?"
TEXTS = [
    "Parents get 12 weeks of paid leave. It must be used within one year. Tell your lead soon.\n\n"
    "Papers come by post. Sign them. Parents of twins get 16 weeks of paid leave. Ask about them. They are paid.",
    "Keep these papers of paid leave:\n\n- the birth certificate\n- the form for parents\n\n"
    "| Kind | Weeks |\n|---|---|\n| Paid leave of parents | 12 |\n| Unpaid leave | 40 |",
    "Leave of parents is paid. ```\nleave --weeks 12\n```",
]


class Foresees(OverlapReranker):
    """Notes what it is told to read, and what it then scores."""

    def __init__(self) -> None:
        super().__init__(ANALYSER)
        self.needed: list[str] = []
        self.likely: list[str] = []
        self.scored: list[str] = []

    def foresee(self, needed: Sequence[str], likely: Iterable[str]) -> None:
        self.needed += needed
        self.likely += likely
        self.scored = []

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.scored += [text for _, text in pairs]
        return super().scores(pairs)


def passages() -> list[Passage]:
    return [passage(text, chunk_id=f"c{n}", path=f"{n}.md", section=("Leave", f"Part {n}"))
            for n, text in enumerate(TEXTS)]


def answered(closeness: OverlapReranker, probability: float, writer: object = None) -> Answer:
    quotes = ExtractiveWriter(closeness, ANALYSER, gate=GATE)
    world = small_world(passages(), closeness=closeness, writer=writer or quotes, fallback=quotes,
                        evaluator=FixedEvaluator(probability))
    answer = answer_question(world.ask(QUESTION), world.components).answer
    return answer.model_copy(update={"timings_ms": {}, "id": "", "answered_at": NOW})


@pytest.mark.parametrize("probability", [0.99, 0.5])
def test_what_is_scored_was_foreseen_and_the_answer_is_the_same(probability: float) -> None:
    told = Foresees()
    answer = answered(told, probability)
    assert answer.action in ("answered", "answered_with_caution") and answer.citations
    surprises = set(told.scored) - {*told.needed, *told.likely}
    assert len(told.scored) > 10 and len(surprises) <= 1        # quotations that overlap and are as good are made one
    assert not any(text.startswith("leave > ") for text in surprises)
    assert set(told.needed) <= set(told.scored)
    assert answer == answered(OverlapReranker(ANALYSER), probability)


def test_for_a_language_model_only_strips_are_read() -> None:
    class Writes:
        def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
            return Draft((), "some-model", reason="nothing")

    told = Foresees()
    answered(told, 0.99, Writes())
    assert told.needed and told.likely == [] and set(told.scored) == set(told.needed)
