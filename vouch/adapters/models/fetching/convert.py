"""An archive with an ONNX encoder becomes the folder of a sentence-transformers model, byte for byte the same each
time: what is learned with an encoder goes by the digest of these files."""

import json
import shutil
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vouch.adapters.models.fetching.known import KnownModel
from vouch.adapters.models.fetching.onnx import read_weights
from vouch.errors import BadInput

_MODULES = "sentence_transformers.models."


def convert(archive: Path, model: KnownModel, folder: Path) -> None:
    """Afterwards `folder` is the model, whole. Raises BadInput for an archive that holds none."""
    with TemporaryDirectory(dir=folder.parent, prefix=f".{model.name}-") as place:
        new = Path(place) / "model"
        new.mkdir()
        weights = Path(place) / "weights.onnx"
        try:
            with zipfile.ZipFile(archive) as held:
                _copy(held, model.weights, weights)
                _copy(held, model.tokenizer, new / "tokenizer.json")
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
