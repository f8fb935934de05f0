"""What groups of settings share."""

from datetime import date

from pydantic import BaseModel, ConfigDict

PLAIN_URL = r"^https?://[^\s/@?#]+(/[^\s@?#]*)?$"        # addresses are logged: no password, no key in a query
HOME = "~/.vouch"


def day(text: str) -> str:
    """Itself, if it is empty or a day."""
    try:
        date.fromisoformat(text or "2026-01-01")
    except ValueError:
        raise ValueError("it must be a day, as 2026-11-02") from None
    return text


class Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
