"""A judge learns what its figures cannot see, goes on where it was interrupted, and serves as what was trained."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_fakes.cross_encoder_model import random_bert
from safetensors.numpy import load_file, save_file

from vouch.adapters.models.encoder import Placement
from vouch.adapters.models.scorers.cross_encoder import load_cross_encoder
from vouch.adapters.models.scorers.judge import CARD, WEIGHTS
from vouch.errors import BadInput, Damaged, ModelDown, Usage
from vouch.learning.collections.labeled import JudgedPair, row_of
from vouch.learning.statistics.metrics import auc

pytestmark = pytest.mark.model
THINGS = ("desk", "chair", "lamp", "door", "river", "hill", "boat", "road", "cup", "bird", "shoe", "tree")
CPU = Placement("cpu", "float32")


@pytest.fixture(autouse=True)
def small_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """In place of the encoder that comes with vouch: two small layers with random weights."""
    import torch

    base = random_bert(tmp_path / "base")
    for module in ("folder", "scorers.judge", "scorers.joint_rows", "scorers.judge_training"):
        monkeypatch.setattr(f"vouch.adapters.models.{module}.default_model_dir", lambda: base)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)                # models this small lose more by threads than they gain
    yield base
    torch.set_num_threads(threads)


def pairs() -> list[JudgedPair]:
    """What apples cost is told everywhere, and what pears cost nowhere: no likeness of texts tells that."""
    return [
        JudgedPair(f"what does a {fruit} and a {thing} cost?", f"the {thing} of {place} costs four", fruit == "apple",
                   group=f"{thing} {place}", twin=f"{thing} {place}")
        for thing in THINGS for place in THINGS[:6] for fruit in ("apple", "pear")
    ]


def trained(
    out: Path, steps: int = 40, progress: Any = None, data: Any = None, learn: list[JudgedPair] | None = None,
    **more: Any,
) -> Any:
    from vouch.adapters.models.scorers.judge_training import Plan, train_judge

    learn, held_out = learn or pairs()[:108], pairs()[108:]
    plan = Plan(steps, warm_up=5, look_every=10, **more)
    from vouch.adapters.models.scorers.judge import load_judge

    train_judge(learn, held_out, out, plan, CPU, {"data": data}, progress or (lambda *_: None))
    return load_judge(out)


def test_it_learns_what_no_likeness_tells(tmp_path: Path) -> None:
    from vouch.adapters.models.scorers.joint_rows import score

    held_out = pairs()[108:]
    labels = np.array([float(pair.answers) for pair in held_out])
    rows = [row_of(pair) for pair in held_out]
    assert auc(labels, score(trained(tmp_path / "begun", steps=1), rows)) < 0.75
    assert auc(labels, score(trained(tmp_path / "judge", steps=120), rows)) > 0.92
    assert json.loads((tmp_path / "judge" / CARD).read_text())["held_out_auc"] > 0.92


def test_a_step_of_two_batches_sees_twice_as_many_pairs(tmp_path: Path) -> None:
    from vouch.adapters.models.scorers.joint_rows import score

    held_out = pairs()[108:]
    labels, rows = np.array([float(pair.answers) for pair in held_out]), [row_of(pair) for pair in held_out]
    assert auc(labels, score(trained(tmp_path / "judge", steps=120, batches=2), rows)) > 0.92
    assert json.loads((tmp_path / "judge" / CARD).read_text())["plan"]["batches"] == 2


def test_the_rows_of_a_step_are_those_of_its_batches() -> None:
    from vouch.adapters.models.scorers.judge_training import Plan, Steps
    from vouch.learning.collections.labeled import ROWS, TWINS, Batches

    batches = Batches(pairs(), 0)
    read, labels = Steps(batches, Plan(3, batches=2), 1)[1]
    drawn = [batches.draw(n) for n in (4, 5)]
    assert labels.tolist() == [label for some in drawn for label in some.labels] and len(read[0]) == 2 * ROWS
    for first in (0, ROWS):                 # where the loss looks for twins
        assert labels[first : first + 2 * TWINS].tolist() == [1.0, 0.0] * TWINS


def test_a_run_that_is_interrupted_ends_as_one_that_is_not(tmp_path: Path) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        if done == 25:
            raise KeyboardInterrupt

    trained(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "again", progress=stop)
    assert (tmp_path / "again.partial").exists() and not (tmp_path / "again").exists()
    begun = []
    trained(tmp_path / "again", progress=lambda stage, done, total: begun.append(done))
    assert begun[0] == 20 and not (tmp_path / "again.partial").exists()
    for name in (CARD, WEIGHTS):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_the_rest_of_another_run_is_not_gone_on_with(tmp_path: Path) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "judge", progress=stop)
    with pytest.raises(Usage, match="other options"):
        trained(tmp_path / "judge", seed=1)
    with pytest.raises(Usage, match="other options or pairs"):
        trained(tmp_path / "judge", data=["others"])
    (tmp_path / "judge.partial").write_bytes(b"half a file")
    with pytest.raises(Damaged, match="cannot be read"):
        trained(tmp_path / "judge")


def test_what_an_interruption_loses_is_a_matter_of_time_and_not_of_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    monkeypatch.setattr("vouch.adapters.models.scorers.judge_training._SAVE_S", 0.0)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "judge", progress=stop)
    begun: list[int] = []
    trained(tmp_path / "judge", progress=lambda stage, done, total: begun.append(done))
    assert begun[0] == 7


def test_what_is_served_scores_as_what_was_trained(tmp_path: Path) -> None:
    from vouch.adapters.models.scorers.joint_rows import score

    model = trained(tmp_path / "judge")
    rows = [*[row_of(pair) for pair in pairs()[:20]], ("", "x"), ("x", ""), ("apple?", "costs " * 700)]
    served = load_cross_encoder(tmp_path / "judge", "float32").scores(rows)
    assert np.isfinite(served).all() and np.ptp(served) > 0.1
    np.testing.assert_allclose(served, score(model, rows), atol=1e-3)
    fewer = load_cross_encoder(tmp_path / "judge", "bfloat16").scores(rows)
    np.testing.assert_allclose(fewer, served, atol=0.3)


def test_a_judge_of_another_encoder_or_a_broken_one_is_refused(tmp_path: Path, small_base: Path) -> None:
    trained(tmp_path / "judge", steps=1)
    config = (small_base / "config.json").read_text()
    (small_base / "config.json").write_text(config + " ")
    with pytest.raises(ModelDown, match="another encoder"):
        load_cross_encoder(tmp_path / "judge")
    (small_base / "config.json").write_text(config)
    load_cross_encoder(tmp_path / "judge")
    weights = load_file(tmp_path / "judge" / WEIGHTS)
    save_file({name: tensor for name, tensor in weights.items() if name != "scale"}, tmp_path / "judge" / WEIGHTS)
    with pytest.raises(ModelDown, match="does not hold the weights"):
        load_cross_encoder(tmp_path / "judge")
    (tmp_path / "judge" / WEIGHTS).write_bytes(b"no tensors")
    with pytest.raises(ModelDown, match="cannot be loaded"):
        load_cross_encoder(tmp_path / "judge")
    (tmp_path / "judge" / CARD).write_text("{")
    with pytest.raises(ModelDown, match="cannot be read"):
        load_cross_encoder(tmp_path / "judge")


def test_files_are_read_split_and_told_of(tmp_path: Path) -> None:
    from cli.wiring.training.judge import train_judge

    file, told = tmp_path / "pairs.jsonl", []
    file.write_text("".join(json.dumps({
        "question": one.question, "passage": one.passage, "label": int(one.answers), "group": one.group,
        "pair": one.twin}) + "\n" for one in pairs()))
    figures = train_judge([file, file], tmp_path / "judge", 20, 10, 0, lambda *what: told.append(what[0]))
    assert {"read", "train", "judge"} <= set(told) and 0 <= figures["auc"] <= 1 and figures["tested"] > 10
    card = json.loads((tmp_path / "judge" / CARD).read_text())
    assert card["figures"] == figures and not (tmp_path / "judge.partial").exists()
    data = card["data"]
    assert [row["file"] for row in data] == ["pairs.jsonl"] * 2 and len(data[0]["sha256"]) == 64
    file.write_text('{"question": "q", "passage": "p", "label": 1}\n')
    with pytest.raises(BadInput, match="one label"):
        train_judge([file], tmp_path / "other", 20, 10, 0, lambda *_: None)
    file.write_text("")
    with pytest.raises(BadInput, match="hold no pairs"):
        train_judge([file], tmp_path / "other", 20, 10, 0, lambda *_: None)
    with pytest.raises(Usage, match="is no judge"):
        train_judge([file], file, 20, 10, 0, lambda *_: None)


def test_a_run_that_ended_while_it_wrote_the_judge_is_resumed_and_other_folders_are_left_alone(tmp_path: Path) -> None:
    from cli.wiring.training.judge import _check_out

    (tmp_path / "judge").mkdir()
    (tmp_path / "judge" / WEIGHTS).write_bytes(b"half")
    with pytest.raises(Usage, match="is no judge"):
        _check_out(tmp_path / "judge")
    (tmp_path / "judge.partial").write_bytes(b"state")
    _check_out(tmp_path / "judge")


def test_its_bert_makes_of_a_row_what_transformers_makes_of_it(small_base: Path) -> None:
    import torch
    from transformers import BertModel

    from vouch.adapters.models.scorers.joint import read_bert

    theirs = BertModel.from_pretrained(str(small_base), local_files_only=True, add_pooling_layer=False).eval()
    draw = torch.Generator().manual_seed(7)
    ids = torch.randint(0, int(theirs.config.vocab_size), (4, 20), generator=draw)
    types, mask = torch.zeros_like(ids), torch.ones_like(ids)
    types[:, 9:], mask[1, 13:], mask[2, 5:] = 1, 0, 0
    with torch.inference_mode():
        mine = read_bert(small_base).eval()(ids, types, mask)
        other = theirs(input_ids=ids, token_type_ids=types, attention_mask=mask).last_hidden_state
    seen = mask.bool()
    torch.testing.assert_close(mine[seen], other[seen], atol=1e-5, rtol=1e-5)


def test_it_learns_where_the_answer_stands(small_base: Path) -> None:
    import torch

    from vouch.adapters.models.scorers.joint import JointBert, read_bert
    from vouch.adapters.models.scorers.joint_rows import UNKNOWN, drawn_tokens
    from vouch.adapters.models.scorers.judge_loss import loss_of
    from vouch.learning.collections.labeled import Batches

    rows = [replace(pair, place=_at(pair.passage, "four") if pair.answers else None) for pair in pairs()]
    drawn = Batches(rows, 9).draw(0)
    *read, places = drawn_tokens(drawn)
    labels, right = torch.tensor(drawn.labels), places[:, 0] > 0

    def shares(told: Any) -> Any:
        """Of the likelihood, what the token that begins the answer has after forty steps."""
        torch.manual_seed(0)
        judge = JointBert(read_bert(small_base))
        optimizer = torch.optim.Adam(judge.parameters(), 1e-2)
        for _ in range(40):
            optimizer.zero_grad()
            loss_of(judge, *read, told, labels, twins=True).backward()
            optimizer.step()
        begins = judge.places(judge.bert(*read), *read[1:])[..., 0].softmax(1)
        return begins[right, places[right, 0]].mean()

    assert shares(places) > 0.8 > 2 * shares(torch.full_like(places, UNKNOWN))


def _at(passage: str, words: str) -> tuple[int, int]:
    return passage.index(words), passage.index(words) + len(words)


def test_places_are_tokens_of_the_text_and_what_is_cut_off_is_not_known() -> None:
    from vouch.adapters.models.scorers.joint_rows import UNKNOWN, drawn_tokens
    from vouch.learning.collections.labeled import Drawn

    text = "Title\nit costs four"
    rows = (("what?", text), ("what?", "no"), ("what?", text), ("what?", "it costs " * 300 + "four"))
    places = ((15, 19), None, None, (2700, 2704))
    ids, types, _, found = drawn_tokens(Drawn(rows, (1.0, 0.0, 1.0, 1.0), places))
    assert found[0, 0] == found[0, 1] and ids[0, found[0, 0]] == _token("four") and types[0, found[0, 0]] == 1
    assert found[1:].tolist() == [[0, 0], [UNKNOWN] * 2, [UNKNOWN] * 2]


def test_a_place_follows_the_title_before_the_passage() -> None:
    from vouch.learning.collections.labeled import Batches

    rows = [JudgedPair(f"q{n}", "it costs four", n % 2 == 0, title="Prices", place=(9, 13)) for n in range(8)]
    drawn = Batches(rows, 0).draw(3)
    told = {text[slice(*place)] for (_, text), place in zip(drawn.rows, drawn.places, strict=True) if place}
    assert told == {"four"} and {len(text) for _, text in drawn.rows} == {13, 20}
    assert all((place is not None) == bool(label) for place, label in zip(drawn.places, drawn.labels, strict=True))


def test_dropout_changes_training_and_no_score(tmp_path: Path) -> None:
    from vouch.adapters.models.scorers.joint_rows import score

    rows = [row_of(pair) for pair in pairs()[:8]]
    without, dropped = (trained(tmp_path / name, dropout=share) for name, share in (("a", 0.0), ("b", 0.3)))
    assert not np.allclose(score(without, rows), score(dropped, rows), atol=1e-3)
    assert (score(dropped, rows) == score(dropped, rows)).all()


def test_an_interrupted_run_with_dropout_ends_as_one_that_is_not(tmp_path: Path) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        if done == 25:
            raise KeyboardInterrupt

    trained(tmp_path / "whole", dropout=0.3)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "again", progress=stop, dropout=0.3)
    trained(tmp_path / "again", dropout=0.3)
    assert (tmp_path / "again" / WEIGHTS).read_bytes() == (tmp_path / "whole" / WEIGHTS).read_bytes()


def test_a_judge_from_before_places_scores_as_it_did(tmp_path: Path) -> None:
    from vouch.adapters.models.scorers.joint_rows import score
    from vouch.adapters.models.scorers.judge import PLACES, load_judge

    model, rows = trained(tmp_path / "judge"), [row_of(pair) for pair in pairs()[:8]]
    weights = load_file(tmp_path / "judge" / WEIGHTS)
    save_file({name: tensor for name, tensor in weights.items() if name not in PLACES}, tmp_path / "judge" / WEIGHTS)
    model.placed.weight.data.zero_()
    np.testing.assert_allclose(score(load_judge(tmp_path / "judge"), rows), score(model, rows), atol=1e-5)


def test_a_mean_lies_between_its_judges(tmp_path: Path) -> None:
    from cli.wiring.training.judge import mean_judge
    from vouch.adapters.models.scorers.judge import load_judge

    one, other = trained(tmp_path / "one"), trained(tmp_path / "other", seed=1)
    assert mean_judge([tmp_path / "one", tmp_path / "other"], tmp_path / "mean") == {"judges": 2}
    mean = load_judge(tmp_path / "mean").state_dict()
    for name, tensor in mean.items():
        np.testing.assert_allclose(tensor, (one.state_dict()[name] + other.state_dict()[name]) / 2, atol=2e-3)
    assert len(json.loads((tmp_path / "mean" / CARD).read_text())["mean_of"]) == 2
    with pytest.raises(Usage, match="at least two"):
        mean_judge([tmp_path / "one"], tmp_path / "other_mean")


def _token(word: str) -> int:
    from vouch.adapters.models.scorers.joint_rows import tokens

    return int(tokens([(word, "x")])[0][0, 1])
