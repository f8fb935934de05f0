"""How things stand, as JSON values."""

from typing import Any

from consumers.monitoring.status import StatusSnapshot


def status_row(look: StatusSnapshot, processes: list[dict[str, Any]]) -> dict[str, Any]:
    """Null stands for what could not be read, as its machine is down."""
    return {
        "machines": [{"name": m.name, "up": m.up, "found": m.found, "cure": m.cure} for m in look.machines],
        "version": look.version,
        "version_age_seconds": look.version_age_s,
        "held": look.held,
        "put_back": list(look.put_back),
        "quarantined": look.quarantined,
        "lag": None if look.dead is None else lag_by_topic(look),
        "outbox": look.outbox,
        "unsent": None if look.unsent is None else {
            surface: {"answers": waiting, "oldest_seconds": age, "served": surface not in look.unserved}
            for surface, (waiting, age) in look.unsent.items()
        },
        "dead": look.dead,
        "processes": processes,
    }


def lag_by_topic(look: StatusSnapshot) -> dict[str, dict[str, Any]]:
    """Topic → its group, how much waits, and how much of that on each partition."""
    lags: dict[str, dict[str, Any]] = {}
    for lag in look.lags:
        row = lags.setdefault(lag.topic, {"group": lag.group, "waiting": 0, "partitions": {}})
        row["waiting"] += lag.waiting
        row["partitions"][str(lag.partition)] = lag.waiting
    return lags
