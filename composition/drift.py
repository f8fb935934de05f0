"""What compares the answers of now with those of a reference, by the settings."""

from datetime import date

from vouch.adapters.ledger import Ledger
from vouch.learning.drift.drift_look import DriftLook
from vouch.settings import Settings


def open_drift(settings: Settings, ledger: Ledger) -> DriftLook:
    """It reads nothing before it is called."""
    gaps = settings.gaps
    first_day = date.fromisoformat(gaps.drift_from) if gaps.drift_from else None
    return DriftLook(ledger.past_answers, ledger.measures, gaps.drift_days, first_day, gaps.drift_answers)
