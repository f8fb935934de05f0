"""Every setting of vouch: a name, a default and a sentence. docs/settings.md lists them; a test compares."""

from vouch.settings.reading import Settings, read_settings

__all__ = ["Settings", "read_settings"]
