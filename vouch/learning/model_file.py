"""Models as files of JSON: data to distrust, so every number is bounded, and nothing wrong is half loaded."""

import hashlib
import json
import os
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from vouch.errors import BadInput, Usage
from vouch.invalid import problems

Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e6, le=1e6)]
Scale = Annotated[float, Field(allow_inf_nan=False, gt=1e-9, le=1e6)]
Share = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1)]
Figure = float | int | list[float]

_LARGEST = 1_000_000                    # bytes; models of this kind have some thousand

M = TypeVar("M", bound=BaseModel)


def read_model(kind: type[M], file: Path, what: str, cure: str) -> M:
    """The model in `file`. Raises BadInput that says what is wrong in it; `what` is one, with its article."""
    try:
        with file.open("rb") as opened:
            data = opened.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise BadInput(f"{file} is larger than {_LARGEST:,} bytes, and no model", cure=cure)
        return kind.model_validate_json(data)
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error}", cure=cure) from error
    except ValidationError as error:
        wrong = problems(error.errors(), most=3)
        raise BadInput(f"{file} is not {what} of this version: {wrong}", cure=cure) from error


def check_place(path: Path) -> None:
    """Before minutes of work. Raises Usage for a place where no file can be written."""
    cure = "name a file in a folder that you may write to"
    if path.is_dir():
        raise Usage(f"{path} is a folder", cure=cure)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Usage(f"{path.parent} cannot be made: {error.strerror}", cure=cure) from error
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
