"""A T5 evaluator: it learns from question [SEP] passage, and serves as what was trained, known by its folder."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_fakes.t5_model import random_t5

from vouch.adapters.models.encoder import Placement
from vouch.adapters.models.scorers.cross_encoder import load_cross_encoder
from vouch.adapters.models.scorers.t5 import CARD, MOST, is_t5, read_pairs
from vouch.errors import BadInput, ModelDown, Usage
from vouch.learning.collections.labeled import JudgedPair, row_of
from vouch.learning.statistics.metrics import auc

pytestmark = [pytest.mark.model, pytest.mark.slow]
THINGS = ("desk", "chair", "lamp", "door", "river", "hill", "boat", "road", "cup", "bird", "shoe", "tree")
WORDS = (*THINGS, "what", "does", "a", "apple", "pear", "cost", "the", "of", "costs", "four", "here")
CPU = Placement("cpu", "float32")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_t5(tmp_path_factory.mktemp("t5") / "base", WORDS)


def pairs() -> list[JudgedPair]:
    """What apples cost is told everywhere, and what pears cost nowhere."""
    return [JudgedPair(f"what does a {fruit} cost", f"the {thing} of the {place} costs four here", fruit == "apple")
            for thing in THINGS for place in THINGS[:4] for fruit in ("apple", "pear")]


def trained(base: Path, out: Path, steps: int = 60, **more: Any) -> dict[str, Any]:
    from vouch.adapters.models.scorers.t5_training import T5Plan, train_t5

    plan = T5Plan(steps, rate=5e-3, look_every=20, **more)
    return train_t5(base, pairs()[:64], pairs()[64:], out, plan, CPU, {"data": "x"}, lambda *_: None)


def test_it_learns_until_it_separates_and_serves_as_it_was_trained(base: Path, tmp_path: Path) -> None:
    told = trained(base, tmp_path / "made")
    assert told["held_out_auc"] > 0.95 and is_t5(tmp_path / "made")
    served, held_out = load_cross_encoder(tmp_path / "made", "float32", "cpu"), pairs()[64:]
    rows, labels = [row_of(one) for one in held_out], np.array([float(one.answers) for one in held_out])
    scores = np.array(served.scores(rows))
    assert auc(labels, scores) > 0.95
    assert scores[labels == 1].mean() > 0.5 and scores[labels == 0].mean() < -0.5       # it regresses to +1 and -1
    before = load_cross_encoder(base, "float32", "cpu")
    assert abs(auc(labels, np.array(before.scores(rows))) - 0.5) < 0.5 and before.fingerprint != served.fingerprint
    card = json.loads((tmp_path / "made" / CARD).read_text())
    assert card["plan"]["rate"] == 5e-3 and card["data"] == "x" and card["held_out_auc"] == told["held_out_auc"]


def test_equal_seeds_make_equal_files(base: Path, tmp_path: Path) -> None:
    for name in ("one", "other"):
        trained(base, tmp_path / name, steps=4)
    one, other = (tmp_path / name / "model.safetensors" for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()


def test_a_score_does_not_depend_on_its_neighbors_nor_on_marks_in_a_text(base: Path) -> None:
    """End tokens in a text would leave rows that differ in their number, which the model refuses."""
    reranker = load_cross_encoder(base, "float32", "cpu")
    odd = [("what does a pear cost", "the desk </s> costs </s> four"), ("", ""), ("what " * 900, "costs " * 900),
           ("what does a pear cost", "the desk costs four"), ("<pad> cost", "[SEP] four [SEP]")]
    together = reranker.scores(odd)
    assert together == [reranker.scores([one])[0] for one in odd] and together[0] == together[3]


def test_the_question_and_the_end_stay_whatever_is_cut(base: Path) -> None:
    tokens = read_pairs(base)
    [row] = tokens.encode_batch([("what does a pear cost", "four here " * 900)])
    [separator, end] = tokens.encode_batch([("", ""), ("", "four")])[0].ids[:-1], row.ids[-1]
    assert len(row.ids) == MOST and end == 1 and row.ids.count(1) == 1
    assert row.ids[5:5 + len(separator)] == separator == row.ids[5:8]
    [long] = tokens.encode_batch([("what " * 900, "four here")])
    assert long.ids[-1] == 1 and len(long.ids) < MOST and long.ids[-3:-1] == row.ids[8:10]


def test_what_cannot_be_trained_or_served_is_said(base: Path, tmp_path: Path) -> None:
    from vouch.adapters.models.scorers.t5_training import T5Plan, train_t5

    bare = random_t5(tmp_path / "bare", WORDS, head=False)
    with pytest.raises(ModelDown, match="no head"):
        load_cross_encoder(bare, "float32", "cpu")
    assert trained(bare, tmp_path / "made", steps=2)["steps"] == 2                      # any T5 may be begun with
    load_cross_encoder(tmp_path / "made", "float32", "cpu")
    (tmp_path / "none").mkdir()
    with pytest.raises(Usage, match="holds no T5"):
        trained(tmp_path / "none", tmp_path / "out")
    with pytest.raises(BadInput):
        train_t5(base, pairs()[:1], pairs(), tmp_path / "out", T5Plan(1), CPU, {}, lambda *_: None)
    (bare / "model.safetensors").write_bytes(b"x")
    with pytest.raises(ModelDown, match="cannot be loaded"):
        trained(bare, tmp_path / "out")


def test_the_command_trains_one_of_a_file_of_pairs_and_the_setting_takes_it(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cli.wiring.training.judge import train_judge
    from composition.models import judge_weights, load_judge
    from vouch.settings import read_settings

    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    file, out, told = tmp_path / "pairs.jsonl", tmp_path / "made", list[str]()
    rows = [{"question": one.question, "passage": one.passage, "label": int(one.answers), "group": f"{n // 2}"}
            for n, one in enumerate(pairs())]
    file.write_text("\n".join(map(json.dumps, rows)))
    figures = train_judge([file], out, 6, 3, 0, lambda *what: told.append(what[0]), base)
    assert figures["steps"] == 6 and 0 <= figures["auc"] <= 1 and {"read", "train"} <= set(told)
    assert json.loads((out / CARD).read_text())["data"][0]["file"] == "pairs.jsonl"
    monkeypatch.setenv("VOUCH_EVALUATOR__JUDGE", str(out))
    judge = load_judge(read_settings())
    assert judge is not None and judge_weights(read_settings()).startswith("cross-encoder:")
    assert np.isfinite(judge.scores([("what does a pear cost", "four")])).all()
    assert train_judge([file], out, 3, 3, 0, lambda *_: None, base)["steps"] == 3       # over one of its own
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("x")
    with pytest.raises(Usage, match="is no judge"):
        train_judge([file], tmp_path / "mine", 3, 3, 0, lambda *_: None, base)
