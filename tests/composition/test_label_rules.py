"""What the settings say of labels is what the rules say of themselves."""

from composition.learning import label_rules
from vouch.learning.labels.weak_labels import LabelRules
from vouch.settings import Settings


def test_the_defaults_of_settings_and_rules_are_the_same() -> None:
    assert label_rules(Settings()) == LabelRules()
