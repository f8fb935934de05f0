"""How the weekly training ends: green where there is nothing to learn yet, red for whatever fails."""

import logging
from typing import Any

import pytest

from flows.training.promotion import Advanced
from vouch.adapters.data_files.golden_questions import read_golden
from vouch.errors import BadInput, Damaged, NothingToLearn, Usage, VouchError

pytestmark = pytest.mark.slow           # Prefect is loaded
AFTER = Advanced("", "fusion-20261123-1a2b3c4d", "no answer was compared with it yet")


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the flow returns where the training raises this."""
    from flows.deployed import train as flow
    from flows.training import whole_training

    def run(error: VouchError) -> Any:
        def fails(*_: object, **__: object) -> None:
            raise error

        for name in ("build_training", "build_registrar", "training_seed"):
            monkeypatch.setattr(flow, name, lambda: 0)
        monkeypatch.setattr(whole_training, "train", fails)
        monkeypatch.setattr(whole_training, "advance", lambda *_: AFTER)
        monkeypatch.setattr(flow, "as_task", lambda _, step: step())
        monkeypatch.setattr(flow, "get_run_logger", lambda: logging.getLogger("run"))
        return flow.train.fn()

    return run


def test_nothing_to_learn_is_no_failure_and_is_said(ends: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert ends(NothingToLearn("not one label")) == AFTER.row(), "what shadows is looked after all the same"
    assert "nothing was trained: not one label" in caplog.text


def test_golden_questions_that_cannot_be_read_fail_the_run(ends: Any, tmp_path: Any) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{")
    for file in (tmp_path / "missing.jsonl", broken):
        with pytest.raises(VouchError) as caught:
            read_golden(file)
        with pytest.raises(type(caught.value)):
            ends(caught.value)


@pytest.mark.parametrize("kind", [BadInput, Usage, Damaged])
def test_whatever_else_fails_fails_the_run(ends: Any, kind: type[VouchError]) -> None:
    with pytest.raises(kind):
        ends(kind("of something else"))
