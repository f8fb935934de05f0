"""Cross-encoders that are registered: copies in the home, each in a folder that is named after its fingerprint."""

import contextlib
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vouch.adapters.models.folder import ModelFolder
from vouch.adapters.models.scorers.cross_encoder import cross_encoder_weights, load_cross_encoder
from vouch.adapters.models.scorers.judge import check_base, is_judge, read_card
from vouch.errors import BadInput, ModelDown, Unavailable
from vouch.learning.models.cross_encoder_model import CURE, CrossEncoderModel

FOLDER = "rerankers"                    # in the home
LARGEST = 1e6                           # of a weight; those of models that were trained are far below it
_PAIR = ("How many days of leave are there?", "Parents get twelve weeks.")


def kept_folder(home: Path, model: CrossEncoderModel) -> Path:
    """Where its copy lies, whether or not it is there."""
    return home / FOLDER / model.weights.rpartition(":")[2]


def keep_cross_encoder(home: Path, folder: Path, dtype: str, device: str) -> CrossEncoderModel:
    """What the folder holds; afterwards a copy of it lies in the home. It is loaded once, to see that it works.

    Raises ModelDown for a folder without such a model or with weights that are none, Unavailable where it cannot be
    copied.
    """
    weights = cross_encoder_weights(folder)
    load_cross_encoder(folder, dtype, device).scores([_PAIR])
    _check_weights(folder)
    model = _described(folder, weights)
    copy_folder = kept_folder(home, model)
    try:
        copy_folder.parent.mkdir(mode=0o700, exist_ok=True)
        if not _holds(copy_folder, weights):
            _copy(folder, copy_folder, weights)
    except OSError as error:
        raise Unavailable(f"{folder} cannot be copied to {copy_folder}: {error.strerror}",
                          cure="free some disk space, then add it again") from error
    return model


def check_kept(home: Path, model: CrossEncoderModel) -> Path:
    """The folder of its copy, every file as it was registered. Raises ModelDown.

    A judge of another encoder than the one installed is refused, too.
    """
    copy_folder = kept_folder(home, model)
    if not copy_folder.is_dir():
        raise ModelDown(f"its copy {copy_folder} is missing", cure=CURE)
    try:
        weights = cross_encoder_weights(copy_folder)
    except OSError as error:
        raise ModelDown(f"its copy {copy_folder} cannot be read: {error.strerror}", cure=CURE) from error
    if weights != model.weights:
        raise ModelDown(f"its copy {copy_folder} has changed: it is {weights}, not {model.weights}", cure=CURE)
    if is_judge(copy_folder):
        check_base(copy_folder)
    return copy_folder


def discard_kept(home: Path, body: Mapping[str, Any]) -> None:
    """Deletes the copy of what a row of the registry describes; a row that describes none leads nowhere."""
    with contextlib.suppress(ValidationError):
        shutil.rmtree(kept_folder(home, CrossEncoderModel.model_validate(body)), ignore_errors=True)


def _check_weights(folder: Path) -> None:
    """Raises ModelDown unless each is finite and bounded."""
    from safetensors.torch import load_file

    for file in ModelFolder(folder).files():
        for name, tensor in load_file(file).items() if file.suffix == ".safetensors" else ():
            if tensor.is_floating_point() and not bool((tensor.abs() <= LARGEST).all()):
                raise ModelDown(f"{file}: {name} holds a weight that is no number, or above {LARGEST:,.0f}",
                                cure="train it again: vouch train judge")


def _described(folder: Path, weights: str) -> CrossEncoderModel:
    files = {file.relative_to(folder).as_posix(): file.stat().st_size for file in ModelFolder(folder).files()}
    card: dict[str, Any] = read_card(folder) if is_judge(folder) else {"base": ""}
    known = {name: number for name, number in {"steps": card.get("steps"), "held_out_auc": card.get("held_out_auc"),
                                               **(card.get("figures") or {})}.items() if number is not None}
    try:
        return CrossEncoderModel(
            weights=weights, base=card["base"], files=files, trained_on=card.get("trained", ""),
            data=tuple(entry["file"] for entry in card.get("data", ())), figures={"test pairs": known} if known else {},
        )
    except (ValueError, TypeError, KeyError) as error:
        raise BadInput(f"{folder} is described wrongly: {error}", cure="train it again: vouch train judge") from error


def _holds(place: Path, weights: str) -> bool:
    return (place / "tokenizer.json").is_file() and cross_encoder_weights(place) == weights


def _copy(folder: Path, place: Path, weights: str) -> None:
    """Whole, or not at all: what is there under the name is never half of it."""
    draft = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        for file in ModelFolder(folder).files():
            target = draft / file.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        if cross_encoder_weights(draft) != weights:
            raise ModelDown(f"{folder} changed while it was copied", cure="add it again")
        if place.exists():              # damaged, or somebody has just put it there
            shutil.rmtree(place)
        draft.rename(place)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
