"""Archives with a tiny BERT, laid out as torch's exporter of ONNX lays it out, written by hand."""

import hashlib
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from model_fakes.cross_encoder_model import random_bert
from vouch.adapters.models.fetching.known import KnownModel
from vouch.adapters.models.folder import default_model_dir

PROMPT = "Find what answers: "


def tiny_archive(folder: Path, name: str = "tiny") -> tuple[KnownModel, Path, Path]:
    """What would be known of it, the archive, and the folder of the model that it was made from."""
    from safetensors.numpy import load_file

    original = random_bert(folder / f"{name}-original")
    config = {key: value for key, value in _config(original).items() if key != "dtype"}
    archive = folder / f"{name}.jar"
    with zipfile.ZipFile(archive, "w") as held:
        held.writestr("weights.onnx", onnx(load_file(original / "model.safetensors")))
        held.write(default_model_dir() / "tokenizer.json", "tokenizer.json")
    known = KnownModel(
        name, f"some/where/{name}.jar", hashlib.sha256(archive.read_bytes()).hexdigest(), archive.stat().st_size,
        "weights.onnx", "tokenizer.json", "cls", question_prompt=PROMPT, config=config,
    )
    return known, archive, original


def onnx(weights: dict[str, np.ndarray[Any, Any]]) -> bytes:
    """A model of these weights: matrices of layers are turned over and numbered, their products named."""
    graph = b""
    for number, (name, tensor) in enumerate(weights.items()):
        if name.endswith(".weight") and tensor.ndim == 2 and "embeddings" not in name:
            path = name.removesuffix(".weight").replace(".", "/")
            graph += _bytes(1, _bytes(1, b"input") + _bytes(1, f"onnx::MatMul_{number}".encode())
                            + _bytes(3, f"/{path}/MatMul".encode()) + _bytes(4, b"MatMul"))
            name, tensor = f"onnx::MatMul_{number}", np.ascontiguousarray(tensor.T)
        graph += _bytes(5, _tensor(name, tensor, 1))
    graph += _bytes(5, _tensor("embeddings.position_ids", np.arange(4, dtype=np.int64), 7))
    return _number(1, 6) + _bytes(2, b"pytorch") + _bytes(7, graph)


def _tensor(name: str, tensor: np.ndarray[Any, Any], kind: int) -> bytes:
    shape = b"".join(_number(1, size) for size in tensor.shape)
    return shape + _number(2, kind) + _bytes(8, name.encode()) + _bytes(9, tensor.tobytes())


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def _config(folder: Path) -> dict[str, Any]:
    import json

    found: dict[str, Any] = json.loads((folder / "config.json").read_text())
    return found
