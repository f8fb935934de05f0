"""Formats whose structure shows in their lines: plain text, reStructuredText, AsciiDoc."""
