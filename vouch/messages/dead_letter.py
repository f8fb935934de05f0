"""Why a message lies on a dead topic."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from vouch.errors import BadMessage


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Why a message lies on a dead topic; travels as headers beside the untouched key and value."""

    topic: str
    partition: int
    offset: int
    reason: str
    error: str
    attempts: int
    first_at: str                       # ISO 8601, UTC
    last_at: str

    def headers(self) -> list[tuple[str, bytes]]:
        texts = {f.name: str(getattr(self, f.name)) for f in fields(self)}
        return [(f"vouch-dead-{name}", text.encode(errors="backslashreplace")) for name, text in texts.items()]

    @classmethod
    def read(cls, headers: Sequence[tuple[str, bytes]]) -> "DeadLetter":
        """Raises BadMessage when the headers are not those of a dead letter."""
        found = dict(headers)
        try:
            text = {f.name: found[f"vouch-dead-{f.name}"].decode() for f in fields(cls)}
            numbers = {name: int(text.pop(name)) for name in ("partition", "offset", "attempts")}
        except (KeyError, ValueError) as error:
            raise BadMessage(f"not a dead letter: {error}") from error
        return cls(**text, **numbers)  # type: ignore[arg-type]
