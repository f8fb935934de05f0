"""The gaps flow: flows/monitoring/gap_report.py as a task of Prefect, with retries and an artifact."""

import asyncio
from datetime import UTC, datetime
from functools import partial
from typing import Any

from prefect import flow, task
from prefect.artifacts import acreate_table_artifact
from prefect.cache_policies import NO_CACHE

from flows.monitoring.gap_report import Written, write_report
from flows.wiring.monitoring import build_drift, build_gap_components, build_retention

_WHAT = "How many gaps there are, and how many scores and features have shifted. The report is in the home: reports/"


@flow(name="gaps", persist_result=False)
async def gaps(readers: list[str] | None = None) -> dict[str, Any]:
    """Writes what people do not find into the home's reports/; documents as far as `readers` may read, or the public.

    Artifact and result are numbers alone.
    """
    components = build_gap_components()
    work = partial(write_report, components, build_drift(components.ledger), build_retention().reports,
                   tags=readers or [])

    @task(name="find gaps", retries=2, retry_delay_seconds=60, cache_policy=NO_CACHE, persist_result=False)
    async def find() -> Written:
        return await asyncio.to_thread(work, datetime.now(UTC))

    row = (await find()).numbers()
    await acreate_table_artifact([row], key="gaps", description=_WHAT)
    return row
