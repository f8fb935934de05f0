"""Cross-encoders that are registered: copies in the home, each in a folder that is named after its fingerprint."""

import contextlib
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vouch.adapters.models.folder import ModelFolder
from vouch.adapters.models.scorers.cross_encoder import cross_encoder_weights, load_cross_encoder
from vouch.adapters.models.scorers.judge import check_base, is_judge, read_card
from vouch.adapters.models.scorers.kept_copies import alone, copy_folder
from vouch.errors import BadInput, ModelDown, Unavailable
from vouch.learning.models.cross_encoder_model import CURE, CrossEncoderModel

FOLDER = "rerankers"                    # in the home
LARGEST = 1e6                           # of a weight; those of models that were trained are far below it
Check = Callable[[CrossEncoderModel], None]
_PAIR = ("How many days of leave are there?", "Parents get twelve weeks.")


def _any(model: CrossEncoderModel) -> None:
    """Each is wanted."""


def kept_folder(home: Path, model: CrossEncoderModel) -> Path:
    """Where its copy lies, whether or not it is there."""
    return home / FOLDER / model.weights.rpartition(":")[2]


def keep_cross_encoder(home: Path, folder: Path, dtype: str, device: str, check: Check = _any) -> CrossEncoderModel:
    """What the folder holds; afterwards a copy of it lies in the home. It is loaded once, to see that it works.

    Raises ModelDown for a folder without such a model, with weights that are none, or whose files vanish meanwhile,
    what `check` raises for one that is not wanted, and Unavailable where it cannot be copied.
    """
    model = _read(folder, dtype, device)
    place = kept_folder(home, model)
    try:
        with alone(place.parent):
            check(model)
            copy_folder(folder, place, model.weights)
    except OSError as error:
        raise Unavailable(f"{folder} cannot be copied to {place}: {error.strerror}",
                          cure="free some disk space, then add it again") from error
    return model


def check_kept(home: Path, model: CrossEncoderModel) -> Path:
    """The folder of its copy, every file as it was registered. Raises ModelDown.

    A judge of another encoder than the one installed is refused, too.
    """
    place = kept_folder(home, model)
    if not place.is_dir():
        raise ModelDown(f"its copy {place} is missing", cure=CURE)
    weights = cross_encoder_weights(place)
    if weights != model.weights:
        raise ModelDown(f"its copy {place} has changed: it is {weights}, not {model.weights}", cure=CURE)
    if is_judge(place):
        check_base(place)
    return place


def discard_kept(home: Path, body: Mapping[str, Any]) -> None:
    """Deletes the copy of what a row of the registry describes; a row that describes none leads nowhere."""
    with contextlib.suppress(ValidationError, OSError):
        place = kept_folder(home, CrossEncoderModel.model_validate(body))
        with alone(place.parent):
            shutil.rmtree(place, ignore_errors=True)


def _read(folder: Path, dtype: str, device: str) -> CrossEncoderModel:
    from safetensors import SafetensorError

    weights = cross_encoder_weights(folder)
    load_cross_encoder(folder, dtype, device).scores([_PAIR])
    try:
        _check_weights(folder)
        return _described(folder, weights)
    except (OSError, SafetensorError) as error:
        raise ModelDown(f"{folder} changed while it was read: {error}", cure="add it again") from error


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
