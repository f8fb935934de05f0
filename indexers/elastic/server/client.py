"""How an Elasticsearch is reached, its failures in our words, and where rows were ever sent."""

import contextlib
import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from indexers.storage import make_folder, replace_file
from vouch.errors import IndexDown

_NONE = SecretStr("")


@dataclass(frozen=True)
class ElasticOptions:
    """`patience_seconds`: so long a publish waits for a server that is away, and a purge for files that are merged."""

    url: str
    api_key: SecretStr = _NONE
    user: str = ""
    password: SecretStr = _NONE
    ca_file: str = ""
    index_prefix: str = "vouch"
    timeout_seconds: float = 10.0
    patience_seconds: float = 60.0
    bulk_rows: int = 500
    shards: int = 1


def open_client(options: ElasticOptions) -> Any:
    """The library's client, which connects when it is first asked. Raises IndexDown for options it cannot use."""
    from elasticsearch import Elasticsearch

    chosen: dict[str, Any] = {"request_timeout": options.timeout_seconds, "max_retries": 1}
    if key := options.api_key.get_secret_value():
        chosen["api_key"] = key
    elif options.user:
        chosen["basic_auth"] = (options.user, options.password.get_secret_value())
    if options.ca_file:
        if not Path(options.ca_file).is_file():
            raise IndexDown(f"{options.ca_file} is not a file", cure="set VOUCH_LEXICAL__CA_FILE")
        chosen["ca_certs"] = options.ca_file
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)      # what fails is raised, in our words
    try:
        return Elasticsearch(options.url, **chosen)
    except (ValueError, OSError) as error:
        raise IndexDown(f"{options.url} cannot be used: {error}", cure="docs/settings.md, lexical") from error


BUSY = (429, 502, 503, 504)
CURE = "start it, or check VOUCH_LEXICAL__URL; vouch doctor says whether it answers"


class ServerDown(IndexDown):
    """It does not answer, or says that it is too busy: the same request may succeed later."""


@contextlib.contextmanager
def asking(where: str, what: str) -> Iterator[None]:
    """In it, what the library raises becomes IndexDown or Away: the server at `where` did not do `what`."""
    from elasticsearch import ApiError, TransportError, UnsupportedProductError

    try:
        yield
    except UnsupportedProductError as error:
        raise IndexDown(f"{where} is not an Elasticsearch server", cure="set VOUCH_LEXICAL__URL") from error
    except ApiError as error:
        cause = f"Elasticsearch at {where} did not {what}: {error.status_code} {error.error or ''}".rstrip()
        if error.status_code in BUSY:
            raise ServerDown(cause, cure=CURE) from error
        if error.error == "media_type_header_exception":
            raise IndexDown(f"{where} is an older Elasticsearch", cure="use Elasticsearch 9") from error
        cure = {
            401: "check VOUCH_LEXICAL__API_KEY or USER and PASSWORD",
            403: "give vouch's user rights on the indices of its prefix",
            404: "vouch ingest writes what is missing there",
        }.get(error.status_code, "its log says more")
        raise IndexDown(cause, cure=cure) from error
    except TransportError as error:
        raise ServerDown(f"Elasticsearch at {where} did not {what}: {type(error).__name__}", cure=CURE) from error


def refused(item: Mapping[str, Any]) -> IndexDown:
    """What to raise for one row that was not taken."""
    kind = ServerDown if item.get("status") in BUSY else IndexDown
    reason = item.get("error") or {}
    told = reason.get("type", "") if isinstance(reason, dict) else str(reason)
    return kind(f"Elasticsearch refused a row: {item.get('status')} {told}", cure="its log says more")


class KnownServers:
    """One small file for each, so that processes that use different ones lose nothing of one another's."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "lexical"

    def add(self, url: str, prefix: str) -> None:
        """To be called before rows are sent there."""
        if not (file := self._file(url, prefix)).exists():
            make_folder(self._folder)
            replace_file(file, json.dumps([url, prefix]).encode())

    def others(self, url: str, prefix: str) -> Iterator[str]:
        """In words, each place but this one, and what ends its being named."""
        for file in sorted(self._folder.glob("used.*.json")):
            if file != self._file(url, prefix):
                there, other = json.loads(file.read_bytes())
                yield (f"rows of this home were sent to the indices {other}-* of {there} before, and nobody was asked "
                       f"there: delete them, then {file}")

    def _file(self, url: str, prefix: str) -> Path:
        digest = hashlib.sha256(json.dumps([url, prefix]).encode()).hexdigest()
        return self._folder / f"used.{digest[:12]}.json"
