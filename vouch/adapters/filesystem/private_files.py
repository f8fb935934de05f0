"""Files for their owner alone."""

import os
from pathlib import Path


def replace_private(file: Path, text: str) -> None:
    """Written whole, or what was there is left; nobody else could read it at any moment. Raises OSError."""
    draft = file.with_name(f".{file.name}.new")
    draft.unlink(missing_ok=True)       # one that a killed run left may be open to others, or a link
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as to:
        to.write(text)
    draft.replace(file)
