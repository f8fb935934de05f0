"""What a benchmark prints: Markdown tables for benchmarks/NOTES.md, a verdict in each line that has a bound."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np


@dataclass
class Report:
    """Tables printed as they come; `end` exits with 1 if a line failed its bound."""

    title: str
    failed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        load = f"load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
        print(f"\n## {self.title}\n\n`{' '.join(['python', *sys.argv])}`, "
              f"{datetime.now(UTC):%Y-%m-%d}, {len(os.sched_getaffinity(0))} cores, {load}.", flush=True)

    def table(self, headings: Sequence[str]) -> None:
        print(f"\n| {' | '.join(headings)} |\n|{'---|' * len(headings)}", flush=True)

    def line(self, *cells: object, checks: Sequence[bool] = ()) -> None:
        """A line of the table; with `checks`, its last cell says whether all of them hold."""
        verdict = [] if not checks else ["PASS" if all(checks) else "FAIL"]
        print(f"| {' | '.join([*map(str, cells), *verdict])} |", flush=True)
        if checks and not all(checks):
            self.failed.append(f"{self.title}: {cells[0]}")

    def end(self) -> None:
        print("\n" + (f"FAIL: {'; '.join(self.failed)}" if self.failed else "PASS"))
        sys.exit(1 if self.failed else 0)


def p50(values: Sequence[float]) -> float:
    return float(np.quantile(values, 0.5))


def p95(values: Sequence[float]) -> float:
    return float(np.quantile(values, 0.95))
