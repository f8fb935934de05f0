"""An archive with an ONNX encoder becomes a sentence-transformers folder, read without ONNX's packages.

The folder is byte for byte the same each time: what is learned with an encoder goes by the digest of these files.

Read are the named tensors, and which node multiplies by which of them: the
exporter of torch turns the matrix of a linear layer over and gives it a
number for a name, but the node that uses it keeps the layer's name.
"""

import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.adapters.models.fetching.known import KnownModel
from vouch.errors import BadInput

Tensor = NDArray[np.float32]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_GRAPH, _NODE, _INITIALIZER = 7, 1, 5           # fields of a model, and of its graph
_INPUT, _NODE_NAME, _OPERATION = 1, 3, 4        # of a node
_DIMENSION, _KIND, _FLOATS, _TENSOR_NAME, _RAW = 1, 2, 4, 8, 9      # of a tensor
_FLOAT32 = 1
_LONGEST = 10                                   # bytes of a number


def read_weights(file: Path) -> dict[str, Tensor]:
    """The float32 tensors by the names they have in torch, linear layers as torch has them: (out, in).

    Raises BadInput for a file that is no such model.
    """
    try:
        return _weights(memoryview(file.read_bytes()))
    except (OSError, ValueError, IndexError, KeyError, OverflowError) as error:
        raise BadInput(f"{file} is no ONNX model that can be read: {error}", cure="fetch or export it again") from error


def _weights(model: memoryview) -> dict[str, Tensor]:
    tensors: dict[str, Tensor] = {}
    layers: dict[str, str] = {}
    for graph in _parts(model, _GRAPH):
        for number, part in _fields(graph):
            if number == _INITIALIZER and isinstance(part, memoryview):
                name, tensor = _tensor(part)
                if tensor is not None:
                    tensors[name] = tensor
            elif number == _NODE and isinstance(part, memoryview):
                layers.update(_multiplied(part))
    if not tensors:
        raise ValueError("it holds no float32 tensor")
    return {layers.get(name, name): np.ascontiguousarray(tensor.T) if name in layers else tensor
            for name, tensor in tensors.items()}


def _multiplied(node: memoryview) -> dict[str, str]:
    """The tensor that a product of a named layer multiplies by, and the name of that layer's weight."""
    texts: dict[int, list[str]] = {}
    for number, value in _fields(node):
        if number in (_INPUT, _NODE_NAME, _OPERATION) and isinstance(value, memoryview):
            texts.setdefault(number, []).append(bytes(value).decode())
    path = texts.get(_NODE_NAME, [""])[0].strip("/").split("/")
    if texts.get(_OPERATION) != ["MatMul"] or path[-1] != "MatMul" or len(texts.get(_INPUT, [])) != 2:
        return {}
    return {texts[_INPUT][1]: ".".join([*path[:-1], "weight"])}


def _tensor(data: memoryview) -> tuple[str, Tensor | None]:
    """Its name, and what it holds if that is float32."""
    shape: list[int] = []
    name, kind, raw = "", 0, b""
    for number, value in _fields(data):
        if number == _DIMENSION:
            shape += [value] if isinstance(value, int) else _numbers(value)
        elif number == _KIND and isinstance(value, int):
            kind = value
        elif number == _TENSOR_NAME and isinstance(value, memoryview):
            name = bytes(value).decode()
        elif number in (_FLOATS, _RAW) and isinstance(value, memoryview):
            raw = bytes(value)
    return name, np.frombuffer(raw, "<f4").reshape(shape).astype(np.float32) if kind == _FLOAT32 else None


def _parts(data: memoryview, wanted: int) -> Iterator[memoryview]:
    for number, value in _fields(data):
        if number == wanted and isinstance(value, memoryview):
            yield value


def _numbers(data: memoryview) -> list[int]:
    found, at = [], 0
    while at < len(data):
        value, at = _varint(data, at)
        found.append(value)
    return found


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        size, at = _varint(data, at) if wire == _BYTES else ({_FIXED64: 8, _FIXED32: 4}[wire], at)
        if at + size > len(data):
            raise ValueError("it ends early")
        yield number, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for place in range(_LONGEST):
        byte = data[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, at + place + 1
    raise ValueError("a number of it does not end")


_MODULES = "sentence_transformers.models."


def convert(archive: Path, model: KnownModel, folder: Path) -> None:
    """Afterwards `folder` is the model, whole. Raises BadInput for an archive that holds none."""
    with TemporaryDirectory(dir=folder.parent, prefix=f".{model.name}-") as scratch:
        new = Path(scratch) / "model"
        new.mkdir()
        weights = Path(scratch) / "weights.onnx"
        try:
            with zipfile.ZipFile(archive) as zip_file:
                _copy(zip_file, model.weights, weights)
                _copy(zip_file, model.tokenizer, new / "tokenizer.json")
        except (KeyError, zipfile.BadZipFile) as error:
            raise BadInput(f"{archive} does not hold the model {model.name}: {error}", cure="fetch it again") from error
        _save(weights, new / "model.safetensors")
        for name, content in _described(model).items():
            (new / name).parent.mkdir(exist_ok=True)
            (new / name).write_text(json.dumps(content, indent=2), encoding="utf-8")
        new.replace(folder)


def _copy(held: zipfile.ZipFile, member: str, to: Path) -> None:
    with held.open(member) as source, to.open("wb") as target:
        shutil.copyfileobj(source, target)


def _save(weights: Path, file: Path) -> None:
    from safetensors.numpy import save_file

    save_file(read_weights(weights), file, {"format": "pt"})


def _described(model: KnownModel) -> dict[str, Any]:
    """The small files that say how the model is used."""
    longest, width = model.config["max_position_embeddings"], model.config["hidden_size"]
    kinds = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
    return {
        "config.json": dict(model.config),
        "modules.json": [
            {"idx": n, "name": str(n), "path": path, "type": _MODULES + kind}
            for n, (path, kind) in enumerate(kinds.items())
        ],
        "1_Pooling/config.json": {
            "word_embedding_dimension": width,
            "pooling_mode_cls_token": model.pooling == "cls", "pooling_mode_mean_tokens": model.pooling == "mean",
        },
        "sentence_bert_config.json": {"max_seq_length": longest, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": model.question_prompt, "document": model.passage_prompt},
        },
        "tokenizer_config.json": {
            "tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": longest,
        },
    }
