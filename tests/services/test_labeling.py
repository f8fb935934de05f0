"""People who judge see what they and the question's readers may read, in a drawn order, and go on where they ended."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from fakes.hashed_models import HashedEncoder, OverlapReranker
from fakes.memory_index import MemoryIndex
from learning_scene.registry_rows import fusion_row, promote

from composition.model_registry.registry import Registry
from services.answering.search import SearchService
from services.labeling.judging import Labeling, ToJudge, to_judge
from services.labeling.label_walk import LabelWalk
from vouch.access import Directory, Label, Permissions, Person
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.removal.erasure import Target
from vouch.errors import BadAccess, BadInput, NotFound, Usage
from vouch.messages import ConversationAudience, QuestionAsked, TagsAudience
from vouch.retrieval.ranking import Ranking
from vouch.retrieval.recipe.step import RankingModels
from vouch.settings import Settings
from vouch.values.candidate import Passage

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
ANA, BO = "user:ana@acme.test", "user:bo@acme.test"
KEYS = ToJudge("When do we rotate the keys?", (ANA,))
PUBLIC = ToJudge("When do we rotate the keys?", ("public",))


def passage(number: int, of: int = 12) -> Passage:
    text = f"We rotate the keys of vault {number} every {number} days."
    return Passage(f"{number:032d}", "docs", "keys.md", "Keys", ("Vaults",), text, 0, len(text), number + 1, number + 1,
                   number, of)


@pytest.fixture
def index() -> MemoryIndex:
    """12 passages: every third for everybody, every second for staff, the others for nobody."""
    analyser = SnowballAnalyser()
    tags = {n: {"public"} if n % 3 == 0 else {"group:staff"} if n % 2 == 0 else set[str]() for n in range(12)}
    labels = {f"{n:032d}": Label(frozenset(allowed)) for n, allowed in tags.items()}
    return MemoryIndex([passage(n) for n in range(12)], labels, HashedEncoder(analyser), analyser)


@pytest.fixture
def labeling(index: MemoryIndex, ledger: Ledger) -> Labeling:
    people = {name: Person(("staff",)) for name in ("ana@acme.test", "bo@acme.test")}
    permissions = Permissions.settled(1, {}, Directory(people, {"staff": ()}))
    watched: Any = SimpleNamespace(permissions=lambda: permissions)
    index.directory = permissions.directory
    analyser = SnowballAnalyser()
    finder = SearchService(
        index, watched, analyser, lambda: HashedEncoder(analyser),
        lambda: RankingModels(HashedEncoder(analyser), OverlapReranker(analyser), analyser, None), Ranking(),
    )
    return Labeling(finder, ledger, lambda: NOW, 1.0, 5)


def numbers(ids: list[str]) -> set[int]:
    return {int(one) for one in ids}


def walked(walk: LabelWalk, relevance: int = 1) -> list[int]:
    seen = []
    while (step := walk.current()) is not None:
        seen.append(int(step.shown.passage.chunk_id))
        assert walk.judge(relevance)
    return seen


def test_a_person_sees_what_that_person_and_the_readers_of_the_question_may_read(labeling: Labeling) -> None:
    wide = replace(labeling, pool=20)
    assert numbers(wide.pooled(ANA, KEYS, 0)) == {0, 2, 3, 4, 6, 8, 9, 10}
    assert numbers(wide.pooled(ANA, PUBLIC, 0)) == {0, 3, 6, 9}, "what the public could not have been shown"
    assert wide.look(ANA, PUBLIC, f"{2:032d}") is None and wide.look(ANA, KEYS, f"{1:032d}") is None
    conversation = ToJudge(KEYS.text, ("conversation:slack:C1",))
    assert numbers(wide.pooled(ANA, conversation, 0)) == {0, 2, 3, 4, 6, 8, 9, 10}


def test_the_order_is_drawn_from_the_seed_and_the_question_and_tells_nothing(labeling: Labeling) -> None:
    orders = {tuple(labeling.pooled(ANA, KEYS, seed)) for seed in range(20)}
    assert len(orders) > 15 and len({frozenset(order) for order in orders}) == 1
    assert labeling.pooled(ANA, KEYS, 3) == labeling.pooled(ANA, KEYS, 3)


def test_the_pool_holds_the_best_of_each_engine_the_fusion_and_the_reranker(labeling: Labeling) -> None:
    one = replace(labeling, pool=1)
    best = {str(row["results"][0]["chunk_id"]) for mode in ("lexical", "dense", "fused", "reranked")
            for row in [one.finder.search(KEYS.text, [ANA], 5, mode)]}
    assert best <= set(one.pooled(ANA, KEYS, 0)) and len(one.pooled(ANA, KEYS, 0)) <= 4


def test_the_pool_holds_what_the_promoted_fusion_puts_first(labeling: Labeling, ledger: Ledger) -> None:
    """Reciprocal ranks would put it last."""
    promote(ledger, fusion_row(bm25_rrf=-4.0, sem_rrf=-4.0))
    registry = Registry(Settings(), ledger.models)
    before = replace(labeling, pool=1)
    after = replace(before, finder=replace(before.finder, fusion=lambda: registry().fusion))
    found = after.finder.search(KEYS.text, [ANA], 5, "fused")
    first = found["results"][0]["chunk_id"]
    assert found["fused_by"].startswith("fusion-") and first not in before.pooled(ANA, KEYS, 0)
    assert first in after.pooled(ANA, KEYS, 0)


def test_a_passage_is_shown_in_its_place(labeling: Labeling) -> None:
    shown = labeling.look(ANA, KEYS, f"{3:032d}")
    assert shown and shown.before and shown.after
    assert (shown.before.ordinal, shown.passage.ordinal, shown.after.ordinal) == (2, 3, 4)
    shown = labeling.look(ANA, PUBLIC, f"{3:032d}")
    assert shown and shown.before and shown.before.ordinal == 0, "neighbors that the public may not read are none"


def test_each_judgment_is_saved_at_once_and_a_later_walk_goes_on(labeling: Labeling, ledger: Ledger) -> None:
    whole = [int(one) for one in labeling.pooled(ANA, KEYS, 7)]
    walk = LabelWalk(labeling, ANA, [KEYS, PUBLIC], 7)
    for done, number in enumerate(whole[:3]):
        step = walk.current()
        assert step and (step.question, step.questions) == (1, 2)
        assert (step.place, step.places) == (done + 1, len(whole)) and int(step.shown.passage.chunk_id) == number
        assert walk.judge(done) and len(ledger.labels.list()) == done + 1
    assert walked(LabelWalk(labeling, ANA, [KEYS], 7)) == whole[3:]
    assert walked(LabelWalk(labeling, ANA, [KEYS], 7)) == []
    assert len(walked(LabelWalk(labeling, BO, [KEYS], 7))) == len(whole), "another person judges all of them"
    first = next(label for label in ledger.labels.list() if label.person == ANA)
    assert (first.source, first.person, first.weight, first.version, first.at) == ("judged", ANA, 1.0, 1, NOW)
    assert first.text_hash == passage(int(first.chunk_id)).text_hash and first.audience == (ANA,)


def test_back_judges_anew_and_what_is_skipped_comes_again(labeling: Labeling, ledger: Ledger) -> None:
    walk = LabelWalk(labeling, ANA, [PUBLIC], 1)
    assert walk.current() and not walk.back()
    assert walk.judge(3)
    skipped = walk.current()
    assert skipped
    walk.skip()
    assert walk.back() and walk.back()
    step = walk.current()
    assert step and step.former == 3 and walk.judge(0)
    assert [label.relevance for label in ledger.labels.list()] == [0]
    again = walk.current()
    assert again and again.shown.passage == skipped.shown.passage
    walk.skip()
    assert len(walked(walk)) == 2
    assert walked(LabelWalk(labeling, ANA, [PUBLIC], 1)) == [int(skipped.shown.passage.chunk_id)]


def test_the_latest_judgment_is_taken_back(labeling: Labeling, ledger: Ledger, index: MemoryIndex) -> None:
    walk = LabelWalk(labeling, ANA, [PUBLIC, KEYS], 1)
    assert walk.current() and not walk.undo() and walk.judged == 0
    shown = []
    for relevance in (3, 1):
        step = walk.current()
        assert step and walk.judge(relevance)
        shown.append(step.shown.passage)
    walk.skip() if walk.current() else None
    assert walk.judged == 2 and walk.undo() and walk.judged == 1
    step = walk.current()
    assert step and step.shown.passage == shown[1] and step.former is None
    assert [(label.chunk_id, label.relevance) for label in ledger.labels.list()] == [(shown[0].chunk_id, 3)]
    assert walk.judge(0) and walk.back() and walk.back() and walk.current() and walk.judge(2)
    assert walk.undo(), "the latest is the one that was judged anew"
    assert [(label.chunk_id, label.relevance) for label in ledger.labels.list()] == [(shown[1].chunk_id, 0)]
    index.labels[shown[1].chunk_id] = Label(frozenset())
    assert walk.undo() and not ledger.labels.list() and not walk.undo(), "also of what may not be read any more"
    assert walk.current()


def test_questions_of_which_nothing_may_be_read_are_counted(labeling: Labeling, index: MemoryIndex) -> None:
    walk = LabelWalk(labeling, ANA, [PUBLIC, KEYS], 1)
    assert walked(walk) and walk.passed_over == 0
    for number in range(0, 12, 3):
        index.labels[f"{number:032d}"] = Label(frozenset({"group:staff"}))
    walk = LabelWalk(labeling, BO, [PUBLIC, ToJudge(KEYS.text, (BO,))], 1)
    assert walked(walk) and walk.passed_over == 1


def test_what_may_not_be_read_any_more_is_not_shown_again(labeling: Labeling, index: MemoryIndex) -> None:
    walk = LabelWalk(labeling, ANA, [PUBLIC], 1)
    step = walk.current()
    assert step and walk.judge(1)
    index.labels[step.shown.passage.chunk_id] = Label(frozenset())
    walk.back()
    found = walk.current()
    assert found and found.shown.passage != step.shown.passage


@pytest.mark.parametrize("gone", [True, False])
def test_a_purge_between_look_and_key(labeling: Labeling, ledger: Ledger, index: MemoryIndex, gone: bool) -> None:
    """Of another document: the judgment counts. Of this one: nothing of it is kept."""
    walk = LabelWalk(labeling, ANA, [PUBLIC], 1)
    step = walk.current()
    assert step
    if gone:
        index.labels[step.shown.passage.chunk_id] = Label(frozenset())
    ledger.erasure.made_from(Target([], ["other"], lambda data: False))
    assert walk.judge(2) is not gone
    assert len(ledger.labels.list()) == (0 if gone else 1)


def test_only_a_person_of_the_directory_judges(labeling: Labeling) -> None:
    wrong = {"public": Usage, "group:staff": Usage, "user:nobody@acme.test": NotFound, "ana": BadAccess}
    for tag, error in wrong.items():
        with pytest.raises(error) as told:
            LabelWalk(labeling, tag, [KEYS], 0)
        assert tag == "ana" or "vouch directory load FILE" in told.value.cure
    walk = LabelWalk(labeling, ANA, [KEYS], 0)
    walk.current()
    with pytest.raises(BadInput):
        walk.judge(4)
    assert to_judge("Who?", [], ANA).audience == (ANA,)
    assert to_judge("Who?", [BO, "public"], ANA).audience == ("public", BO)
    with pytest.raises(BadAccess):
        to_judge("Who?", ["everybody"], ANA)


def test_a_person_judges_own_questions_and_public_ones_each_once(labeling: Labeling, ledger: Ledger) -> None:
    public, own = TagsAudience(tags=("public",)), TagsAudience(tags=(ANA, "group:staff"))
    talk = ConversationAudience(surface="slack", conversation="C1")
    asked = [("Mine?", ANA, own), ("Public?", BO, public), ("His?", BO, TagsAudience(tags=(BO,))),
             ("With staff?", BO, own), ("MINE?", ANA, own), ("In a channel?", ANA, talk), ("His channel?", BO, talk),
             ("Hello!", ANA, own), ("Purged?", ANA, own)]
    for number, (text, asker, audience) in enumerate(asked):
        message = QuestionAsked(
            id=f"q{number}", text=text, surface="slack", asker=asker, audience=audience, asked_at=NOW,
        )  # fmt: skip
        answer = {"id": f"a{number}", "action": "replied" if text == "Hello!" else "declined",
                  "reason": "removed" if text == "Purged?" else ""}
        ledger.answers.record(message, answer, [], [], NOW + timedelta(minutes=number))
    assert [(one.text, one.audience) for one in labeling.asked(ANA)] == [
        ("In a channel?", ("conversation:slack:C1",)), ("Mine?", ("group:staff", ANA)), ("Public?", ("public",)),
    ]  # fmt: skip
