"""How an Elasticsearch is reached."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

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
