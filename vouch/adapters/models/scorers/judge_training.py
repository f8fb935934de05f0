"""Training a judge from the encoder that comes with vouch, on a CPU in hours or on a GPU in minutes.

The six layers are trained whole, the embeddings stay. Learning rates rise for
a while, then fall linearly to nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from vouch.adapters.models.encoder import Placement
from vouch.adapters.models.folder import ModelFolder, default_model_dir
from vouch.adapters.models.scorers.joint import JointBert, read_bert
from vouch.adapters.models.scorers.joint_rows import AT_ONCE, drawn_tokens, given, score
from vouch.adapters.models.scorers.judge import load_judge, save_judge
from vouch.adapters.models.scorers.judge_loss import drop, loss_of
from vouch.batches import batches
from vouch.errors import Damaged, Usage
from vouch.learning.collections.labeled import Batches, Drawn, JudgedPair, Row, row_of
from vouch.learning.statistics.logistic import fit
from vouch.learning.statistics.metrics import auc

_FIRST = 300                            # rows that the figures are weighted by before the first step
_LAYERS, _HEADS = 8e-5, 1e-3            # learning rates
_DECAY, _CLIP = 0.01, 1.0
_WORKERS = 3                            # processes that make the rows of a GPU's steps
_SAVE_S = 60.0                          # what an interruption loses at most


@dataclass(frozen=True, slots=True)
class Plan:
    """The held-out AUC is taken each `look_every` steps. The best state wins; `patience` looks without one end it.

    A step has `batches` of 32 rows; the learning rate of the layers grows with the root of their number.
    `dropout`: of what each layer adds, the share that a step leaves out.
    """

    steps: int = 600
    seed: int = 0
    batches: int = 1
    dropout: float = 0.0
    warm_up: int = 100
    look_every: int = 100
    patience: int = 4


Progress = Callable[[str, int, int], None]
# Ids, types and mask, each (rows, tokens of the longest), and (rows, 2) tokens of the words that answer.
Tokens = tuple[Tensor, Tensor, Tensor, Tensor]


class JudgeTraining:
    """A run that can be left and gone on with: its whole state is in one file beside the result."""

    def __init__(
        self, batches: Batches, held_out: Sequence[JudgedPair], plan: Plan, place: Placement, data: object = None
    ) -> None:
        """`data` names what the pairs were read from, in plain values."""
        torch.manual_seed(plan.seed)
        self._of = {"plan": asdict(plan), "data": data, "base": ModelFolder.open(None).files_digest(),
                    "place": [place.device, place.dtype]}
        self._batches, self._held_out, self._plan, self._place = batches, held_out, plan, place
        self.model = JointBert(read_bert(default_model_dir())).to(place.device).eval()
        if plan.dropout:                # takes four times as long on a CPU
            drop(self.model.bert, plan.dropout)
        self.model.bert.embeddings.requires_grad_(False)
        heads = [p for name, p in self.model.named_parameters() if not name.startswith("bert.")]
        layers = [p for p in self.model.bert.parameters() if p.requires_grad]
        self._optimizer = torch.optim.AdamW(
            [{"params": layers, "lr": _LAYERS * plan.batches**0.5}, {"params": heads, "lr": _HEADS}],
            weight_decay=_DECAY)
        self._rate = torch.optim.lr_scheduler.LambdaLR(self._optimizer, self._share)
        self.step, self.best, self._best_step = 0, float("-inf"), 0
        self._best: dict[str, Tensor] = {}
        self._saved = monotonic()

    def run(self, state: Path, progress: Progress) -> None:
        """Afterwards `model` is the best state seen. Raises Usage if `state` is of another run, or Damaged."""
        if state.exists():
            self._resume(state)
        else:
            self._warm_heads()
            self._look(state)
        for read, labels in self._steps():
            progress("train", self.step, self._plan.steps)
            self._learn(read, labels)
            self.step += 1
            if self.step % self._plan.look_every == 0 or self.step == self._plan.steps:
                self._look(state)
            elif monotonic() - self._saved > _SAVE_S:
                self._save(state)
        self.model.load_state_dict(self._best)

    def _steps(self) -> Iterator[tuple[Tokens, Tensor]]:
        """From the step that is next, made beside the training where a GPU would wait for them."""
        steps = Steps(self._batches, self._plan, self.step)
        workers = _WORKERS if self._place.device != "cpu" else 0
        for step in DataLoader(steps, batch_size=None, num_workers=workers, pin_memory=workers > 0):
            if self._is_over():
                return
            yield step

    def _learn(self, read: Tokens, labels: Tensor) -> None:
        here = [each.to(self._place.device, non_blocking=True) for each in (*read, labels)]
        torch.manual_seed(self._plan.seed + self.step)      # what is dropped is the same after an interruption
        with self._numbers():
            loss = loss_of(self.model, *here, twins=self._batches.has_twins)
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), _CLIP)
        self._optimizer.step()
        self._rate.step()

    def _warm_heads(self) -> None:
        """The figures get the weights of a logistic regression, on the scale of the rows it saw."""
        rows: list[Row] = []
        labels: list[float] = []
        while len(rows) < _FIRST:
            more = self._batches.draw(self._plan.steps * self._plan.batches + len(rows))    # others than the steps have
            rows, labels = [*rows, *more.rows], [*labels, *more.labels]
        with torch.inference_mode():
            figures = torch.cat([self.model.read(*given(some, self._place.device))[0].cpu()
                                 for some in batches(rows, AT_ONCE)])
            scale = torch.stack([figures.mean(0), figures.std(0) + 1e-6])
            weights = fit(((figures - scale[0]) / scale[1]).double().numpy(), np.array(labels), l2=1.0)
        with torch.no_grad():
            self.model.scale.copy_(scale)
            self.model.figures.weight.copy_(torch.tensor(weights[None, :-1]))
            self.model.figures.bias.copy_(torch.tensor(weights[-1:]))

    def _look(self, state: Path) -> None:
        """Takes the AUC, and saves."""
        labels = np.array([float(pair.answers) for pair in self._held_out])
        found = auc(labels, score(self.model, [row_of(pair) for pair in self._held_out]))
        if not found <= self.best:
            self.best, self._best_step = found, self.step
            self._best = {name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()}
        self._save(state)

    def _save(self, state: Path) -> None:
        """All that is needed to go on from here."""
        kept = {"of": self._of, "step": self.step, "best": self.best, "best_step": self._best_step,
                "model": self.model.state_dict(), "best_model": self._best,
                "optimizer": self._optimizer.state_dict(), "rate": self._rate.state_dict()}
        new = state.with_name(state.name + ".new")
        torch.save(kept, new)
        new.replace(state)
        self._saved = monotonic()

    def _resume(self, state: Path) -> None:
        try:
            checkpoint: dict[str, Any] = torch.load(state, map_location=self._place.device, weights_only=True)
        except Exception as error:      # torch and pickle raise what they like
            raise Damaged(f"{state} cannot be read: {error}", cure="delete it; then the run begins anew") from error
        if checkpoint["of"] != self._of:
            raise Usage(f"{state} is of a run with other options or pairs",
                        cure=f"use those of that run, or delete {state}")
        self.model.load_state_dict(checkpoint["model"])
        self._optimizer.load_state_dict(checkpoint["optimizer"])
        self._rate.load_state_dict(checkpoint["rate"])
        self.step, self.best, self._best_step = checkpoint["step"], checkpoint["best"], checkpoint["best_step"]
        self._best = checkpoint["best_model"]

    def _is_over(self) -> bool:
        return self.step - self._best_step >= self._plan.patience * self._plan.look_every

    def _share(self, step: int) -> float:
        """Of the learning rates, at a step."""
        rise = min(self._plan.warm_up, self._plan.steps // 4)
        if step < rise:
            return (step + 1) / rise
        return max(0.0, (self._plan.steps - step) / max(1, self._plan.steps - rise))

    def _numbers(self) -> Any:
        """On a GPU in bfloat16. On CPUs too where they compute in it."""
        half = self._place.dtype == "bfloat16"
        return torch.autocast(self._place.device, torch.bfloat16) if half else nullcontext()


class Steps(Dataset[tuple[Tokens, Tensor]]):
    """Tokens and labels of each step that is left."""

    def __init__(self, batches: Batches, plan: Plan, begun: int) -> None:
        self._batches, self._plan, self._begun = batches, plan, begun

    def __len__(self) -> int:
        return self._plan.steps - self._begun

    def __getitem__(self, index: int) -> tuple[Tokens, Tensor]:
        first = (self._begun + index) * self._plan.batches
        drawn = sum((self._batches.draw(first + n) for n in range(self._plan.batches)), Drawn((), (), ()))
        return drawn_tokens(drawn), torch.tensor(drawn.labels)


def train_judge(
    train: Sequence[JudgedPair], held_out: Sequence[JudgedPair], out: Path, plan: Plan, place: Placement,
    card: dict[str, Any], progress: Progress, tested: Callable[[JointBert], dict[str, Any]] = lambda model: {},
) -> dict[str, Any]:
    """What `tested` says of the judge as it is read back from `out`, which its card holds too.

    A run that was interrupted is resumed, even in its test.

    Raises BadInput for pairs that teach nothing, Usage for the rest of another run, Damaged for one that is unreadable.
    """
    state = out.with_name(out.name + ".partial")
    run = JudgeTraining(Batches(train, plan.seed), held_out, plan, place, card.get("data"))
    run.run(state, progress)
    full_card = {**card, "plan": asdict(plan), "steps": run.step, "held_out_auc": round(run.best, 4)}
    save_judge(run.model, out, full_card)
    figures = tested(load_judge(out).to(place.device))
    save_judge(run.model, out, {**full_card, "figures": figures})
    state.unlink()
    return figures
