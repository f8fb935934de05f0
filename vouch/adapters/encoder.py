"""The sentence encoder: texts to unit vectors, in batches of fixed shapes.

Folders that hold a plain BERT need torch alone; any other
sentence-transformers folder is run by that library. Weights are safetensors,
read from disk only; no code of a model folder is ever run.
"""

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vouch.adapters.model_folder import ModelFolder, package_versions
from vouch.adapters.shapes import Shapes
from vouch.adapters.tokenizer import FastTokenizer, load_tokenizer
from vouch.errors import ModelDown

if TYPE_CHECKING:
    import torch

_RULES = 1                              # raise when pooling, masks or anything else here changes a bit
Vector = NDArray[np.float32]
# (ids, mask) of one batch → (sentence vectors (rows, d), token vectors (rows, width, d)), neither normalised
Forward = Callable[["torch.Tensor", "torch.Tensor"], "tuple[torch.Tensor, torch.Tensor]"]


@dataclass(frozen=True)
class Machine:
    """Where and in which numbers a model runs, with `auto` decided without importing torch."""

    device: str
    dtype: str

    @classmethod
    def choose(cls, dtype: str, device: str) -> "Machine":
        """`auto` is cuda where /dev/nvidia0 exists, and bfloat16 on cuda or a CPU that computes in it."""
        place = ("cuda" if Path("/dev/nvidia0").exists() else "cpu") if device == "auto" else device
        if dtype != "auto":
            return cls(place, dtype)
        return cls(place, "bfloat16" if place == "cuda" or _cpu_has_bfloat16() else "float32")


def _cpu_has_bfloat16() -> bool:
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags


def encoder_fingerprint(model_dir: Path | None = None, dtype: str = "auto", device: str = "auto") -> str:
    """Equal to `load_encoder(…).fingerprint`, without importing torch."""
    folder = ModelFolder.open(model_dir)
    machine = Machine.choose(dtype, device)
    parts = (
        str(_RULES), folder.files_digest(), machine.device, machine.dtype, folder.pooling,
        Shapes.of(folder.limit, machine.device).fingerprint,
        package_versions("torch", "tokenizers") if folder.is_plain
        else package_versions("torch", "tokenizers", "transformers", "sentence-transformers"),
    )
    return "encoder:" + sha256("\0".join(parts).encode()).hexdigest()[:32]


def encoder_dimensions(model_dir: Path | None = None) -> int:
    """Equal to `load_encoder(…).dimensions`, read from the model folder without importing torch."""
    return ModelFolder.open(model_dir).dimensions


class FixedShapeEncoder:
    """Implements the Encoder port. Safe to share between threads; one batch runs at a time."""

    def __init__(
        self, forward: Forward, tokenizer: FastTokenizer, shapes: Shapes, machine: Machine,
        *, fingerprint: str, dimensions: int, prompts: tuple[str, str] = ("", ""), pad: int = 0,
    ) -> None:
        self._forward, self._tokenizer, self._shapes, self._machine = forward, tokenizer, shapes, machine
        self._singles = Shapes(tuple((width, 1) for width, _ in shapes.table))
        self._fingerprint, self._dimensions = fingerprint, dimensions
        self._passage_prompt, self._question_prompt = prompts
        self._pad = pad
        self._filler = tokenizer.inputs([""])[0].ids
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def passages(self, texts: Sequence[str]) -> Vector:
        """float32, shape (len(texts), dimensions), unit rows in the order of `texts`."""
        return self._sentences([self._passage_prompt + text for text in texts], self._shapes)

    def questions(self, texts: Sequence[str]) -> Vector:
        """Like `passages`, each text in a batch of its own, so that one question is cheap."""
        return self._sentences([self._question_prompt + text for text in texts], self._singles)

    def token_vectors(self, texts: Sequence[str], *, questions: bool = False) -> list[Vector]:
        """Per text float32 (tokens, dimensions), unit rows.

        Special tokens and those beyond the limit are left out; of questions
        only tokens with a letter or digit are kept (unless there are none).
        """
        shapes = self._singles if questions else self._shapes
        prompt = self._question_prompt if questions else self._passage_prompt
        inputs = self._tokenizer.inputs([prompt + text for text in texts])
        result: list[Vector] = [np.zeros((0, self._dimensions), np.float32)] * len(inputs)
        for width, rows, members in shapes.batches([len(one.ids) for one in inputs]):
            _, tokens = self._run([inputs[m].ids for m in members], width, rows)
            for row, member in enumerate(members):
                one = inputs[member]
                kept = (one.words or one.tokens) if questions else one.tokens
                result[member] = _unit(tokens[row, kept])
        return result

    def _sentences(self, texts: Sequence[str], shapes: Shapes) -> Vector:
        inputs = [one.ids for one in self._tokenizer.inputs(texts)]
        result = np.zeros((len(inputs), self._dimensions), np.float32)
        for width, rows, members in shapes.batches([len(ids) for ids in inputs]):
            sentences, _ = self._run([inputs[m] for m in members], width, rows)
            result[members] = _unit(sentences[: len(members)])
        return result

    def _run(self, inputs: Sequence[list[int]], width: int, rows: int) -> tuple[Vector, Vector]:
        import torch

        ids = torch.full((rows, width), self._pad, dtype=torch.long)
        mask = torch.zeros((rows, width), dtype=torch.long)
        for row in range(rows):
            one = inputs[row] if row < len(inputs) else self._filler
            ids[row, : len(one)] = torch.tensor(one)
            mask[row, : len(one)] = 1
        try:
            with self._lock, torch.inference_mode():
                sentences, tokens = self._forward(ids.to(self._machine.device), mask.to(self._machine.device))
                return sentences.float().cpu().numpy(), tokens.float().cpu().numpy()
        except (RuntimeError, MemoryError) as error:     # torch's out-of-memory and kernel errors
            raise ModelDown(
                f"the encoder failed on {len(inputs)} texts: {error}",
                cure="free memory, or set VOUCH_ENCODER__DEVICE=cpu",
            ) from error


def load_encoder(model_dir: Path | None = None, dtype: str = "auto", device: str = "auto") -> FixedShapeEncoder:
    """The encoder of a model folder (None: the default model's), its weights in memory. Raises ModelDown."""
    folder = ModelFolder.open(model_dir)
    machine = Machine.choose(dtype, device)
    tokenizer = load_tokenizer(folder.path)
    # Threads that wait for each other soon sleep instead of spinning. Beside two busy processes on 2 cores a
    # question then takes 9 ms in place of 390, and 16 passages 0.7 s in place of 1.1 to 4; alone it costs nothing
    # measurable. The number is of the OpenMP that comes with torch, which reads it when it loads.
    os.environ.setdefault("GOMP_SPINCOUNT", "3000")
    try:
        import torch

        torch.set_num_threads(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
        kind = {"float32": torch.float32, "bfloat16": torch.bfloat16}[machine.dtype]
        forward, dimensions = (_plain if folder.is_plain else _other)(folder, machine, kind)
    except Exception as error:          # torch, safetensors and the libraries above raise what they like
        raise ModelDown(
            f"the encoder in {folder.path} cannot be loaded on {machine.device}: {error}",
            cure="restore the model folder, or set VOUCH_ENCODER__DEVICE=cpu",
        ) from error
    return FixedShapeEncoder(
        forward, tokenizer, Shapes.of(folder.limit, machine.device), machine,
        fingerprint=encoder_fingerprint(model_dir, dtype, device), dimensions=dimensions,
        prompts=(folder.prompt("document", "passage"), folder.prompt("query", "question")),
        pad=int(folder.json("config.json").get("pad_token_id") or 0),
    )


def _plain(folder: ModelFolder, machine: Machine, dtype: "torch.dtype") -> tuple[Forward, int]:
    from vouch.adapters.bert import Bert

    bert = Bert(folder.path, folder.json("config.json"), dtype, machine.device)
    first_only = folder.pooling == "cls"

    def forward(ids: "torch.Tensor", mask: "torch.Tensor") -> "tuple[torch.Tensor, torch.Tensor]":
        tokens = bert(ids, mask).float()
        if first_only:
            return tokens[:, 0], tokens
        weight = mask.unsqueeze(-1).float()
        return (tokens * weight).sum(1) / weight.sum(1), tokens

    return forward, bert.dimensions


def _other(folder: ModelFolder, machine: Machine, dtype: "torch.dtype") -> tuple[Forward, int]:
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    quiet: Callable[[], None] = logging.disable_progress_bar
    quiet()
    model: Any = SentenceTransformer(
        str(folder.path), device=machine.device, local_files_only=True, trust_remote_code=False,
        model_kwargs={"dtype": dtype, "use_safetensors": True},
    ).eval()

    def forward(ids: "torch.Tensor", mask: "torch.Tensor") -> "tuple[torch.Tensor, torch.Tensor]":
        out = model({"input_ids": ids, "attention_mask": mask})
        return out["sentence_embedding"], out["token_embeddings"]

    return forward, int(model.get_embedding_dimension())


def _unit(vectors: Vector) -> Vector:
    length = np.sqrt(np.einsum("...d,...d->...", vectors, vectors, dtype=np.float32))[..., None]
    return np.ascontiguousarray(vectors / np.maximum(length, 1e-12), dtype=np.float32)
