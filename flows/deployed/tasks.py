"""Pieces of a flow as tasks of Prefect, tried again while a machine is away."""

from collections.abc import Callable
from typing import Any, TypeVar

from prefect import State, Task, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import TaskRun

from vouch.errors import Unavailable

T = TypeVar("T")


def _machine_was_away(task: Task[..., Any], run: TaskRun, state: State[Any]) -> bool:
    """Only an outage is worth another try; bad input and guards would fail again."""
    return isinstance(state.result(raise_on_failure=False), Unavailable)


def as_task(name: str, work: Callable[[], T]) -> T:
    """The piece of work is done as a task of the flow, up to three times while a machine is away."""

    @task(name=name, retries=2, retry_delay_seconds=2, retry_condition_fn=_machine_was_away, cache_policy=NO_CACHE,
          persist_result=False)
    def piece() -> T:
        return work()

    return piece()
