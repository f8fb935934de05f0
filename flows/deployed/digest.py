"""The digest flow: flows/monitoring/digest.py as a task of Prefect, with retries and an artifact."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from prefect import flow, task
from prefect.artifacts import acreate_table_artifact
from prefect.cache_policies import NO_CACHE

from flows.monitoring.digest import Told, tell_owners
from flows.wiring.monitoring import build_gap_components, build_owners

_WHAT = "How much the owners were told, and how many of them. The digest is in the home: reports/"


@flow(name="digest", persist_result=False)
async def digest() -> dict[str, Any]:
    """Writes the day's digest into the home's reports/, and leaves a message for each owner; the bot posts it.

    Artifact and result are numbers alone.
    """
    components, owners = build_gap_components(), build_owners()

    @task(name="tell owners", retries=2, retry_delay_seconds=60, cache_policy=NO_CACHE, persist_result=False)
    async def tell() -> Told:
        return await asyncio.to_thread(tell_owners, components, owners, datetime.now(UTC))

    row = (await tell()).numbers()
    await acreate_table_artifact([row], key="digest", description=_WHAT)
    return row
