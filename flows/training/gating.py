"""The gates for a fusion out of a file, or fitted on one: those of a training from labels that need no labels."""

from flows.shared.progress import Progress
from flows.training.retraining import TrainingComponents, golden_lists, world_differences
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.promotion.gates import GATES_OF_FILES, Gate, golden_gate, refusal, two_worlds_gate, weights_gate
from vouch.learning.training.retraining import golden_gain


def gated(components: TrainingComponents, model: FusionModel, progress: Progress) -> tuple[FusionModel, list[Gate]]:
    """The model, refused where a gate is not passed, and what each gate found; no gate looks at one that is refused.

    Raises BadInput or Usage for golden questions that cannot be read.
    """
    if model.refused:
        return model, []
    golden = golden_lists(components, progress)
    current = components.current()
    gates = [
        golden_gate(golden_gain(model.terms, current.terms if current else None, golden), len(golden)),
        weights_gate(model),
        two_worlds_gate(*world_differences(components, model, progress)),
    ]
    return model.model_copy(update={"refused": refusal(gates, GATES_OF_FILES)}), gates
