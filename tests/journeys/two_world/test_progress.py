"""Hidden documents change nothing that a follower of the progress topic sees, but times."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_models import OverlapReranker
from homes.memory import folder_in_memory
from hypothesis import Phase, given, settings
from two_world.answers import loop_components
from two_world.drawing import ALIKE, world_pairs
from two_world.worlds import ANALYSER, NOW, Pair, World, open_world

from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.correction.loop import answer_question
from vouch.correction.progress import Course, Listener
from vouch.learning.models.evaluator_model import load_evaluator
from vouch.messages import QuestionAsked, QuestionProgress, TagsAudience, decode, encode, key_of, topic_of
from vouch.values.question import Question

Plant = Callable[[Course, World], Listener]
pytestmark = pytest.mark.usefixtures("quick_disk")


def as_it_is(course: Course, world: World) -> Listener:
    return course


def followed(home: Path, side: Any, pair: Pair, plant: Plant) -> list[dict[str, Any]]:
    """Every message of one question, off a real log, without its times."""
    world, log = open_world(home / "world", side), EmbeddedLog(home / "log.sqlite")
    asked = QuestionAsked(id="q", text=pair.question, surface="slack", asker="public",
                          audience=TagsAudience(tags=("public",)), asked_at=NOW)
    with closing(log.producer()) as producer, closing(log.follow(["vouch.progress"])) as follower:

        def tell(message: QuestionProgress) -> None:
            producer.send(topic_of(message), key_of(message), encode(message))

        components = loop_components(world, world.encoder, OverlapReranker(ANALYSER), load_evaluator())
        answer_question(Question("q", pair.question, pair.audience, NOW), components,
                        plant(Course(asked, NOW, tell), world))
        found = []
        while (record := follower.poll(0.0)) is not None:
            found.append(decode(record.topic, record.value).model_dump(mode="json"))
    for message in found:
        for done in message["done"]:
            del done["ms"]
    return found


def both(pair: Pair, plant: Plant = as_it_is) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    with folder_in_memory() as home:
        return followed(home / "1", pair.first, pair, plant), followed(home / "2", pair.second, pair, plant)


def test_hidden_documents_change_no_progress() -> None:
    counts: set[int | None] = set()

    @settings(ALIKE, max_examples=100)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        first, second = both(pair)
        assert first == second and first[-1]["stage"] in ("evaluate", "refine", "cite")
        counts.update(done["count"] for done in first[-1]["done"])

    check()
    assert len(counts) > 3                  # they would prove little if they were always the same


def test_a_count_of_all_documents_would_be_found() -> None:
    class Whole:
        """The planted bug: what is counted is what there is, and not what these readers may see."""

        def __init__(self, course: Course, world: World) -> None:
            self._course, self._world = course, world
            self.stage, self.sentence = course.stage, course.sentence

        def counted(self, name: str, number: int) -> None:
            total = self._world.index.version().manifest.counts.chunks
            self._course.counted(name, total if name == "fuse" else number)

    found: list[bool] = []

    @settings(ALIKE, max_examples=40, phases=[Phase.generate])
    @given(world_pairs())
    def check(pair: Pair) -> None:
        if not found:
            first, second = both(pair, Whole)
            if first != second:
                found.append(True)

    check()
    assert found
