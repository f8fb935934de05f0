"""What brings the index up to date, and how long things are kept."""

from cli.wiring.settings import command_settings
from flows.machines import Machines
from flows.retention import Retention
from flows.wiring import build_machines, build_retention, need_prefect

__all__ = ["ingest_machines", "need_prefect", "retention"]


def ingest_machines() -> Machines:
    return build_machines()


def retention() -> Retention:
    return build_retention(command_settings())
