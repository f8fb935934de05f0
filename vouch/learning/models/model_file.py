"""Models as JSON, in files and in the registry: data to distrust, so every number is bounded, and nothing wrong is
half loaded."""

import hashlib
import json
import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from vouch.errors import BadInput, Usage
from vouch.invalid import problems

Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e6, le=1e6)]
Scale = Annotated[float, Field(allow_inf_nan=False, gt=1e-9, le=1e6)]
Share = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1)]
LONGEST = 1000                          # of a text, in characters, and of a list
DIGITS = 3                              # significant, of a fitted mean or deviation
LARGEST_WEIGHT = 4.0                    # per standard deviation; training clips to it
_Counted = Annotated[int, Field(ge=-(2**53), le=2**53)]
_Measured = Annotated[float, Field(allow_inf_nan=False, ge=-1e15, le=1e15)]
Figure = _Measured | _Counted | Annotated[list[_Measured], Field(max_length=LONGEST)]
Seed = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Weight = Annotated[float, Field(allow_inf_nan=False, ge=-LARGEST_WEIGHT, le=LARGEST_WEIGHT)]

_LARGEST = 1_000_000                    # bytes; models of this kind have some thousand

Floats = NDArray[np.float64]
M = TypeVar("M", bound=BaseModel)


def _whole(text: str) -> str:
    if any("\ud800" <= letter <= "\udfff" or letter == "\x00" for letter in text):
        raise ValueError("holds a character that is none (NUL, or half of a pair)")
    return text


Text = Annotated[str, Field(max_length=LONGEST), AfterValidator(_whole)]
Texts = Annotated[tuple[Text, ...], Field(max_length=LONGEST)]
Prints = Annotated[dict[Text, Text], Field(max_length=LONGEST)]
Figures = Annotated[dict[Text, Annotated[dict[Text, Figure], Field(max_length=LONGEST)]], Field(max_length=LONGEST)]


def coarse(values: Floats) -> Floats:
    """Each to three significant digits: what a file tells of many passages, and of none alone."""
    return np.array([float(f"{value:.{DIGITS}g}") for value in values.tolist()], dtype=np.float64)


class WeighedFeature(BaseModel):
    """How a feature is standardised and what it weighs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mean: Number
    scale: Scale
    weight: Weight


def read_model(kind: type[M], file: Path, what: str, cure: str) -> M:
    """The model in `file`. Raises BadInput that says what is wrong in it; `what` is one, with its article."""
    if file.exists() and not file.is_file():        # to open a pipe may wait for ever
        raise BadInput(f"{file} is no plain file", cure=cure)
    try:
        with file.open("rb") as opened:
            data = opened.read(_LARGEST + 1)
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error}", cure=cure) from error
    return parse_model(kind, data, str(file), what, cure)


def parse_body(kind: type[M], body: Mapping[str, Any], name: str, what: str, cure: str) -> M:
    """The model that is registered as `name`, checked like a file. Raises BadInput."""
    try:
        data = json.dumps(body).encode()
    except RecursionError as error:
        raise BadInput(f"{name} is too deep for a model", cure=cure) from error
    return parse_model(kind, data, name, what, cure)


def parse_model(kind: type[M], data: bytes, origin: str, what: str, cure: str) -> M:
    """The model in JSON that comes from `origin`. Raises BadInput that says what is wrong in it."""
    if len(data) > _LARGEST:
        raise BadInput(f"{origin} is larger than {_LARGEST:,} bytes, and no model", cure=cure)
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        wrong = problems(error.errors(), most=3)
        raise BadInput(f"{origin} is not {what} of this version: {wrong}", cure=cure) from error


def check_place(path: Path) -> None:
    """Before minutes of work. Raises Usage for a place where no file can be written."""
    cure = "name a file in a folder that you may write to"
    if path.is_dir():
        raise Usage(f"{path} is a folder", cure=cure)
    if path.is_symlink() or (path.exists() and not path.is_file()):     # it would be replaced, not written to
        raise Usage(f"{path} is a link or a device", cure="name a plain file")
    if not path.parent.is_dir():
        raise Usage(f"there is no folder {path.parent}", cure=cure)
    if not os.access(path.parent, os.W_OK):
        raise Usage(f"{path.parent} may not be written", cure=cure)


def write_model(model: BaseModel, path: Path) -> None:
    """Writes the file whole, or leaves what was there."""
    text = json.dumps(model.model_dump(mode="json"), indent=1, sort_keys=True, allow_nan=False) + "\n"
    check_place(path)
    draft = path.with_name(f".{path.name}.new")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def digest(model: BaseModel, deciding: set[str]) -> str:
    """32 hex digits that change whenever a field that decides does."""
    fields: dict[str, Any] = model.model_dump(include=deciding)
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:32]


def registered_name(kind: str, day: date, fingerprint: str) -> str:
    """What a model is called in the registry: fusion-20261123-1a2b3c4d."""
    return f"{kind}-{day:%Y%m%d}-{_digits(fingerprint)}"


def has_fingerprint(name: str, fingerprint: str) -> bool:
    """Whether a model that is registered as `name` is the one with this fingerprint."""
    return name.endswith(f"-{_digits(fingerprint)}")


def same_weights(name: str, other: str) -> bool:
    """Whether two registered models have one fingerprint, by their names."""
    return name.rpartition("-")[2] == other.rpartition("-")[2]


def check_name(name: str, fingerprint: str) -> None:
    """Raises BadInput for a model that is not the one it was registered as."""
    if not has_fingerprint(name, fingerprint):
        raise BadInput(f"{name} holds another model than the one that was registered: {fingerprint}",
                       cure="promote another one: vouch models list")


def _digits(fingerprint: str) -> str:
    return fingerprint.rpartition(":")[2][:8]
