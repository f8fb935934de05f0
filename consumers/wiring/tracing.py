"""Where the spans of a process go."""

from typing import TYPE_CHECKING

from vouch.extras import need
from vouch.settings import Settings

if TYPE_CHECKING:
    from vouch.adapters.observability.otlp import Traces


def build_traces(settings: Settings, role: str) -> "Traces | None":
    """None where no collector is named: nothing of OpenTelemetry is loaded then."""
    if not settings.tracing.endpoint:
        return None
    need("tracing", "VOUCH_TRACING__ENDPOINT")
    from vouch.adapters.observability.otlp import Traces

    return Traces(settings.tracing.endpoint, f"vouch-{role}")
