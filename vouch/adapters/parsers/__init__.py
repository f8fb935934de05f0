"""Files become text and blocks here; nothing is imported before a file of its kind is met."""

from vouch.adapters.parsers.registry import DocumentParser, parse, parser_for

__all__ = ["DocumentParser", "parse", "parser_for"]
