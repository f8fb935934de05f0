"""The guard flow: flows/monitoring/model_guard.py as a task of Prefect, with retries and an artifact."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from prefect import flow, get_run_logger, task
from prefect.artifacts import acreate_table_artifact
from prefect.cache_policies import NO_CACHE

from flows.monitoring.model_guard import Checked, check_models
from flows.wiring.monitoring import build_guard


@flow(name="guard models", persist_result=False)
async def guard_models() -> list[dict[str, Any]]:
    """Puts the former model back where the one that serves is worse; says how each figure of both models stands."""
    guard = build_guard()

    @task(name="check models", retries=2, retry_delay_seconds=30, cache_policy=NO_CACHE)
    async def check() -> list[Checked]:
        return await asyncio.to_thread(check_models, guard, datetime.now(UTC))

    checked_models = await check()
    for checked in checked_models:
        (get_run_logger().warning if checked.outcome in ("worse", "put back") else get_run_logger().info)(checked.told)
    table = [
        {"model": checked.model, "outcome": checked.outcome, **limit}
        for checked in checked_models for limit in checked.row()["limits"]
    ]  # fmt: skip
    await acreate_table_artifact(table, key="guard-models", description="Figures of the models that serve")
    return [checked.row() for checked in checked_models]
