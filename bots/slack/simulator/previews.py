"""Previews of addresses, which Slack shows under a message of an app unless the app says no."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

_ADDRESS = re.compile(r"https?://[^\s<>|)\]\"]+")
_MEDIA = (".gif", ".jpeg", ".jpg", ".mov", ".mp3", ".mp4", ".png", ".svg", ".webp")
_OWN = "slack.com"


@dataclass(frozen=True)
class Previews:
    """What the app said of them; None where it said nothing. Slack then shows those of pictures, sound, and films."""

    links: bool | None = None
    media: bool | None = None

    def off(self) -> bool:
        """Whether the app said no to both."""
        return self.links is False and self.media is False

    def of(self, words: str) -> Iterator[str]:
        """The addresses in a message of which people see one."""
        for url in dict.fromkeys(_ADDRESS.findall(words)):
            address = urlsplit(url)
            if f".{address.hostname}".endswith(f".{_OWN}"):
                continue
            media = address.path.lower().endswith(_MEDIA)
            if (self.media is not False) if media else self.links:
                yield url
