"""The train flow: the training of flows/training/retraining.py with Prefect's tasks and an artifact around it."""

from datetime import UTC, datetime
from typing import Any

from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact

from flows.deployed.tasks import as_task
from flows.shared.reporting import Progress
from flows.training.kept_searches import RESUMING
from flows.training.promotion import advance
from flows.training.retraining import Trained, TrainingComponents
from flows.training.retraining import train as train_from_labels
from flows.wiring.training import build_registrar, build_training, training_seed
from vouch.errors import NothingToLearn
from vouch.learning.training.training_report import markdown


@flow(name="train", persist_result=False)
def train() -> dict[str, Any]:
    """Learns a fusion from the labels there are, registers it, and lets it shadow; says what became of it.

    Without anything to learn from, what shadows is still looked after.
    """
    now = datetime.now(UTC)
    components, registrar = build_training(), build_registrar()
    done = _trained(components, now)
    candidate = done.model if done else None
    after = as_task("shadow and promote", lambda: advance(registrar, candidate, now))
    if after.unfit:
        get_run_logger().warning("the candidate does not shadow: %s", after.unfit)
    if done is not None:
        page = markdown(done.model.name, done.model.report, [])
        create_markdown_artifact(page, key="train", description="A training from labels, in numbers")
    return {**({"name": done.model.name, "state": done.model.state, "new": done.new} if done else {}), **after.row()}


def _trained(components: TrainingComponents, now: datetime) -> Trained | None:
    """None where there is nothing to learn from yet, which the run's log says; whatever else fails fails the run."""
    try:
        return train_from_labels(components, training_seed(), now, progress=_note_resumed(), perform=as_task)
    except NothingToLearn as nothing:
        get_run_logger().info("nothing was trained: %s", nothing.cause)
        return None


def _note_resumed() -> Progress:
    """The run's log says once what is not searched again."""
    told = set[str]()

    def tell(stage: str, done: int, total: int) -> None:
        if stage.startswith(RESUMING) and stage not in told:
            told.add(stage)
            get_run_logger().info(stage)

    return tell
