"""What counts as a sign of relevance, and what compares answers over time, by the settings."""

from datetime import date, timedelta

from vouch.adapters.ledger import Ledger
from vouch.learning.drift.drift_look import DriftLook
from vouch.learning.labels.weak_labels import LabelRules
from vouch.settings import Settings


def label_rules(settings: Settings) -> LabelRules:
    chosen = settings.labels
    return LabelRules(
        judged=chosen.judged, cited=chosen.cited, caution=chosen.caution, shown=chosen.shown, up=chosen.up,
        down={name: getattr(chosen, f"down_{name}") for name in ("not_asked", "wrong", "outdated", "other")},
        rephrased=chosen.rephrased, rephrased_share=chosen.rephrased_share,
        rephrased_within=timedelta(minutes=chosen.rephrased_minutes),
        ended=chosen.ended, quiet=timedelta(hours=chosen.ended_hours),
    )  # fmt: skip


def open_drift(settings: Settings, ledger: Ledger) -> DriftLook:
    """It reads nothing before it is called."""
    gaps = settings.gaps
    first_day = date.fromisoformat(gaps.drift_from) if gaps.drift_from else None
    return DriftLook(ledger.past_answers, ledger.measures, gaps.drift_days, first_day, gaps.drift_answers)
