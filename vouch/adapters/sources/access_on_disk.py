"""What stands in a source's folder now, by name alone: documents to come, and access files that nobody asks."""

from pathlib import Path, PurePosixPath

from vouch.adapters.ledger import SourceRow
from vouch.adapters.parsers.registry import unread_kind
from vouch.adapters.sources.folder.source import ACCESS_FILE
from vouch.adapters.sources.kinds import kind_of
from vouch.errors import VouchError


def names_on_disk(row: SourceRow) -> tuple[list[str], list[str]]:
    """Paths of documents, and of access files without effect. Nothing where that cannot be seen by looking at names."""
    list_files = kind_of(row).files
    if list_files is None:
        return [], []
    try:
        files = list_files(Path(row.path))
    except VouchError:
        return [], []                   # the ingest says so
    own = {str(Path(row.path) / file) for file in files} & {row.access_path}
    strays = [file for file in stray_access_files(files) if str(Path(row.path) / file) not in own]
    return [file for file in files if not unread_kind(file)], strays


def stray_access_files(paths: list[str]) -> list[str]:
    """Those of `paths` that somebody may take for an access file: named so, in a folder below the source's own."""
    return [path for path in paths if "/" in path and PurePosixPath(path).name == ACCESS_FILE]
