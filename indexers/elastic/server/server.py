"""One Elasticsearch, and all it is asked."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from typing import Any, TypeVar

from indexers.elastic.server.client import BUSY, CURE, ElasticOptions, ServerDown, asking, open_client, refused
from indexers.elastic.server.mapping import differs
from vouch.errors import IndexDown

_LOGGER = logging.getLogger("vouch.indexers")
_ITEM_TRIES, _FIRST_PAUSE_S, _LONGEST_PAUSE_S = 10, 0.1, 5.0
_WRITING_S = 60.0
_CONFLICT = 409
_SLICES, _BULKS = 2, 4                  # of a labeling: parts at once, and requests' worth of rows per round
_LABEL = """ctx._source.label = params.labels[params.of[String.valueOf(ctx._source.row)]];
ctx._source.turn = params.turn"""
T = TypeVar("T")


class ElasticServer:
    """Safe to share between threads. Every method raises IndexDown where the server does not do as asked."""

    def __init__(self, options: ElasticOptions) -> None:
        self.options = options
        self._asking = partial(asking, options.url)
        self._trusted: set[str] = set()

    @cached_property
    def _client(self) -> Any:
        return open_client(self.options)

    def version(self) -> str:
        with self._asking("tell its version"):
            return str(self._client.info()["version"]["number"])

    def search(self, index: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The reply of every shard; a part of it is a failure."""
        with self._asking("search"):
            reply = self._client.search(index=index, allow_partial_search_results=False, **body).body
        if reply["timed_out"] or reply["_shards"]["failed"]:
            raise ServerDown("Elasticsearch gave only a part of its answer", cure=CURE)
        return reply  # type: ignore[no-any-return]

    def write(self, index: str, rows: Iterable[tuple[str, dict[str, Any]]]) -> list[str]:
        """Every row is there; those named in the answer were there already, and stay as they were.

        Single ones are sent again, with growing pauses, where the server was busy.
        """
        from elasticsearch.helpers import streaming_bulk

        there = []
        actions = ({"_op_type": "create", "_index": index, "_id": name, "_source": row} for name, row in rows)
        with self._asking("write rows"):
            for done, result in streaming_bulk(
                self._client.options(request_timeout=max(self.options.timeout_seconds, _WRITING_S)), actions,
                chunk_size=self.options.bulk_rows, raise_on_error=False, max_retries=_ITEM_TRIES,
                initial_backoff=_FIRST_PAUSE_S, max_backoff=_LONGEST_PAUSE_S, retry_on_status=BUSY,
            ):
                item = next(iter(result.values()))
                if item.get("status") == _CONFLICT:
                    there.append(str(item["_id"]))
                elif not done:
                    raise refused(item)
        return there

    def label(self, index: str, segment: str, labels: Mapping[int, str], turn: int) -> int:
        """The rows of `segment` have the `labels` given by number, refreshed; how many of them are there.

        Rows that were labeled at this `turn` or a later one are left as they are and not counted.
        """
        names = {label: n for n, label in enumerate(dict.fromkeys(labels.values()))}
        of = {str(row): names[label] for row, label in labels.items()}
        script = {"source": _LABEL, "params": {"labels": list(names), "of": of, "turn": turn}}
        query = {"bool": {"filter": [
            {"term": {"segment": segment}}, {"terms": {"row": list(labels)}}, {"range": {"turn": {"lt": turn}}},
        ]}}
        count = 0
        # Sent once: a repetition would not count what the first one, whose reply was lost, has labeled.
        patient = self._client.options(request_timeout=max(self.options.timeout_seconds, _WRITING_S), max_retries=0)
        for _ in range(_ITEM_TRIES):
            with self._asking("label rows"):
                reply = patient.update_by_query(index=index, query=query, script=script, conflicts="proceed",
                                                refresh=True, slices=_SLICES,
                                                scroll_size=_BULKS * self.options.bulk_rows)
            if reply["failures"]:
                raise refused({"status": reply["failures"][0].get("status"),
                               "error": reply["failures"][0].get("cause") or reply["failures"][0].get("reason")})
            count += int(reply["updated"])
            if not reply["version_conflicts"]:
                return count
        raise ServerDown("other requests change the same rows of Elasticsearch", cure=CURE)

    def refresh(self, index: str) -> None:
        """What was acknowledged is found from now on."""
        with self._asking("refresh"):
            reply = self._client.options(request_timeout=self._long).indices.refresh(index=index)
        if reply["_shards"]["failed"]:
            raise ServerDown("Elasticsearch could not refresh every shard", cure=CURE)

    def delete(self, index: str, query: Mapping[str, Any]) -> int:
        """How many rows were deleted."""
        with self._asking("delete rows"):
            reply = self._client.options(request_timeout=self._long).delete_by_query(
                index=index, query=query, conflicts="proceed", refresh=True, ignore_unavailable=True)
        if reply["failures"]:
            raise ServerDown(f"Elasticsearch could not delete {len(reply['failures'])} rows", cure=CURE)
        return int(reply["deleted"])

    def merge_deleted(self, index: str) -> int:
        """How many deleted rows still lie in its files after it merged those that hold any.

        It keeps them for half a minute, whatever it is asked, so patience is needed.
        """
        end = time.monotonic() + self.options.patience_seconds
        while True:
            with self._asking("merge"):
                patient = self._client.options(request_timeout=self._long).indices
                patient.flush(index=index, force=True)
                patient.forcemerge(index=index, only_expunge_deletes=True)
                patient.refresh(index=index)
                deleted = int(patient.stats(index=index, metric="docs")["_all"]["total"]["docs"]["deleted"])
            if not deleted or time.monotonic() > end:
                return deleted
            time.sleep(2)

    def indices(self, pattern: str) -> dict[str, list[str]]:
        """The indices that a name of this pattern leads to, and by which other names."""
        with self._asking("list its indices"):
            found = self._client.indices.get(index=pattern, features="aliases").body
        return {name: sorted(found[name]["aliases"]) for name in sorted(found)}

    def trust(self, name: str, body: Mapping[str, Any]) -> None:
        """The index is of this form, or not there. Looked at once; after that only `make_index` looks again."""
        if name not in self._trusted:
            self._look(name, body)

    def _look(self, name: str, body: Mapping[str, Any]) -> bool:
        """Whether it is there. Raises IndexDown if it is one that vouch would not have made."""
        with self._asking(f"tell the form of {name}"):
            indices = self._client.indices.get(index=name, ignore_unavailable=True).body
        if not indices:
            return False
        if name not in indices:
            raise IndexDown(f"{name} is an alias of the index {', '.join(indices)}", cure="remove the alias and ingest")
        if difference := differs(indices[name], body):
            raise IndexDown(
                f"the index {name} is not of the form that vouch gives it: {difference}",
                cure="delete it; vouch ingest, or a running worker, creates and fills it again",
            )
        self._trusted.add(name)
        return True

    def make_index(self, name: str, body: Mapping[str, Any]) -> None:
        """The index is there, and of this form; so is a template, so that no write could ever make it in another."""
        from elasticsearch import ApiError

        if self._look(name, body):
            return
        with self._asking(f"make the index {name}"):
            try:
                self._client.indices.put_index_template(
                    name=name, index_patterns=[name], priority=500, template=body)
            except ApiError as error:
                if error.status_code != 403:        # who may not write templates may still make the index
                    raise
            try:
                self._client.indices.create(index=name, **body, wait_for_active_shards=1)
            except ApiError as error:
                if error.error != "resource_already_exists_exception":
                    raise

    def patiently(self, work: Callable[[], T]) -> T:
        """What `work` gives, begun anew while the server is away, as long as patience lasts."""
        end = time.monotonic() + self.options.patience_seconds
        pause = _FIRST_PAUSE_S
        while True:
            try:
                return work()
            except ServerDown as error:
                if time.monotonic() + pause > end:
                    raise
                _LOGGER.warning("%s; trying again", error.cause)
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    @property
    def _long(self) -> float:
        return max(self.options.timeout_seconds, 300.0)
