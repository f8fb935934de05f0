"""A trained judge on disk: what training changed in the encoder that comes with vouch, as matrices of low rank.

Its folder holds judge.json, judge.safetensors and the tokenizer. The evaluator
weighs what it says (VOUCH_EVALUATOR__JUDGE); it can also put passages in order
as a cross-encoder does (VOUCH_RERANKER__MODEL).
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vouch.adapters.models.folder import ModelFolder, default_model_dir
from vouch.errors import ModelDown

if TYPE_CHECKING:
    from torch import Tensor

    from vouch.adapters.models.scorers.joint import JointBert

CARD, WEIGHTS = "judge.json", "judge.safetensors"
SHIPPED = Path(__file__).parents[3] / "learning" / "models" / "judge"
TOKENS = 192                            # of a pair; what is longer is cut
RANK = 64
HEADS = frozenset({"scale", "figures.weight", "figures.bias", "vector.weight"})
PLACES = frozenset({"place.weight", "place.bias", "placed.weight"})     # 0 where a judge was trained without them
_LEFT, _RIGHT = ".left", ".right"       # a change is the product of both
_CURE = "train it again with vouch train judge"


def is_judge(folder: Path) -> bool:
    return (folder / CARD).is_file()


def save_judge(model: "JointBert", out: Path, card: Mapping[str, Any], rank: int = RANK) -> None:
    """Afterwards `out` holds what differs from the encoder that comes with vouch, matrices cut to `rank`.

    The best approximation of a rank is that of the largest singular values (Eckart and Young 1936).
    """
    from safetensors.torch import save_file

    from vouch.adapters.models.scorers.joint import read_bert

    base, changed = read_bert(default_model_dir()).state_dict(), model.bert.state_dict()
    stored = {name: tensor.detach().cpu() for name, tensor in model.state_dict().items() if name in HEADS | PLACES}
    for name, before in base.items():
        stored |= _parts(name, (changed[name].cpu() - before).float(), rank)
    out.mkdir(parents=True, exist_ok=True)
    save_file({name: tensor.contiguous().clone() for name, tensor in stored.items()}, out / WEIGHTS)
    for name in ("tokenizer.json", "tokenizer_config.json", "config.json"):
        shutil.copyfile(default_model_dir() / name, out / name)
    full_card = {"kind": "vouch judge", "base": ModelFolder.open(None).files_digest(), "rank": rank, **card}
    (out / CARD).write_text(json.dumps(full_card, indent=1) + "\n", encoding="utf-8")


def read_card(folder: Path) -> dict[str, Any]:
    """What judge.json says. Raises ModelDown."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
        return {**card, "base": str(card["base"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelDown(f"{folder / CARD} cannot be read: {error}", cure=_CURE) from error


def check_base(folder: Path) -> None:
    """Without loading it. Raises ModelDown for a judge that was made from another encoder."""
    if read_card(folder)["base"] != ModelFolder.open(None).files_digest():
        raise ModelDown(f"the judge in {folder} was made from another encoder than the one installed", cure=_CURE)


def load_judge(folder: Path) -> "JointBert":
    """The model in memory. Raises ModelDown if it was made from another encoder, or is none."""
    import torch
    from safetensors.torch import load_file

    from vouch.adapters.models.scorers.joint import JointBert, read_bert

    check_base(folder)
    try:
        stored = load_file(folder / WEIGHTS)
    except Exception as error:          # safetensors raises what it likes
        raise ModelDown(f"{folder / WEIGHTS} cannot be loaded: {error}", cure=_CURE) from error
    model = JointBert(read_bert(default_model_dir()))
    known = {name + end for name in model.bert.state_dict() for end in ("", _LEFT, _RIGHT)} | HEADS | PLACES
    if not HEADS <= stored.keys() <= known:
        raise ModelDown(f"{folder / WEIGHTS} does not hold the weights of a judge", cure=_CURE)
    model.load_state_dict({name: stored[name] for name in (HEADS | PLACES) & stored.keys()}, strict=False)
    with torch.no_grad():
        for name, tensor in model.bert.state_dict().items():
            if (change := _change(name, stored)) is not None:
                tensor += change.reshape(tensor.shape)
    return model.eval()


def mean_of(folders: Sequence[Path]) -> "JointBert":
    """The mean of the weights of judges that began alike (Wortsman et al. 2022, arXiv 2203.05482).

    Raises ModelDown for a folder that holds no judge of the encoder that is installed.
    """
    import torch

    judges = [load_judge(folder) for folder in folders]
    model, states = judges[0], [judge.state_dict() for judge in judges]
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            tensor.copy_(torch.stack([state[name] for state in states]).mean(0))
    return model


def _parts(name: str, change: "Tensor", rank: int) -> "dict[str, Tensor]":
    """Nothing for what did not change; small tensors whole."""
    import torch

    if not change.any():
        return {}
    if change.ndim != 2 or min(change.shape) <= rank:
        return {name: change}
    left, sizes, right = torch.linalg.svd(change, full_matrices=False)
    root = sizes[:rank].sqrt()
    return {name + _LEFT: (left[:, :rank] * root).half(), name + _RIGHT: (root[:, None] * right[:rank]).half()}


def _change(name: str, stored: "Mapping[str, Tensor]") -> "Tensor | None":
    if name + _LEFT in stored:
        return stored[name + _LEFT].float() @ stored[name + _RIGHT].float()
    return stored.get(name)
