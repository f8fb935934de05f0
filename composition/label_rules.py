"""What counts how much as a sign of relevance, by the settings."""

from datetime import timedelta

from vouch.learning.labels.label_rules import LabelRules
from vouch.settings import Settings


def label_rules(settings: Settings) -> LabelRules:

    chosen = settings.labels
    down = {name: getattr(chosen, f"down_{name}") for name in ("not_asked", "wrong", "outdated", "other")}
    return LabelRules(
        chosen.judged, chosen.cited, chosen.caution, chosen.shown, chosen.up, down, chosen.rephrased,
        chosen.rephrased_share, timedelta(minutes=chosen.rephrased_minutes), chosen.ended,
        timedelta(hours=chosen.ended_hours),
    )  # fmt: skip


