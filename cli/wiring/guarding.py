"""What compares the models that serve with those before them."""

from contextlib import closing
from datetime import UTC, datetime

from cli.wiring.settings import command_settings
from flows.monitoring import model_guard
from flows.wiring import build_guard


def check_models() -> list[model_guard.Checked]:
    """Puts a former model back where the settings say so."""
    ledger, shipped, limits, fits, owners = build_guard(command_settings())
    with closing(ledger):
        return model_guard.check_models(ledger, shipped, limits, datetime.now(UTC), fits, owners)
