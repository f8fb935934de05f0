"""Moments as people read them: the day, and how long ago."""

from datetime import UTC, datetime

from vouch.plurals import count

_DAYS = (("year", 365), ("month", 30), ("day", 1))


def day(moment: str) -> str:
    """Of a moment in ISO 8601: the day and the minute, in UTC; as it stands where it is none."""
    try:
        return datetime.fromisoformat(moment).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    except ValueError:
        return moment


def age(moment: str | None, now: datetime | None = None) -> str:
    """How old something is that changed at a moment in ISO 8601: `changed 2026-01-31, 2 months ago`; empty for None."""
    if not moment:
        return ""
    at = datetime.fromisoformat(moment)
    at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    days = ((now or datetime.now(UTC)).date() - at.date()).days
    unit, size = next((one for one in _DAYS if days >= one[1]), ("day", 1))
    told = f"{count(days // size, unit)} ago" if days > 0 else "today" if days == 0 else ""
    return f"changed {at.date().isoformat()}" + (f", {told}" if told else "")
