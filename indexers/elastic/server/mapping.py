"""The form of an index in Elasticsearch, its name, and whether one there has that form."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vouch.documents.manifest import Manifest
from vouch.retrieval.bm25 import K1, B

# The score of one term but for its idf, which comes as boost: nothing in it depends on other rows.
_SCORE = """double norm = {k1} * (1 - {b} + {b} * doc.length / {reference});
return query.boost * doc.freq * ({k1} + 1) / (doc.freq + norm);"""
_GRAPH = {
    "index": True, "similarity": "max_inner_product",       # which takes vectors of any length
    "index_options": {"type": "hnsw", "m": 32, "ef_construction": 100},     # as SERVER_GRAPH says
}

MOST_NAMED = 1_000_000                  # rows of one segment that a filter may name by number


@dataclass(frozen=True)
class Vectors:
    """Rows have vectors; without a `graph` they are only ever compared one by one."""

    dimensions: int
    graph: bool


def index_body(reference_length: float, shards: int, vectors: Vectors | None = None) -> dict[str, Any]:
    script = _SCORE.format(k1=K1, b=B, reference=reference_length)
    vector = {} if vectors is None else {"vector": {
        "type": "dense_vector", "dims": vectors.dimensions, **(_GRAPH if vectors.graph else {"index": False})}}
    return {
        "settings": {
            "number_of_shards": shards,
            "auto_expand_replicas": "0-1",
            "refresh_interval": -1,                     # vouch refreshes when it has written
            "max_terms_count": MOST_NAMED,
            "max_result_window": MOST_NAMED,
            "merge.policy.expunge_deletes_allowed": 0,
            "analysis": {"analyzer": {"as_given": {"tokenizer": "blanks"}},
                         "tokenizer": {"blanks": {"type": "whitespace", "max_token_length": 10_000}}},
            "similarity": {"visible_bm25": {"type": "scripted", "script": {"source": script}}},
        },
        "mappings": {
            "dynamic": "strict",
            "properties": {
                "terms": {                              # terms with blanks between them; each is kept as it is
                    "type": "text", "analyzer": "as_given", "similarity": "visible_bm25", "index_options": "freqs",
                },
                "home": {"type": "keyword"},
                "segment": {"type": "keyword"},
                "row": {"type": "integer"},
                "label": {"type": "keyword"},
                "turn": {"type": "long"},               # when it was labeled
                **vector,
            },
        },
    }


def index_name(prefix: str, manifest: Manifest, analyser: str, vectors: Vectors | None = None) -> str:
    """The index of the versions that share analyser, reference length and form with this one."""
    made_by = [manifest.fingerprints.get("analyser", analyser), index_body(manifest.reference_length, 1, vectors)]
    return f"{prefix}-{hashlib.sha256(json.dumps(made_by, sort_keys=True).encode()).hexdigest()[:12]}"


def differs(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The first place where an index, as the server tells it, is not as `wanted`; empty if there is none.

    Compared are fields, analysis and similarity. The rest an administrator may change.
    """
    mappings, settings = found["mappings"], found["settings"]["index"]
    unknown = set(mappings.get("properties", ())) - set(wanted["mappings"]["properties"])
    if unknown:
        return f"mappings.properties.{min(unknown)}"
    ours = {"mappings": wanted["mappings"]} | {name: wanted["settings"][name] for name in ("analysis", "similarity")}
    return ".".join(_place({**settings, "mappings": mappings}, ours) or ())


def _place(found: Any, wanted: Any) -> tuple[str, ...] | None:
    """The keys that lead to the first value of `wanted` that `found` has not. Numbers and truth come as words."""
    if not isinstance(wanted, Mapping):
        return None if str(found).lower() == str(wanted).lower() else ()
    for key, value in wanted.items():
        below = _place(found.get(key) if isinstance(found, Mapping) else None, value)
        if below is not None:
            return (str(key), *below)
    return None
