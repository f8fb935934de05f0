"""Training a T5 evaluator as the paper of Corrective RAG does: regression to +1 and -1, with its figures as defaults.

Besides the paper: pairs held out choose the best state, and end the run where
none of some looks is better.
"""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import mse_loss

from vouch.adapters.models.encoder import Placement
from vouch.adapters.models.scorers.t5 import CARD, T5Pairs, is_t5, read_pairs
from vouch.batches import batches
from vouch.errors import BadInput, ModelDown, Usage
from vouch.learning.collections.labeled import JudgedPair, Row, row_of
from vouch.learning.statistics.metrics import auc

BATCH, EPOCHS, RATE, CLIP = 12, 8, 1e-4, 1.0
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "spiece.model")
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class T5Plan:
    """`steps` 0: so many that each pair is seen `EPOCHS` times."""

    steps: int = 0
    seed: int = 0
    batch: int = BATCH
    rate: float = RATE
    look_every: int = 100
    patience: int = 8

    def of(self, pairs: int) -> int:
        return self.steps or EPOCHS * -(-pairs // self.batch)


def train_t5(
    base: Path, pairs: Sequence[JudgedPair], held_out: Sequence[JudgedPair], out: Path, plan: T5Plan, place: Placement,
    card: dict[str, Any], progress: Progress,
) -> dict[str, Any]:
    """Afterwards `out` is the folder of the best state; what is told of it.

    Raises Usage for a `base` that is no T5, BadInput for pairs of one label, ModelDown for weights that do not load.
    """
    if not is_t5(base):
        raise Usage(f"{base} holds no T5", cure="give the folder of a T5 checkpoint of Hugging Face, with safetensors")
    if len({pair.answers for pair in pairs}) < 2 or len({pair.answers for pair in held_out}) < 2:
        raise BadInput("an evaluator learns from passages that answer and from others that do not",
                       cure="give pairs of both labels, of several groups")
    run = _Run(base, pairs, held_out, plan, place)
    run.learn(progress)
    figures = {"steps": run.steps, "held_out_auc": round(run.best, 4)}
    _save(run.model, base, out, {"kind": "t5 evaluator", "plan": asdict(plan), **card, **figures})
    return figures


class _Run:
    def __init__(
        self, base: Path, pairs: Sequence[JudgedPair], held_out: Sequence[JudgedPair], plan: T5Plan, place: Placement
    ) -> None:
        torch.manual_seed(plan.seed)
        self.model: Any = _load(base).to(place.device)
        self._tokens = read_pairs(base)
        self._rows = [row_of(pair) for pair in pairs]
        self._labels = [1.0 if pair.answers else -1.0 for pair in pairs]
        self._held_rows = [row_of(pair) for pair in held_out]
        self._held_labels = np.array([float(pair.answers) for pair in held_out])
        self._plan, self._device = plan, place.device
        self.best, self.steps, self._best_step = float("-inf"), 0, 0
        self._kept: dict[str, Tensor] = {}

    def learn(self, progress: Progress) -> None:
        total = self._plan.of(len(self._rows))
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=self._plan.rate)
        falling = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1.0 - step / total))
        while self.steps < total and self.steps - self._best_step <= self._plan.patience * self._plan.look_every:
            progress("train", self.steps, total)
            self._step(optimizer)
            falling.step()
            self.steps += 1
            if self.steps % self._plan.look_every == 0 or self.steps == total:
                self._look()
        self.model.load_state_dict(self._kept)

    def _step(self, optimizer: torch.optim.Optimizer) -> None:
        self.model.train()
        drawn = self._drawn(self.steps)
        target = torch.tensor([self._labels[n] for n in drawn], device=self._device)
        loss = mse_loss(self._scores([self._rows[n] for n in drawn]), target)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        optimizer.step()

    def _drawn(self, step: int) -> list[int]:
        """Each epoch goes through all pairs once, in an order of its own."""
        steps = -(-len(self._rows) // self._plan.batch)
        epoch, place = divmod(step, steps)
        order = np.random.default_rng([self._plan.seed, epoch]).permutation(len(self._rows))
        return [int(n) for n in order[place * self._plan.batch : (place + 1) * self._plan.batch]]

    def _look(self) -> None:
        self.model.eval()
        with torch.inference_mode():
            found = [self._scores(some).cpu() for some in batches(self._held_rows, self._plan.batch)]
        reached = auc(self._held_labels, torch.cat(found).double().numpy())
        if not reached <= self.best:
            self.best, self._best_step = reached, self.steps
            self._kept = {name: one.detach().cpu().clone() for name, one in self.model.state_dict().items()}

    def _scores(self, rows: Sequence[Row]) -> Tensor:
        ids, mask = _padded(self._tokens, rows, self.model.config.pad_token_id)
        given = {"input_ids": ids.to(self._device), "attention_mask": mask.to(self._device)}
        found: Tensor = self.model(**given).logits[:, 0].float()
        return found


def _padded(tokens: T5Pairs, rows: Sequence[Row], padding: int) -> tuple[Tensor, Tensor]:
    encoded = tokens.encode_batch(rows)
    widest = max(len(one.ids) for one in encoded)
    ids = [one.ids + [padding] * (widest - len(one.ids)) for one in encoded]
    mask = [one.attention_mask + [0] * (widest - len(one.ids)) for one in encoded]
    return torch.tensor(ids), torch.tensor(mask)


def _load(base: Path) -> Any:
    from transformers import AutoModelForSequenceClassification
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]     # vouch has its own
    try:
        return AutoModelForSequenceClassification.from_pretrained(
            str(base), local_files_only=True, trust_remote_code=False, use_safetensors=True, num_labels=1,
            ignore_mismatched_sizes=True, dtype=torch.float32,
        )
    except Exception as error:          # torch, safetensors and transformers raise what they like
        raise ModelDown(f"the T5 in {base} cannot be loaded: {error}",
                        cure="give a folder with its safetensors") from error


def _save(model: Any, base: Path, out: Path, card: dict[str, Any]) -> None:
    """Written beside and moved there whole."""
    beside = out.with_name(out.name + ".new")
    shutil.rmtree(beside, ignore_errors=True)
    model.save_pretrained(str(beside), safe_serialization=True)
    for name in _TOKENIZER:
        if (base / name).is_file():
            shutil.copyfile(base / name, beside / name)
    (beside / CARD).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    if out.exists():
        shutil.rmtree(out)
    beside.rename(out)
