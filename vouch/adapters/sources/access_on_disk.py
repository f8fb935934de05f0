"""What stands in a source's folder now, by name alone: documents to come, and access files that nobody asks."""

from pathlib import Path, PurePosixPath

from vouch.adapters.parsers.registry import unread_kind
from vouch.adapters.sources.folder.source import ACCESS_FILE
from vouch.adapters.sources.folder.walk import list_folder, open_root
from vouch.errors import VouchError


def names_on_disk(kind: str, path: str, access_path: str | None) -> tuple[list[str], list[str]]:
    """Paths of documents, and of access files without effect. Nothing where that cannot be seen by looking at names."""
    if kind != "folder":
        return [], []
    try:
        with open_root(Path(path)) as root:
            files = sorted(list_folder(root).files)
    except VouchError:
        return [], []                   # the ingest says so
    own = {str(Path(path) / file) for file in files} & {access_path}
    strays = [file for file in stray_access_files(files) if str(Path(path) / file) not in own]
    return [file for file in files if not unread_kind(file)], strays


def stray_access_files(paths: list[str]) -> list[str]:
    """Those of `paths` that somebody may take for an access file: named so, in a folder below the source's own."""
    return [path for path in paths if "/" in path and PurePosixPath(path).name == ACCESS_FILE]
