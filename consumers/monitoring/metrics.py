"""The page that Prometheus reads: what this process counted, and how things stand."""

from collections.abc import Iterable, Iterator

from consumers.monitoring.status import StatusSnapshot
from consumers.monitoring.telemetry import BUCKETS_S, Telemetry

Sample = tuple[str, dict[str, str], float]      # name, labels, value


def page(vitals: Telemetry, look: StatusSnapshot) -> str:
    """Text format 0.0.4."""
    return "".join(
        f"# HELP {name} {text}\n# TYPE {name} {kind}\n" + "".join(map(_line, samples))
        for name, kind, text, samples in _families(vitals, look)
    )


def _families(vitals: Telemetry, look: StatusSnapshot) -> Iterator[tuple[str, str, str, list[Sample]]]:
    yield _family("vouch_up", "gauge", "1 while the machine answers.",
                  (({"machine": m.name}, float(m.up)) for m in look.machines))
    waits = vitals.waiting()
    yield _family("vouch_waiters", "gauge", "Messages and loops of this process that wait for a machine.",
                  (({"machine": w.machine}, float(w.waiters)) for w in waits))
    yield _family("vouch_waiting_since_seconds", "gauge", "When the first of them began to wait, in epoch seconds.",
                  (({"machine": w.machine}, w.since) for w in waits))
    yield _family("vouch_lag", "gauge", "Messages of a partition that its group has not done.",
                  (({"topic": lag.topic, "group": lag.group, "partition": str(lag.partition)}, lag.waiting)
                   for lag in look.lags))
    yield _family("vouch_dead_messages", "gauge", "Messages on the dead topics.",
                  (({"topic": topic}, count) for topic, count in (look.dead or {}).items()))
    yield _family("vouch_outbox", "gauge", "Answers in the outbox, by state.",
                  (({"state": state}, count) for state, count in (look.outbox or {}).items()))
    yield _family("vouch_outbox_oldest_seconds", "gauge", "Age of the oldest answer that waits for its surface.",
                  (({"surface": surface}, age) for surface, (_, age) in (look.unsent or {}).items()))
    if look.version is not None:
        yield _family("vouch_index_version", "gauge", "The current version of the index.", [({}, look.version)])
        yield _family("vouch_index_age_seconds", "gauge", "Time since the current version was begun.",
                      [({}, look.version_age_s or 0.0)])
    if look.held is not None:
        yield _family("vouch_held", "gauge", "1 while a rollback holds ingestion.", [({}, float(bool(look.held)))])
    if look.quarantined is not None:
        yield _family("vouch_quarantined", "gauge", "Documents of the current version that could not be read.",
                      [({}, look.quarantined)])
    for name, text in (("messages", "Messages this process is done with."),
                       ("replies", "What became of answers in the outbox.")):
        yield _family(f"vouch_{name}_total", "counter", text,
                      ((dict(labels), count) for (kind, labels), count in vitals.counts().items() if kind == name))
    yield "vouch_handling_seconds", "histogram", "Time of the attempt that succeeded.", list(_spread(vitals))


def _spread(vitals: Telemetry) -> Iterator[Sample]:
    name = "vouch_handling_seconds"
    for (kind, labels), spread in sorted(vitals.spreads().items()):
        if kind == "handling":
            for bucket in BUCKETS_S:
                yield f"{name}_bucket", {**dict(labels), "le": f"{bucket:g}"}, spread.within[bucket]
            yield f"{name}_bucket", {**dict(labels), "le": "+Inf"}, spread.count
            yield f"{name}_sum", dict(labels), spread.sum_s
            yield f"{name}_count", dict(labels), spread.count


def _family(
    name: str, kind: str, text: str, samples: Iterable[tuple[dict[str, str], float]]
) -> tuple[str, str, str, list[Sample]]:
    return name, kind, text, [(name, labels, float(value)) for labels, value in samples]


def _line(sample: Sample) -> str:
    name, labels, value = sample
    inner = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
    return f"{name}{{{inner}}} {value:.10g}\n" if inner else f"{name} {value:.10g}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
