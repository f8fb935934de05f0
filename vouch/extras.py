"""Packages that only some settings need: who lacks them is told which extra of vouch brings them."""

from importlib.util import find_spec

from vouch.errors import Usage

PACKAGES = {
    "elastic": ("elasticsearch",),
    "http": ("fastapi", "uvicorn", "jinja2", "joserfc", "authlib", "python_multipart"),
    "kafka": ("kafka", "crc32c"),
    "mcp": ("mcp",),
    "openai": ("openai",),
    "postgres": ("psycopg",),
    "prefect": ("prefect", "prefect_dask"),
    "slack": ("slack_bolt", "slack_sdk", "websockets"),
    "tracing": ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"),
}
"""The extras of pyproject.toml, and what is imported of each. None of it is imported here."""


def require(extra: str, what: str) -> None:
    """Raises Usage if packages that `what` needs are not installed."""
    missing = [name for name in PACKAGES[extra] if not _is_there(name)]
    if missing:
        raise Usage(f"{what} needs packages that are not installed: {', '.join(missing)}",
                    cure=f'pip install "vouch[{extra}]"')


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:         # what it is a part of is missing
        return False
