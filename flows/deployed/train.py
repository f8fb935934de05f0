"""The train flow: the training of flows/training/retraining.py with Prefect's tasks and an artifact around it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from prefect import State, Task, flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import TaskRun

from flows.shared.reporting import Progress
from flows.training.kept_searches import RESUMING
from flows.training.promotion import advance
from flows.training.retraining import Trained, TrainingComponents
from flows.training.retraining import train as train_from_labels
from flows.wiring import build_registrar, build_training, training_seed
from vouch.errors import NothingToLearn, Unavailable
from vouch.learning.training.training_report import markdown

T = TypeVar("T")


def _machine_was_away(task: Task[..., Any], run: TaskRun, state: State[Any]) -> bool:
    """Only an outage is worth another try."""
    return isinstance(state.result(raise_on_failure=False), Unavailable)


def as_task(name: str, work: Callable[[], T]) -> T:
    """A step of the training is done as a task of the flow, up to three times while a machine is away."""

    @task(name=name, retries=2, retry_delay_seconds=2, retry_condition_fn=_machine_was_away, cache_policy=NO_CACHE,
          persist_result=False)
    def piece() -> T:
        return work()

    return piece()


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
