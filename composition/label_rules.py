"""What counts how much as a sign of relevance, by the settings."""

from datetime import timedelta

from vouch.learning.labels.label_rules import LabelRules
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
