"""`vouch train judge` says which options do not belong together before anything is read."""

from pathlib import Path

from typer.testing import CliRunner

from cli.main import app


def test_a_t5_takes_no_batches_of_a_step(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["train", "judge", "--pairs", "pairs.jsonl", "--base", "t5", "--batches", "4",
                                    "--out", str(tmp_path / "judge")])
    assert told.exit_code != 0
    assert "leave --batches and" in str(told.exception) + told.output + getattr(told.exception, "cure", "")


def test_it_is_trained_on_pairs_or_is_a_mean(tmp_path: Path) -> None:
    for given in ([], ["--pairs", "pairs.jsonl", "--mean", "one"]):
        told = CliRunner().invoke(app, ["train", "judge", *given, "--out", str(tmp_path / "judge")])
        assert told.exit_code != 0
        assert "give --pairs or --mean" in str(told.exception) + told.output + getattr(told.exception, "cure", "")
