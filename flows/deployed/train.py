"""The train flow: the training of flows/training/retraining.py with Prefect's tasks and an artifact around it."""

from datetime import UTC, datetime
from typing import Any

from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact

from flows.deployed.tasks import as_task
from flows.shared.reporting import Progress
from flows.training.kept_searches import RESUMING
from flows.training.whole_training import train_and_advance
from flows.wiring.training import build_registrar, build_training, training_seed
from vouch.errors import NothingToLearn
from vouch.learning.training.training_report import markdown


@flow(name="train", persist_result=False)
def train() -> dict[str, Any]:
    """Learns a fusion from the labels there are, registers it, and lets it shadow; says what became of it.

    Without anything to learn from, which the run's log says, what shadows is still looked after; whatever else fails
    fails the run.
    """
    whole = train_and_advance(build_training(), build_registrar(), training_seed(), datetime.now(UTC),
                              progress=_note_resumed(), perform=as_task)
    done, after = whole.trained, whole.after
    if isinstance(whole.outcome, NothingToLearn):
        get_run_logger().info("nothing was trained: %s", whole.outcome.cause)
    if after.unfit:
        get_run_logger().warning("the candidate does not shadow: %s", after.unfit)
    if done is not None:
        page = markdown(done.model.name, done.model.report, [])
        create_markdown_artifact(page, key="train", description="A training from labels, in numbers")
    return {**({"name": done.model.name, "state": done.model.state, "new": done.new} if done else {}), **after.row()}


def _note_resumed() -> Progress:
    """The run's log says once what is not searched again."""
    told = set[str]()

    def tell(stage: str, done: int, total: int) -> None:
        if stage.startswith(RESUMING) and stage not in told:
            told.add(stage)
            get_run_logger().info(stage)

    return tell
