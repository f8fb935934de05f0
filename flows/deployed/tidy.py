"""The tidy flow: flows/runs/retention.py as a task of Prefect, with retries and an artifact."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from prefect import flow, task
from prefect.artifacts import acreate_table_artifact
from prefect.cache_policies import NO_CACHE

from flows.runs.retention import Tidied, tidy_up
from flows.shared.reporting import counts_only
from flows.wiring.ingesting import build_components
from flows.wiring.monitoring import build_retention


@flow(name="tidy", persist_result=False)
async def tidy(dry_run: bool = False) -> dict[str, Any]:
    """Lets go of what is old enough, ends purges that were killed, and sweeps the index; says what was deleted."""
    components, retention = build_components(), build_retention()

    @task(name="tidy up", retries=2, retry_delay_seconds=30, cache_policy=NO_CACHE)
    async def tidy_once() -> Tidied:
        return await asyncio.to_thread(tidy_up, components, retention, datetime.now(UTC), dry_run=dry_run)

    row = (await tidy_once()).row()
    await acreate_table_artifact([counts_only(row)], key="tidy", description="What was deleted")
    return row
