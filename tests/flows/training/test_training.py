"""A training from the ledger: what is registered, what is told, what shadows, and who promotes it."""

import json
import os
import random
import shutil
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest
from homes.ingest_bench import Bench
from learning_scene.answered_ledger import answered, fill
from learning_scene.labeled_scene import ANALYSER, BEGAN, rows_of
from learning_scene.registry_rows import fusion_row
from model_fakes.fusion_models import model_of

from flows.shared.reporting import silent
from flows.shared.shadows import Shadows
from flows.training import material as material_module
from flows.training.finding import Finder
from flows.training.leakage_check import TwoWorlds, sweep_worlds
from flows.training.material import gather
from flows.training.promotion import BY, LOST, STALE, UNTOLD, WORSE, Registrar, advance
from flows.training.retraining import (
    TrainingComponents,
    TrainingRules,
    fit,
    gated,
    make_labels,
    sole_training,
    train,
)
from indexers.live_index import LiveIndex
from services.models.training import BY as BY_COMMAND
from services.models.training import RetrainingService
from vouch.access import PUBLIC, Directory, Permissions
from vouch.adapters.ledger.answers import answers as answers_module
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.registry.model_rows import GUARD
from vouch.adapters.ledger.usage import history as history_module
from vouch.errors import Busy, Conflict, NothingToLearn, Usage
from vouch.learning.collections.golden import GoldenQuestion, GoldQuote
from vouch.learning.drift.drift_look import DriftLook
from vouch.learning.labels.label import Label
from vouch.learning.labels.weak_labels import LabelRules
from vouch.learning.models.fusion_model import FusionModel, FusionTerm, LearnedFusion
from vouch.learning.promotion.gates import GATES_OF_FILES, REQUIRED_GATES
from vouch.learning.training.retraining import Least
from vouch.learning.training.weighing import Shares
from vouch.retrieval.fusion import ReciprocalRanks

pytestmark = pytest.mark.slow
NOW = BEGAN + timedelta(days=60)
LEAST = Least(questions=20, held_out=5, askers=5, labels=60, loss=0.01)


def nobody() -> Permissions:
    return Permissions.settled(1, {}, Directory())


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A ledger's file that each test begins with."""
    bench = Bench(tmp_path_factory.mktemp("filled") / "home")
    fill(bench, 90, 1)
    bench.ledger.close()
    return bench.home / "ledger.sqlite"


@pytest.fixture
def bench(filled, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(filled, home / "ledger.sqlite")
    return Bench(home)


@pytest.fixture
def parts(bench, tmp_path):
    live = LiveIndex(bench.components.store, type("Watched", (), {"permissions": staticmethod(nobody)})())
    return TrainingComponents(
        home=bench.home, ledger=bench.ledger,
        finder=Finder(live, nobody, lambda: bench.encoder, ANALYSER, 50),
        rules=TrainingRules(LEAST, False, 1.0, lambda: (), {}), shares=Shares(0.2, 0.2, 10.0), labels=LabelRules(),
        worlds=worlds(tmp_path), made_with=lambda: {"weights": "w"}, current=lambda: None,
    )  # fmt: skip


def worlds(folder) -> TwoWorlds:
    return TwoWorlds(lambda place: Bench(place).components, ANALYSER, folder)


def without_worlds(parts, monkeypatch):
    """Two small ingests take a second, and one test has them."""
    monkeypatch.setattr(TwoWorlds, "differences", lambda self, fusion: (0, 10))
    return parts


def test_a_training_registers_its_model_once_and_tells_numbers(parts):
    done = train(parts, 0, NOW)
    assert done.new and done.model.state == "candidate", done.model.reason
    assert {gate["name"] for gate in done.model.report["gates"]} == set(REQUIRED_GATES)
    assert done.model.report["labels"]["fitted"].keys() == {"cited", "vote"}
    assert FusionModel.model_validate(done.model.body).fingerprints["weights"] == "w"
    files = {file.name: file.read_text() for file in done.folder.iterdir()}
    assert files.keys() == {"report.md", "report.json", "gains.svg", "weights.svg"}
    assert json.loads(files["report.json"]) == done.model.report
    spoken = {word.rstrip("?") for one in parts.ledger.labels.list() for word in one.question.split()[2:]}
    assert spoken and not [word for word in spoken for text in files.values() if word in text]

    again = train(parts, 0, NOW + timedelta(days=1))
    assert not again.new and again.model == done.model
    assert len(parts.ledger.models.list("fusion")) == 1


def test_what_fails_a_gate_is_kept_with_the_reason_and_cannot_serve(parts, monkeypatch):
    strict = replace(without_worlds(parts, monkeypatch), rules=replace(parts.rules, least=replace(LEAST, askers=99)))
    done = train(strict, 0, NOW)
    assert done.model.state == "refused" and done.model.reason == "askers: 12, at least 99 needed"
    for move in (lambda: parts.ledger.models.shadow("fusion", done.model.name, expected=0, at=NOW),
                 lambda: parts.ledger.models.move("fusion", done.model.name, expected=0, reason="", by="", at=NOW)):
        with pytest.raises(Usage, match="refused"):
            move()
    easy = train(parts, 0, NOW)         # the same weights, by other rules, on the same day
    assert easy.model.state == "candidate" and easy.model.name != done.model.name
    assert easy.model.name.endswith(done.model.name[-8:])


def test_hidden_questions_change_no_byte_of_what_is_learned_from_the_public(parts, monkeypatch):
    public = replace(without_worlds(parts, monkeypatch), rules=replace(parts.rules, public_only=True),
                     drift=DriftLook(parts.ledger.past_answers, parts.ledger.measures))
    before = train(public, 0, NOW).model
    fill(SimpleNamespace(ledger=parts.ledger), 60, 2, right="dense", tag="group:board", name="h")
    after = train(public, 0, NOW)
    assert not after.new and json.dumps(after.model.body) == json.dumps(before.body)
    assert json.dumps(after.model.report) == json.dumps(before.report)
    assert "Drift" not in (after.folder / "report.md").read_text(), "it is of all answers"
    assert train(parts, 0, NOW).new     # without the setting they count


GOLD = ((GoldQuote("board.md", "The board sits."),),)


@pytest.mark.parametrize("hidden", [
    GoldenQuestion("g", "Who sits?", True, corpus="board", gold=GOLD),
    GoldenQuestion("g", "Who?", True, reader="group:board", gold=GOLD),
])  # fmt: skip
def test_golden_questions_of_others_change_no_byte_of_what_is_learned_from_the_public(parts, monkeypatch, hidden):
    """The refusal is a part of the model."""
    monkeypatch.setattr("flows.training.retraining.golden_candidates",
                        lambda _, asked, *__: [SimpleNamespace(relevance={"c": 1}) for _ in asked])
    monkeypatch.setattr("vouch.learning.training.retraining.golden_gain", lambda *given: -0.125 if given[2] else None)
    plain = replace(without_worlds(parts, monkeypatch), rules=replace(parts.rules, public_only=True))
    told = replace(plain.rules, golden=lambda: [hidden], readers={"board": "group:board"})
    before = train(plain, 0, NOW).model
    after = train(replace(plain, rules=told), 0, NOW)
    assert not after.new and json.dumps([after.model.body, after.model.report]) == json.dumps(
        [before.body, before.report])
    of_a_file = model_of({"bm25_share": 1.0}, "w")
    assert gated(replace(plain, rules=told), of_a_file, silent)[0] == of_a_file
    everybody = train(replace(plain, rules=replace(told, public_only=False)), 0, NOW)
    assert "-0.125" in everybody.model.body["refused"], "without the setting they count"
    asked_by_all = replace(told, golden=lambda: [GoldenQuestion("g", "Who?", True, gold=GOLD)])
    assert "-0.125" in train(replace(plain, rules=asked_by_all), 0, NOW).model.body["refused"]


def test_what_a_killed_check_left_is_swept_and_one_that_runs_is_not(tmp_path):
    for name in ("worlds-killed", "worlds-running"):
        (tmp_path / name).mkdir()
    os.utime(tmp_path / "worlds-killed", (0, 0))
    sweep_worlds(tmp_path, time.time())
    assert [place.name for place in tmp_path.iterdir()] == ["worlds-running"]


def test_one_training_at_a_time(parts):
    with sole_training(parts.home), pytest.raises(Busy):
        train(parts, 0, NOW)


def test_without_labels_it_says_so(parts):
    empty = replace(parts, labels=LabelRules(cited=0, shown=0, up=0, ended=0))
    with pytest.raises(NothingToLearn, match="nothing to learn from"):
        train(empty, 0, NOW)
    (run,) = parts.ledger.flow_runs.list()
    assert (run.kind, run.outcome, run.error) == ("train", "done", "NothingToLearn")


def test_judged_questions_without_an_answer_are_searched_as_their_readers(parts, monkeypatch):
    asked = []
    monkeypatch.setattr(Finder, "rows", lambda self, question, tags: asked.append((question, tuple(tags))) or [])
    label = Label("How so?", (PUBLIC,), "c1", None, 1, 2, "judged", 1.0, NOW, "user:ana@acme.test")
    parts.ledger.labels.put([label, replace(label, audience=("group:staff",)), replace(label, chunk_id="c2")])
    found = gather(parts.ledger, parts.finder, False)
    assert sorted(asked) == [("How so?", ("group:staff",)), ("How so?", (PUBLIC,))]
    assert found.searched.keys() == {label.question_key, replace(label, audience=("group:staff",)).question_key}


def test_what_is_read_in_batches_is_what_was_recorded_and_a_bound_takes_the_newest(parts, monkeypatch):
    make_labels(parts, NOW)
    for many in (1, 7, 1000):
        for module, name in ((answers_module, "_BATCH"), (history_module, "_PAGE"), (material_module, "_BATCH")):
            monkeypatch.setattr(module, name, many)
        found = gather(parts.ledger, parts.finder, False)
        whole = [one for some in parts.ledger.history.answered(50) for one in some]
        assert found.askers == {one.answer["id"]: one.question.asker for one in whole}
        assert found.swapped == {one.answer["id"]: tuple(one.answer.get("swapped") or ()) for one in whole}
        assert found.recorded == {
            one.answer["id"]: sorted(parts.ledger.answers.candidates(one.answer["id"]), key=lambda row: row["chunk_id"])
            for one in whole
        }  # fmt: skip
    few = gather(parts.ledger, parts.finder, False, most=10)
    newest = {one.answer["id"] for one in whole[-10:]}
    assert few.recorded.keys() == few.askers.keys() == newest == {label.answer_id for label in few.labels}


@pytest.mark.parametrize("features", ["{", "null", "[]", '{"bm25_share": 1.0}'])
def test_a_damaged_candidate_is_left_out_and_stops_no_training(parts, features):
    make_labels(parts, NOW)
    with closing(sqlite3.connect(parts.home / "ledger.sqlite")) as connection, connection:
        connection.execute("update candidates set features = ? where id = (select min(id) from candidates)", [features])
    both, _ = fit(parts, gather(parts.ledger, parts.finder, False), None, 0, silent)
    assert both.left_out["no features of this schema"] == (6 if features == "{" else 1)


def test_a_training_reads_its_answers_in_few_reads(parts, monkeypatch):
    make_labels(parts, NOW)
    reads, read = [], Database.read
    monkeypatch.setattr(Database, "read", lambda store: reads.append(1) or read(store))
    assert len(gather(parts.ledger, parts.finder, False).recorded) == 90 and len(reads) == 3


# Two small worlds.

def test_what_counts_hidden_rows_is_seen(tmp_path, monkeypatch):
    assert worlds(tmp_path).differences(ReciprocalRanks())[0] == 0
    terms = {"question_rare*bm25_share": {"mean": 0.0, "scale": 1.0, "weight": 1.0},
             "sem_rrf": {"mean": 0.0, "scale": 1.0, "weight": 1.0}}
    fusion = LearnedFusion(FusionModel(feature_schema=2, terms=terms), ANALYSER)
    differ, compared = worlds(tmp_path).differences(fusion)
    assert differ == 0 and compared > 100

    plain = LiveIndex.view

    def leaking(self, audience):
        """Statistics are counted over all rows there are."""
        view, board = plain(self, audience), plain(self, Directory().audience(["group:board"]))
        return type("View", (), {"__getattr__": lambda _, name: getattr(view, name),
                                 "statistics": lambda _, terms: board.statistics(terms)})()

    monkeypatch.setattr(LiveIndex, "view", leaking)
    assert worlds(tmp_path).differences(fusion)[0] > 0


# What was fitted on the questions of a file.

def test_the_gates_look_at_a_model_of_a_file_too(parts, monkeypatch):
    model = model_of({"bm25_share": 1.0}, "w")
    found, gates = gated(without_worlds(parts, monkeypatch), model, silent)
    assert not found.refused and {gate.name for gate in gates if gate.passed} == set(GATES_OF_FILES)
    monkeypatch.setattr(TwoWorlds, "differences", lambda self, fusion: (1, 10))
    found, _ = gated(parts, model, silent)
    assert "two worlds: 1" in found.refused and found.terms == model.terms
    monkeypatch.setattr("flows.training.retraining.world_differences", lambda *_: (0, 10))
    monkeypatch.setattr("vouch.learning.training.retraining.golden_gain", lambda *_: -0.01)
    assert "golden questions: -0.01" in gated(parts, model, silent)[0].refused
    odd = model.model_copy(update={"terms": {"bm25_share": FusionTerm(mean=0.12345, scale=1.0, weight=1.0)}})
    assert "weights" in gated(parts, odd, silent)[0].refused


def test_no_gate_looks_at_what_is_refused_already(parts, monkeypatch):
    refused = model_of({"bm25_share": 1.0}).model_copy(update={"refused": "few questions"})
    assert gated(parts, refused, silent) == (refused, [])


# What becomes of a candidate.

@pytest.fixture
def trained(parts, monkeypatch):
    return train(without_worlds(parts, monkeypatch), 0, NOW).model


def registrar(parts, *, automatic=False, fit=lambda row: None, now=NOW) -> Registrar:
    def serves():
        name = parts.ledger.models.pointer("fusion").model
        return FusionModel.model_validate(parts.ledger.models.get(name).body).fingerprint if name else ""

    return Registrar(parts.ledger, Shadows(parts.ledger, 3, 24.0, lambda: now), fit, serves, automatic)


def test_a_candidate_shadows_if_nothing_does_and_a_person_promotes(parts, trained):
    first = advance(registrar(parts), trained, NOW)
    assert (first.shadows, first.promoted, first.waits) == (trained.name, "", "")
    later = NOW + timedelta(days=9)
    second = advance(registrar(parts, now=later), trained, later)
    assert (second.shadows, second.promoted) == (trained.name, "") and "a person promotes" in second.waits
    assert parts.ledger.models.pointer("fusion").model is None


def test_automatic_promotion_waits_for_answers_in_the_shadow(bench, parts, trained):
    advance(registrar(parts, automatic=True), trained, NOW)
    waits = advance(registrar(parts, automatic=True), trained, NOW)
    assert "has shadowed 0 of 3 answers" in waits.waits and not waits.promoted
    long = NOW + timedelta(days=9)
    waits = advance(registrar(parts, automatic=True, now=long), trained, long)
    assert waits.waits == "no answer was compared with it yet"
    for n in range(3):
        rows = rows_of("And now?", random.Random(n), "lexical")
        answered(bench, f"s{n}", f"And now {n}?", rows, NOW + timedelta(hours=n), "public", "public")
    done = advance(registrar(parts, automatic=True), trained, NOW + timedelta(hours=4))
    assert (done.promoted, done.shadows, done.waits) == (trained.name, "", "")
    [move] = parts.ledger.models.moves("fusion")
    assert (move.model, move.by) == (trained.name, BY)
    [kept] = parts.ledger.models.get(trained.name).report["shadows"]
    assert kept["answers"] == 3 and 0 <= kept["overlap@10"] <= 1 and kept["until"] == move.at.isoformat()


@pytest.mark.parametrize(("gain", "serves"), [(-0.0001, False), (0.0, True)])
def test_what_ranked_held_out_questions_worse_is_promoted_by_nobody_but_a_person(bench, parts, gain, serves):
    model = replace(fusion_row(bm25_share=0.5), report={"figures": {"current": {"gain": gain}}})
    parts.ledger.models.add(model)
    advance(registrar(parts, automatic=True), model, NOW)
    for n in range(3):
        answered(bench, f"s{n}", f"And now {n}?", rows_of("And now?", random.Random(n), "lexical"),
                 NOW + timedelta(hours=n), f"user:p{n}", "public")
    late = registrar(parts, automatic=True, now=NOW + timedelta(hours=4))
    done = advance(late, model, NOW + timedelta(hours=4))
    assert (done.promoted, done.waits) == ((model.name, "") if serves else ("", WORSE))
    other = fusion_row(bm25_share=0.25)
    parts.ledger.models.add(other)
    assert advance(late, other, NOW + timedelta(hours=5)).shadows == other.name, "it makes room"


def command(parts, *, automatic, now=NOW) -> RetrainingService:
    return RetrainingService(parts, replace(registrar(parts, automatic=automatic, now=now), by=BY_COMMAND), lambda: now)


def test_the_command_goes_on_by_itself_where_the_setting_lets_it(bench, parts, monkeypatch):
    without_worlds(parts, monkeypatch)
    by_hand = command(parts, automatic=False).train(0, None, silent)
    assert len(by_hand["next"]) == 2 and parts.ledger.models.pointer("fusion").shadow is None
    first = command(parts, automatic=True).train(0, None, silent)
    assert (first["shadows"], first["promoted"], first["next"]) == (first["name"], "", [])
    for n in range(3):
        rows = rows_of("And now?", random.Random(n), "lexical")
        answered(bench, f"s{n}", f"And now {n}?", rows, NOW + timedelta(hours=n), "public", "public")
    later = NOW + timedelta(hours=4)
    assert command(parts, automatic=False, now=later).train(0, None, silent).keys() >= {"next"}
    assert parts.ledger.models.pointer("fusion").model is None, "a person promotes"
    nothing = replace(parts, labels=LabelRules(cited=0, shown=0, up=0, ended=0))
    with pytest.raises(NothingToLearn, match=f"{first['name']}, which shadowed, serves now"):
        command(nothing, automatic=True, now=later).train(0, None, silent)
    [move] = parts.ledger.models.moves("fusion")
    assert (move.model, move.by) == (first["name"], BY_COMMAND)


@pytest.mark.parametrize("clock", [timedelta(hours=1), timedelta(days=-365)])
def test_what_was_refused_since_or_judged_against_another_is_not_promoted(bench, parts, trained, clock):
    """The shadow has seen enough; meanwhile somebody promoted another model by hand, by whichever clock."""
    advance(registrar(parts, automatic=True), trained, NOW)
    models, later = parts.ledger.models, NOW + timedelta(days=7)
    hand = fusion_row(bm25_share=0.5)
    models.add(hand)
    models.move("fusion", hand.name, expected=1, reason="by hand", by="ana", at=NOW + clock)
    for n in range(3):
        rows = rows_of("And now?", random.Random(n), "lexical")
        answered(bench, f"s{n}", f"And now {n}?", rows, NOW + timedelta(hours=2 + n), f"user:p{n}", "public")
    late = registrar(parts, automatic=True, now=later)
    assert advance(late, None, later).waits == STALE
    refused = replace(trained, name=trained.name.replace("fusion-", "fusion-2", 1), state="refused", made_at=later,
                      reason="against the current model")
    models.add(refused)
    after = advance(late, refused, later)
    assert not after.promoted and not after.shadows and "against the current model" in after.waits
    assert models.get(trained.name).state == "refused" and models.pointer("fusion").model == hand.name


def test_a_shadow_that_another_model_was_judged_against_makes_room(bench, parts, trained):
    models, later = parts.ledger.models, NOW + timedelta(days=7)
    advance(registrar(parts, automatic=True), trained, NOW)
    hand, other = fusion_row(bm25_share=0.5), fusion_row(bm25_share=0.25)
    assert models.add(hand) and models.add(other)
    models.move("fusion", hand.name, expected=1, reason="by hand", by="ana", at=NOW + timedelta(hours=1))
    late = registrar(parts, automatic=True, now=later)
    assert advance(late, other, later).shadows == other.name
    assert models.get(trained.name).state == "candidate" and models.pointer("fusion").model == hand.name


def test_one_that_does_not_say_what_it_was_judged_against_is_promoted_by_a_person_alone(bench, parts):
    """From a file, or of an earlier release: no clock can tell."""
    models, file = parts.ledger.models, fusion_row(bm25_share=0.5)
    assert models.add(file)
    advance(registrar(parts, automatic=True), file, NOW)
    for n in range(3):
        answered(bench, f"s{n}", f"And now {n}?", rows_of("And now?", random.Random(n), "lexical"),
                 NOW + timedelta(hours=n), f"user:p{n}", "public")
    late = registrar(parts, automatic=True, now=NOW + timedelta(days=7))
    assert advance(late, None, NOW + timedelta(days=7)).waits == UNTOLD
    other = fusion_row(bm25_share=0.25)
    assert models.add(other)
    assert advance(late, other, NOW + timedelta(days=8)).shadows == other.name, "it makes room"


def killed_after(write):
    def run(*given, **named):
        write(*given, **named)
        raise KeyboardInterrupt

    return run


def test_a_shadow_that_lost_its_turns_is_refused(parts, trained, monkeypatch):
    advance(registrar(parts), trained, NOW)
    monkeypatch.setattr(Shadows, "seen", lambda *_: {
        "answers": 9, "interleaving": {"share_of_wins_interval": [0.1, 0.4], "decided_at": NOW.isoformat()}})
    after = advance(registrar(parts, automatic=True), trained, NOW)
    assert after.waits == LOST and not after.shadows and after.unfit == f"{trained.name} is refused: {LOST}"
    found = parts.ledger.models.get(trained.name)
    assert found.state == "refused"
    assert found.report["shadows"][0]["interleaving"]["share_of_wins_interval"] == [0.1, 0.4]


def test_a_shadow_that_lost_does_not_come_back_after_a_kill(parts, trained, monkeypatch):
    advance(registrar(parts), trained, NOW)
    monkeypatch.setattr(Shadows, "seen", lambda *_: {
        "answers": 9, "interleaving": {"share_of_wins_interval": [0.1, 0.4], "decided_at": NOW.isoformat()}})
    with monkeypatch.context() as patch:        # killed after the first write, whichever it is
        for write in ("shadow", "set_state", "dismiss"):
            patch.setattr(type(parts.ledger.models), write, killed_after(getattr(type(parts.ledger.models), write)))
        with pytest.raises(KeyboardInterrupt):
            advance(registrar(parts, automatic=True), None, NOW)
    assert parts.ledger.models.pointer("fusion").shadow or parts.ledger.models.get(trained.name).state == "refused"
    assert advance(registrar(parts, automatic=True), trained, NOW).shadows == ""


def test_an_unfit_candidate_does_not_shadow_and_a_pointer_that_moved_is_a_conflict(parts, trained, monkeypatch):
    def unfit(row):
        raise Usage("of another encoder")

    dropped = advance(registrar(parts, fit=unfit), trained, NOW)
    assert (dropped.shadows, dropped.unfit) == ("", "of another encoder")
    assert dropped.row()["unfit"] == dropped.unfit
    pointer = parts.ledger.models.pointer
    monkeypatch.setattr(parts.ledger.models, "pointer", lambda kind: replace(pointer(kind), moves=5))
    with pytest.raises(Conflict):
        advance(registrar(parts), trained, NOW)


def test_weights_that_the_guard_put_away_do_not_come_back_under_another_name(parts, trained):
    """Neither as the candidate of another training, nor from the shadow."""
    models = parts.ledger.models
    again = replace(trained, name=trained.name.replace("fusion-", "fusion-2"), body={**trained.body, "seed": 7})
    models.add(again)
    models.move("fusion", trained.name, expected=0, reason="promoted", by="ana", at=NOW)
    models.shadow("fusion", again.name, expected=1, at=NOW)
    models.move("fusion", None, expected=2, reason="worse", by=GUARD, at=NOW)
    later = NOW + timedelta(days=9)
    after = advance(registrar(parts, automatic=True, now=later), again, later)
    assert not after.promoted and not after.shadows and models.pointer("fusion").model is None
    assert f"{again.name} has the weights of {trained.name}" in after.waits and after.unfit == after.waits
    assert models.get(again.name).state == "candidate", "a person may promote it"


def test_what_the_guard_replaced_does_not_come_back_by_itself(parts, trained):
    models = parts.ledger.models
    models.move("fusion", trained.name, expected=0, reason="promoted", by="ana", at=NOW)
    models.move("fusion", None, expected=1, reason="worse", by=GUARD, at=NOW)
    after = advance(registrar(parts, automatic=True), trained, NOW)
    assert not after.shadows and "was worse" in after.unfit
    models.move("fusion", trained.name, expected=2, reason="promoted", by="ana", at=NOW)     # a person may
    models.move("fusion", None, expected=3, reason="rolled back", by="ana", at=NOW)
