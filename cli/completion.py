"""What the shell can complete: sources, versions, people and groups, documents, purged ones and dead messages.

Completion must never disturb what is being typed: whatever goes wrong, there
are no suggestions.
"""

from collections.abc import Callable, Iterable

from vouch.errors import VouchError

_MOST = 200


def _suggesting(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        try:
            return sorted(name for name in names() if name.startswith(incomplete))[:_MOST]
        except (VouchError, OSError):
            return []

    return complete


def _sources() -> Iterable[str]:
    from cli.wiring.parts import open_parts

    return [row.name for row in open_parts().ledger.sources.list()]


def _versions() -> Iterable[str]:
    from cli.wiring.parts import open_parts

    return [str(row.number) for row in open_parts().ledger.versions.rows() if row.state == "published"]


def _readers() -> Iterable[str]:
    from cli.wiring.parts import open_parts

    directory = open_parts().ledger.access.permissions().directory
    return ["public", *(f"user:{name}" for name in directory.people), *(f"group:{name}" for name in directory.groups)]


def _documents() -> Iterable[str]:
    from cli.wiring.parts import open_parts

    version = open_parts().store.open_current(documents_only=True)
    return [f"{header.source}:{header.path}" for header in version.documents()] if version else []


def _purged() -> Iterable[str]:
    from cli.wiring.parts import open_parts

    return [f"{row.source}:{row.path}" for row in open_parts().ledger.purges.all()]


def _dead() -> Iterable[str]:
    from cli.wiring.log import open_dead

    with open_dead() as letters:
        return [message.name for message in letters.lying(None)]


sources, versions, readers, documents, purged, dead = map(
    _suggesting, (_sources, _versions, _readers, _documents, _purged, _dead)
)
