"""The form of an index in Elasticsearch: fields, similarity, and the name that changes with either."""

import hashlib
import json
from typing import Any

from indexers.elastic.selection import MOST_NAMED
from indexers.postings import K1, B
from vouch.documents.manifest import Manifest

# The score of one term but for its idf, which comes as boost: nothing in it depends on other rows.
_SCORE = """double norm = {k1} * (1 - {b} + {b} * doc.length / {reference});
return query.boost * doc.freq * ({k1} + 1) / (doc.freq + norm);"""


def index_body(reference_length: float, shards: int, dimensions: int = 0) -> dict[str, Any]:
    """With `dimensions`, rows have vectors of so many, to be compared one by one: no graph is made of them."""
    script = _SCORE.format(k1=K1, b=B, reference=reference_length)
    vector = {"vector": {"type": "dense_vector", "dims": dimensions, "index": False}} if dimensions else {}
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
                "turn": {"type": "long"},               # when it was labelled
                **vector,
            },
        },
    }


def index_name(prefix: str, manifest: Manifest, analyser: str, dimensions: int = 0) -> str:
    """The index of the versions that share analyser, reference length and form with this one."""
    made_by = [manifest.fingerprints.get("analyser", analyser), index_body(manifest.reference_length, 1, dimensions)]
    return f"{prefix}-{hashlib.sha256(json.dumps(made_by, sort_keys=True).encode()).hexdigest()[:12]}"
