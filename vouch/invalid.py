"""What pydantic finds wrong with a value, in words for people. The value itself is never repeated."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

_LONGEST = 100                          # characters shown of a field's name
_WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda c: "is missing",
    "extra_forbidden": lambda c: "is not known here",
    "string_too_long": lambda c: f"is longer than {c['max_length']:,} characters",
    "string_too_short": lambda c: "is empty" if c["min_length"] == 1 else f"needs {c['min_length']} characters",
    "too_long": lambda c: f"is longer than {c['max_length']:,}",
    "too_short": lambda c: "is empty" if c["min_length"] == 1 else f"needs at least {c['min_length']}",
    "string_pattern_mismatch": lambda c: "does not have the required form",
    "string_type": lambda c: "must be text",
    "int_type": lambda c: "must be a whole number",
    "int_parsing": lambda c: "must be a whole number",
    "int_from_float": lambda c: "must be a whole number",
    "float_type": lambda c: "must be a number",
    "float_parsing": lambda c: "must be a number",
    "finite_number": lambda c: "must be a finite number",
    "bool_type": lambda c: "must be true or false",
    "bool_parsing": lambda c: "must be true or false",
    "greater_than": lambda c: f"must be more than {c['gt']}",
    "greater_than_equal": lambda c: f"must be {c['ge']} or more",
    "less_than": lambda c: f"must be less than {c['lt']}",
    "less_than_equal": lambda c: f"must be {c['le']} or less",
    "literal_error": lambda c: f"must be {c['expected']}",
    "enum": lambda c: f"must be {c['expected']}",
    "union_tag_invalid": lambda c: f"must be {_or(c['expected_tags'])}",
    "union_tag_not_found": lambda c: f"needs {c['discriminator'].strip(chr(39))}",
    "url_parsing": lambda c: "is not an address",
    "date_from_datetime_parsing": lambda c: "is not a date such as 2026-01-31",
    "date_from_datetime_inexact": lambda c: "is not a date such as 2026-01-31",
    "date_parsing": lambda c: "is not a date such as 2026-01-31",
    "datetime_parsing": lambda c: "is not a date and time",
    "datetime_from_date_parsing": lambda c: "is not a date and time",
    "timezone_aware": lambda c: "needs a time zone",
    "json_invalid": lambda c: "is not JSON",
    "value_error": lambda c: str(c["error"]),
}


def problem(error: Mapping[str, Any]) -> str:
    """One entry of `ValidationError.errors()` in words, without the field's name."""
    words = _WORDS.get(error["type"])
    if words is None:
        return "is of the wrong kind" if error["type"].endswith("_type") else "is not valid"
    return words(error.get("ctx", {}))


def problems(errors: list[Any], most: int = 5) -> str:
    """The first `most` entries, each with the place of its field."""
    return "; ".join(" ".join(filter(None, [_place(e["loc"]), problem(e)])) for e in errors[:most])


def _place(parts: Sequence[Any]) -> str:
    """Names that a file made up may be of any length."""
    return ".".join(str(part)[:_LONGEST] for part in parts)


def _or(tags: str) -> str:
    return " or ".join(tag.strip() for tag in tags.split(","))
