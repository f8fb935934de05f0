"""What trains a judge."""

from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import file_digest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cli.wiring.settings import command_settings
from flows.shared.reporting import Progress
from vouch.adapters.data_files.public import read_judged_pairs
from vouch.errors import BadInput, Usage
from vouch.learning.collections.labeled import JudgedPair, in_split, near_misses, row_of
from vouch.learning.statistics.metrics import auc, bootstrap_interval

_HELD_OUT, _TESTED = 400, 2000          # pairs a state is chosen by, and pairs the figures are of
_STEPS = 600                            # unless told


def train_judge(
    files: Sequence[Path], out: Path, steps: int | None, look_every: int, seed: int, progress: Progress,
    base: Path | None = None, batches: int = 1, dropout: float = 0.0,
) -> dict[str, Any]:  # fmt: skip
    """Trains on 60 % of the groups, chooses by 20 %, writes the judge to `out` and returns its figures on the rest.

    `base`: a T5, instead of the encoder that comes with vouch.

    Raises BadInput for files without pairs of both labels in each part.
    """
    _check_out(out)
    pairs: list[JudgedPair] = []
    for number, file in enumerate(files):
        progress("read", number, len(files))
        pairs += read_judged_pairs(file)
    held_out = near_misses(list(dict.fromkeys(in_split(pairs, "calibration"))), _HELD_OUT, seed)
    tested = near_misses(list(dict.fromkeys(in_split(pairs, "test"))), _TESTED, seed)
    if not pairs:
        raise BadInput("the files hold no pairs", cure="docs/models/judge.md describes what they hold")
    for name, part in (("held-out", held_out), ("tested", tested)):
        if len({pair.answers for pair in part}) < 2:
            raise BadInput(f"the {name} pairs have one label only", cure="give pairs of more groups")
    from vouch.adapters.models.encoder import Placement

    settings = command_settings()
    placement = Placement.choose(settings.encoder.dtype, settings.encoder.device)
    card = {"trained": f"{datetime.now(UTC):%Y-%m-%d}", "device": placement.device, "dtype": placement.dtype,
            "data": [{"file": file.name, "sha256": _sha256(file)} for file in files]}
    rows, train = [row_of(pair) for pair in tested], in_split(pairs, "train")
    if base is not None:
        from vouch.adapters.models.scorers.cross_encoder import load_cross_encoder
        from vouch.adapters.models.scorers.t5_training import T5Plan, train_t5

        plan_of_t5 = T5Plan(steps or 0, seed, look_every=look_every)
        report = train_t5(base, train, held_out, out, plan_of_t5, placement, {**card, "dtype": "float32"}, progress)
        scores = load_cross_encoder(out, placement.dtype, placement.device).scores(rows)
        return {**report, **_figures(tested, np.array(scores), seed)}
    from vouch.adapters.models.scorers.joint_rows import score
    from vouch.adapters.models.scorers.judge_training import Plan
    from vouch.adapters.models.scorers.judge_training import train_judge as train_joint

    plan = Plan(steps or _STEPS, seed, batches, dropout, look_every=look_every)
    return train_joint(train, held_out, out, plan, placement, card, progress,
                       lambda model: _figures(tested, score(model, rows, progress), seed))


def mean_judge(folders: Sequence[Path], out: Path) -> dict[str, Any]:
    """Writes the mean of these judges to `out`; its card holds theirs.

    Raises Usage for fewer than two, or a place where no judge can be written.
    """
    from vouch.adapters.models.scorers.judge import mean_of, read_card, save_judge

    if len(folders) < 2:
        raise Usage("a mean takes at least two judges", cure="name several folders with --mean")
    _check_out(out)
    save_judge(mean_of(folders), out, {"mean_of": [read_card(folder) for folder in folders]})
    return {"judges": len(folders)}


def _figures(tested: Sequence[JudgedPair], scores: NDArray[np.float64], seed: int) -> dict[str, Any]:
    labels = np.array([float(pair.answers) for pair in tested])
    groups = np.unique([pair.group or pair.passage for pair in tested], return_inverse=True)[1].astype(np.int64)
    low, high = bootstrap_interval(auc, labels, scores, groups=groups, seed=seed)
    return {"tested": len(tested), "groups": int(groups.max()) + 1, "auc": round(auc(labels, scores), 4),
            "auc_interval": [round(low, 4), round(high, 4)]}


def _check_out(out: Path) -> None:
    """Before hours of work. Raises Usage for a place where no judge can be written, or something else is."""
    ours = any((out / card).is_file() for card in ("judge.json", "t5.json")) if out.name else False
    ours = ours or bool(out.name and out.with_name(out.name + ".partial").exists())
    others = not ours and out.is_dir() and any(out.iterdir())
    if not out.name or out.is_file() or others:
        raise Usage(f"{out} is there and is no judge", cure="name a folder that is not there yet")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Usage(f"{out.parent} cannot be made: {error.strerror}", cure="name another folder") from error


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()
