"""What is searched by default is the same for who is answered, who measures and who trains."""

from composition.model_registry.serving import fact_ranking, list_ranking
from consumers.wiring.loop import step_limits
from vouch.correction.planning.limits import Limits
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.learning.collections.collection import RANKING
from vouch.settings import Settings


def test_depths_are_those_of_the_settings_everywhere() -> None:
    settings = Settings()
    assert fact_ranking(settings) == FactQuestions().ranking == RANKING
    assert list_ranking(settings) == ListQuestions().ranking
    facts, lists, answering = FactQuestions(), ListQuestions(), settings.answering
    assert (facts.places, facts.evidence_tokens, lists.places) == (
        answering.passages, answering.evidence_tokens, answering.list_documents)


def test_what_further_steps_may_cost_is_what_the_settings_say_everywhere() -> None:
    assert step_limits(Settings()) == Limits()
