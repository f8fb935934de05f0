"""The failures of an Elasticsearch, in our words."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from vouch.errors import IndexDown

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
