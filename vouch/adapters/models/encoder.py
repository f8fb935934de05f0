"""The sentence encoder: texts to unit vectors, in passes of fixed form shared by all who ask at once."""

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vouch.adapters.models.batching import ActiveRequests, Batcher
from vouch.adapters.models.folder import ModelFolder, package_versions
from vouch.adapters.models.forward import Encoded, Forward, load_forward
from vouch.adapters.models.passes import Form, Shapes
from vouch.adapters.models.tokenizer import FastTokenizer, load_tokenizer
from vouch.errors import ModelDown

_RULES = 3                              # raise when pooling, attention or anything else here changes a bit
ROWS = "+rows"                          # to the rules of a GPU, whose passes have their own attention
_QUESTIONS = 128                        # whose vectors are remembered while they are being answered
Vector = NDArray[np.float32]


@dataclass(frozen=True)
class Placement:
    """Where and in which numbers a model runs, with `auto` decided without importing torch."""

    device: str
    dtype: str

    @classmethod
    def choose(cls, dtype: str, device: str) -> "Placement":
        """`auto` is cuda where there is a GPU that torch is built for, and bfloat16 there or on a CPU that computes in
        it."""
        place = ("cuda" if _has_gpu() else "cpu") if device == "auto" else device
        if dtype != "auto":
            return cls(place, dtype)
        return cls(place, "bfloat16" if place == "cuda" or _cpu_has_bfloat16() else "float32")


def _has_gpu() -> bool:
    return Path("/dev/nvidia0").exists() and "+cpu" not in package_versions("torch")


def _cpu_has_bfloat16() -> bool:
    flags = _cpu_flags()
    return "avx512_bf16" in flags or "amx_bf16" in flags


def _repeatable() -> str:
    """MKL's name for its fastest way to equal bits wherever the numbers lie, whatever threads share the work."""
    flags = _cpu_flags()
    return "AVX512,STRICT" if "avx512f" in flags else "AVX2,STRICT" if "avx2" in flags else "COMPATIBLE"


def _cpu_flags() -> str:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def encoder_fingerprint(model_dir: Path | None = None, dtype: str = "auto", device: str = "auto") -> str:
    """Equal to `load_encoder(…).fingerprint`, without importing torch."""
    folder = ModelFolder.open(model_dir)
    machine = Placement.choose(dtype, device)
    parts = (
        str(_RULES) + (ROWS if machine.device == "cuda" and folder.is_plain else ""),
        folder.files_digest(), machine.device, machine.dtype, folder.pooling,
        Shapes.of(folder.limit, machine.device, packed=folder.is_plain).fingerprint,
        package_versions("torch", "tokenizers") if folder.is_plain
        else package_versions("torch", "tokenizers", "transformers", "sentence-transformers"),
    )
    return "encoder:" + sha256("\0".join(parts).encode()).hexdigest()[:32]


def encoder_weights(model_dir: Path | None = None) -> str:
    """Which model it is, in whatever number format and on whatever machine; what is learned from it goes by that."""
    return f"weights:{ModelFolder.open(model_dir).files_digest()[:32]}"


def encoder_dimensions(model_dir: Path | None = None) -> int:
    """Equal to `load_encoder(…).dimensions`, read from the model folder without importing torch."""
    return ModelFolder.open(model_dir).dimensions


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as the model gave it (d,), and the unit vectors of its words (words, d)."""

    sentence: Vector
    words: Vector


class FixedShapeEncoder:
    """Implements the Encoder port. Safe to share between threads, whose texts share passes."""

    def __init__(
        self, forward: Forward, tokenizer: FastTokenizer, shapes: Shapes, active: ActiveRequests | None = None,
        *, fingerprint: str, dimensions: int, prompts: tuple[str, str] = ("", ""),
    ) -> None:
        self._batcher = Batcher(_ours(forward), shapes, active)
        self._tokenizer = tokenizer
        self._fingerprint, self._dimensions = fingerprint, dimensions
        self._passage_prompt, self._question_prompt = prompts
        self._lock = threading.Lock()
        self._asked: OrderedDict[str, _Asked] = OrderedDict()

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def forward_passes(self) -> int:
        """How many passes of the model were run so far."""
        return self._batcher.passes

    def forget(self) -> None:
        """No question is remembered."""
        with self._lock:
            self._asked.clear()

    def passages(self, texts: Sequence[str]) -> Vector:
        """float32, shape (len(texts), dimensions), unit rows in the order of `texts`."""
        inputs = self._tokenizer.inputs(texts, self._passage_prompt)
        found = self._batcher.encode([one.ids for one in inputs])
        return self._rows([one.sentence for one in found])

    def questions(self, texts: Sequence[str]) -> Vector:
        """Like `passages`, for questions."""
        return self._rows([one.sentence for one in self._questions(texts)])

    def token_vectors(self, texts: Sequence[str], *, questions: bool = False) -> list[Vector]:
        """Per text float32 (tokens, dimensions), unit rows.

        Special tokens, the prompt and what is beyond the limit are left out; of questions
        only tokens with a letter or digit are kept (unless there are none).
        """
        if questions:
            return [one.words for one in self._questions(texts)]
        inputs = self._tokenizer.inputs(texts, self._passage_prompt)
        found = self._batcher.encode([one.ids for one in inputs])
        return [_unit(given.tokens[one.tokens]) for one, given in zip(inputs, found, strict=True)]

    @property
    def asked_by_one(self) -> bool:
        """Whether nobody else is at work on something that needs it."""
        return self._batcher.members <= 1

    def fitting(self, needed: Sequence[str], likely: Sequence[str]) -> list[str]:
        """Those of `likely`, the first ones first, that find room in the passes that `needed` take anyway.

        A form of pass that `needed` does not take has the room of one.
        """
        sizes = [[len(one.ids) for one in self._tokenizer.inputs(texts, self._passage_prompt)]
                 for texts in (needed, likely)]
        return [likely[n] for n in self._batcher.shapes.fitting(*sizes)]

    def _questions(self, texts: Sequence[str]) -> list[_Asked]:
        """Both kinds of a question's vectors come from one pass, and serve all who score against it meanwhile."""
        with self._lock:
            known = {text: self._asked[text] for text in texts if text in self._asked}
        missing = list(dict.fromkeys(text for text in texts if text not in known))
        inputs = self._tokenizer.inputs(missing, self._question_prompt)
        encodings = self._batcher.encode([model_input.ids for model_input in inputs])
        for text, model_input, encoding in zip(missing, inputs, encodings, strict=True):
            known[text] = _Asked(encoding.sentence, _unit(encoding.tokens[model_input.words or model_input.tokens]))
        with self._lock:
            for text in missing:
                self._asked[text] = known[text]
            while len(self._asked) > _QUESTIONS:
                self._asked.popitem(last=False)
        return [known[text] for text in texts]

    def _rows(self, vectors: Sequence[Vector]) -> Vector:
        return _unit(np.array(vectors, np.float32).reshape(-1, self._dimensions))


def _ours(forward: Forward) -> Forward:
    """`forward` with its failures raised as ModelDown."""

    def guarded(form: Form, inputs: Sequence[Sequence[int]]) -> list[Encoded]:
        try:
            return forward(form, inputs)
        except (RuntimeError, MemoryError) as error:     # torch's out-of-memory and kernel errors
            raise ModelDown(
                f"the encoder failed on {len(inputs)} texts: {error}",
                cure="free memory, or set VOUCH_ENCODER__DEVICE=cpu",
            ) from error

    return guarded


def load_encoder(
    model_dir: Path | None = None, dtype: str = "auto", device: str = "auto", active: ActiveRequests | None = None
) -> FixedShapeEncoder:
    """The encoder of a model folder (None: the default model's), its weights in memory. Raises ModelDown.

    `active`: the threads whose texts are worth waiting for before a pass is run.
    """
    folder = ModelFolder.open(model_dir)
    machine = Placement.choose(dtype, device)
    tokenizer = load_tokenizer(folder.path)
    # Threads that wait for each other soon sleep instead of spinning. Beside two busy processes on 2 cores a
    # question then takes 9 ms in place of 390, and 16 passages 0.7 s in place of 1.1 to 4; alone it costs nothing
    # measurable. The number is of the OpenMP that comes with torch, which reads it when it loads.
    os.environ.setdefault("GOMP_SPINCOUNT", "3000")
    # MKL otherwise picks its way through a product by where the numbers lie in memory, and the last bits with it:
    # seen on an AMD processor, where answers held together differed from those held apart. Read at its first use.
    os.environ.setdefault("MKL_CBWR", _repeatable())
    try:
        import torch

        torch.set_num_threads(_threads())
        kind = {"float32": torch.float32, "bfloat16": torch.bfloat16}[machine.dtype]
        forward, dimensions = load_forward(folder, machine.device, kind, tokenizer.inputs([""])[0].ids)
    except Exception as error:          # torch, safetensors and the libraries above raise what they like
        raise ModelDown(
            f"the encoder in {folder.path} cannot be loaded on {machine.device}: {error}",
            cure="restore the model folder, or set VOUCH_ENCODER__DEVICE=cpu",
        ) from error
    return FixedShapeEncoder(
        forward, tokenizer, Shapes.of(folder.limit, machine.device, packed=folder.is_plain), active,
        fingerprint=encoder_fingerprint(model_dir, dtype, device), dimensions=dimensions,
        prompts=(folder.prompt("document", "passage"), folder.prompt("query", "question")),
    )


def _threads() -> int:
    """As OMP_NUM_THREADS says, for whoever runs several processes on one machine; else as many as it has cores."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(told) if told.isdecimal() and int(told) else cores


def _unit(vectors: Vector) -> Vector:
    length = np.sqrt(np.einsum("...d,...d->...", vectors, vectors, dtype=np.float32))[..., None]
    return np.ascontiguousarray(vectors / np.maximum(length, 1e-12), dtype=np.float32)
