"""What must be true of a home after whatever was done to the servers around it."""

from pathlib import Path

from indexers.publishing.index_store import IndexStore


def whole(store: IndexStore, home: Path) -> bool:
    """The current version is sound, and the sweep leaves no folder that no version names."""
    store.sweep()
    current = store.versions.current()
    assert current is not None
    named = {
        entry.id
        for row in store.versions.rows() if row.state == "published"
        for entry in (*store.manifest(row.number).segments, *store.manifest(row.number).parts)
    }  # fmt: skip
    there = {path.name for kind in ("segments", "parts") for path in (home / kind).iterdir()}
    return store.verify(current) == [] and there == named
