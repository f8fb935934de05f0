"""CONTRIBUTING.md, "A kind of question": one step of that for facts replaced, and another kind added."""

from collections.abc import Sequence
from dataclasses import dataclass

from homes.small_world import small_world

from vouch.correction.components import Components, QuestionKind, QuestionKinds
from vouch.correction.evaluation import Verdict
from vouch.correction.loop import answer_question
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.ports.language import Draft, DraftSentence, Evidence
from vouch.values.question import Query

QUESTION = "How many weeks of paid leave do parents get?"
_FACTS = FactQuestions()


class FirstWords(FactQuestions):
    """Answers with the first sentence of the best passage, whatever it says."""

    moved = 0                           # of the quotation; the planted bug

    def write(self, verdict: Verdict, query: Query, evidence: Sequence[Evidence], components: Components) -> Draft:
        best = evidence[0]
        end = best.passage.text.index(".") + 1
        quote = (best.number, self.moved, end + self.moved)
        return Draft((DraftSentence(best.passage.text[:end], (quote,)),), "first words")


class Misquoting(FirstWords):
    moved = 20


@dataclass(frozen=True, slots=True)
class WithShort(QuestionKinds):
    """A third kind: questions of less than four words."""

    short: QuestionKind = _FACTS

    def of(self, query: Query) -> QuestionKind:
        return self.short if len(query.text.split()) < 4 else QuestionKinds.of(self, query)


def test_a_step_that_is_replaced_writes_the_answer() -> None:
    world = small_world(kinds=QuestionKinds(FirstWords(), ListQuestions()))
    answer = answer_question(world.ask(QUESTION), world.components).answer
    assert answer.model == "first words" and [one.text for one in answer.sentences] == [
        "Parents get 12 weeks of paid leave."]
    assert answer.citations[0].quote == "Parents get 12 weeks of paid leave."


def test_what_it_misquotes_is_dropped() -> None:
    world = small_world(kinds=QuestionKinds(Misquoting(), ListQuestions()))
    answer = answer_question(world.ask(QUESTION), world.components).answer
    assert answer.action == "declined" and not answer.sentences


def test_another_kind_of_question_has_its_own() -> None:
    world = small_world(kinds=WithShort(FactQuestions(), ListQuestions(), FirstWords()))
    short, long = (answer_question(world.ask(text), world.components).answer for text in ("Parents' leave?", QUESTION))
    assert short.model == "first words" and long.model != "first words"
