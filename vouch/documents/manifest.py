"""The manifest: everything that makes one version of the index, with a checksum for every file."""

import hashlib
import json
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vouch.errors import Damaged


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileEntry(_Part):
    name: str = Field(pattern=r"^[a-z0-9_]+(\.[a-z0-9]+)+$")
    size: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class FolderEntry(_Part):
    """An immutable folder of files: a segment (`rows` index rows) or a part (`rows` documents)."""

    id: str = Field(pattern=r"^[0-9a-f]{32}$")
    rows: int = Field(ge=0)
    files: tuple[FileEntry, ...]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


class Counts(_Part):
    documents: int = 0
    quarantined: int = 0
    chunks: int = 0


class Manifest(_Part):
    """One version. Segments hold index rows, parts hold documents; of parts, a later one wins per document."""

    format: Literal[1] = 1
    version: int = Field(ge=1)
    parent: int | None
    created_at: datetime
    segments: tuple[FolderEntry, ...]
    parts: tuple[FolderEntry, ...]
    cursors: dict[str, dict[str, Any]]
    fingerprints: dict[str, str]
    reference_length: float = Field(gt=0)
    dimensions: int = Field(ge=0)
    counts: Counts


def seal(manifest: Manifest) -> bytes:
    """The manifest as stored: JSON whose `digest` covers all the rest."""
    body = manifest.model_dump(mode="json")
    return json.dumps({"manifest": body, "digest": _digest(body)}, sort_keys=True).encode() + b"\n"


def unseal(data: bytes, name: str) -> Manifest:
    """The manifest in `data`. Raises Damaged if it is not exactly what `seal` made."""
    try:
        held = json.loads(data)
        if _digest(held["manifest"]) != held["digest"]:
            raise Damaged(f"{name} does not match its own checksum")
        return Manifest.model_validate(held["manifest"])
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        raise Damaged(f"{name} cannot be read: {type(error).__name__}") from error


def _digest(body: object) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
