"""What compares the answers of now with those of a reference, by the settings."""

from vouch.adapters.ledger import Ledger
from vouch.learning.drift_look import DriftLook
from vouch.settings import Settings


def open_drift(settings: Settings, ledger: Ledger) -> DriftLook:
    """It reads nothing before it is called."""
    gaps = settings.gaps
    return DriftLook(ledger.history, ledger.measures, gaps.drift_days, gaps.drift_from or None, gaps.drift_answers)
