"""Fetch: a known model by name, once; afterwards nothing is asked of the network."""

from pathlib import Path

from vouch.adapters.models.fetching.convert import convert
from vouch.adapters.models.fetching.download import Progress, download
from vouch.adapters.models.fetching.known import KNOWN, fetched_folder
from vouch.errors import NotFound, Unavailable


def fetch(name: str, home: Path, repository: str, progress: Progress) -> tuple[Path, bool]:
    """The model's folder, and whether it was there already. Raises NotFound for a name that is not known."""
    model = KNOWN.get(name)
    if model is None:
        raise NotFound(f"no model {name} is known", cure=f"known are: {', '.join(sorted(KNOWN))}")
    folder = fetched_folder(home, name)
    if folder.is_dir():
        return folder, True
    archive = folder.with_name(f"{name}.jar")
    try:
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        if not archive.is_file():
            download(f"{repository.rstrip('/')}/{model.archive}", archive, model.sha256, model.size, progress)
        progress("converting", 0, 0)
        convert(archive, model, folder)
        archive.unlink()
    except OSError as error:
        raise Unavailable(f"{folder} cannot be written: {error}", cure="free disk space, and run it again") from error
    return folder, False
