"""What was asked to be measured: the order of the fusion holds what the fusion ranked, and nothing else."""

from typing import Any

from homes.small_world import small_world

from vouch.correction.loop import answer_question
from vouch.learning.collections.asked import looked_at
from vouch.learning.collections.golden import GoldenQuestion, GoldQuote
from vouch.learning.evaluation.golden_retrieval import places


class Held:
    def __init__(self, passages: dict[str, Any]) -> None:
        self._passages = passages

    def passages(self, chunk_ids: Any) -> list[Any]:
        return [self._passages[one] for one in chunk_ids]


def test_what_was_drawn_in_beside_a_hit_has_no_place_in_the_order_of_the_fusion() -> None:
    """Neither engine found it: its rank is 0, and it stood before all that one had found."""
    world = small_world()
    outcome = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components)
    rows = sorted(outcome.candidates, key=lambda row: row["fused_rank"])
    view = world.components.index.view(world.ask("x").audience)
    held = {one.chunk_id: one for one in view.passages([row["chunk_id"] for row in rows])}
    first, drawn = held[rows[0]["chunk_id"]], rows[-1]
    drawn = {**drawn, "fused_rank": 0, "expansion": "adjacent", "seed": first.chunk_id}

    asked = looked_at(outcome.answer, [drawn, *rows[:-1]], Held(held), set(held))
    assert [one.chunk_id for one in asked.fused] == [row["chunk_id"] for row in rows[:-1]]
    assert asked.final[0].chunk_id == drawn["chunk_id"]
    question = GoldenQuestion("1", "?", True, gold=((GoldQuote(first.path, first.text),),))
    assert places(question, asked) == {"fused": 1, "final": 2, "first": 2}
