"""Drift as JSON."""

from typing import Any

from vouch.learning.drift.drift_look import Drift, Standing
from vouch.learning.drift.stability import Share


def drift_row(drift: Drift) -> dict[str, Any]:
    """As JSON; the most shifted number first."""
    columns = sorted(drift.columns.items(), key=lambda item: (-item[1].psi, item[0]))
    return {
        "recent": _standing_row(drift.recent),
        "reference": None if drift.reference is None else _standing_row(drift.reference),
        "why_not": drift.why_not,
        "columns": [
            {"name": name, "psi": round(one.psi, 4), "noise": round(one.noise, 4), "shifted": one.shifted}
            for name, one in columns
        ],
    }


def _standing_row(standing: Standing) -> dict[str, Any]:
    return {
        "what": standing.period.what, "from": standing.period.since.isoformat(),
        "until": standing.period.until.isoformat(), "declined": _share_row(standing.declined),
        "up": _share_row(standing.up),
    }  # fmt: skip


def _share_row(share: Share) -> dict[str, Any]:
    return {"count": share.count, "of": share.of, "low": round(share.low, 4), "high": round(share.high, 4)}
