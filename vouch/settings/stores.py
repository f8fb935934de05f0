"""Where things are kept: index, vectors, log, ledger, and for how long."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from vouch.settings.base import PLAIN_URL, Group


class EmbeddedLexical(Group):
    kind: Literal["embedded"] = "embedded"
    reference_length: Annotated[float, Field(gt=0, description="Constant BM25 reference length, in terms; part of every manifest.")] = 120.0


class ElasticLexical(Group):
    """BM25 searched by Elasticsearch 9 (elasticsearch.md). May be changed either way at any time: the next ingest writes to the server what it lacks."""

    kind: Literal["elasticsearch"] = "elasticsearch"
    reference_length: Annotated[float, Field(gt=0, description="As with the embedded kind; another value makes another index.")] = 120.0
    url: Annotated[str, Field(pattern=PLAIN_URL, description="Address of the server, without a password or a query in it.")] = "http://127.0.0.1:9200"
    api_key: Annotated[SecretStr, Field(description="Key to log in with; never logged.")] = SecretStr("")
    user: Annotated[str, Field(description="User to log in as, where there is no key.")] = ""
    password: Annotated[SecretStr, Field(description="Password of that user; never logged.")] = SecretStr("")
    ca_file: Annotated[str, Field(description="PEM file of the certificate authorities to trust; empty means those of the system.")] = ""
    index_prefix: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,99}$", description="Index names begin with it. Homes with the same prefix share indices, but no data passes between them.")] = "vouch"
    timeout_seconds: Annotated[float, Field(ge=0.1, le=600, description="Longest wait for one reply, after which the server counts as down.")] = 10.0
    patience_seconds: Annotated[float, Field(ge=0, le=86_400, description="How long a publish waits for a server that is down, before it fails and nothing is published; and how long a purge waits until the server has removed deleted rows from its files (it keeps them for half a minute), before it says that they are left there.")] = 60.0
    bulk_rows: Annotated[int, Field(ge=1, le=10_000, description="Rows in one request that writes.")] = 500
    shards: Annotated[int, Field(ge=1, le=1000, description="Shards of a new index.")] = 1


class FaissVectors(Group):
    """Exact search: what a reader finds depends on nothing but what that reader may see."""

    kind: Literal["faiss"] = "faiss"


class HnswVectors(Group):
    """Approximate search by a graph. **NOT LEAK-FREE**: documents a reader may not see can change what that reader finds (permissions.md). A change of `M` or `EF_CONSTRUCTION`, or of the kind, builds the index again at the next ingest, from vectors computed already."""

    kind: Literal["hnsw"] = "hnsw"
    m: Annotated[int, Field(ge=4, le=128, description="Links of each row in the graph; twice as many on its lowest layer.")] = 32
    ef_construction: Annotated[int, Field(ge=8, le=2000, description="Candidates compared while a row is linked.")] = 100
    ef_search: Annotated[int, Field(ge=1, le=10_000, description="Candidates looked at in a search; at least as many as hits are wanted.")] = 128
    exact_share: Annotated[float, Field(ge=0, le=1, description="Where an audience may see a smaller share of a segment's rows it is searched exactly, as the graph would miss much.")] = 0.2


class ElasticVectors(Group):
    """Search by the Elasticsearch that also searches words: `VOUCH_LEXICAL__KIND` says where it is (elasticsearch.md). Exact, with the hits, scores and order of FAISS, unless `APPROXIMATE` is set. May be changed to `faiss` and back at any time."""

    kind: Literal["elasticsearch"] = "elasticsearch"
    approximate: Annotated[bool, Field(description="Search by graphs where much may be seen. NOT LEAK-FREE: documents a reader may not see can change what that reader finds (permissions.md). A change builds the index again at the next ingest, from vectors computed already.")] = False
    ef_search: Annotated[int, Field(ge=1, le=10_000, description="With graphs, candidates looked at in a search of one shard.")] = 500
    exact_share: Annotated[float, Field(ge=0, le=1, description="With graphs, an audience that may see a smaller share of all rows is searched exactly.")] = 0.2


class EmbeddedLog(Group):
    kind: Literal["embedded"] = "embedded"
    partitions: Annotated[int, Field(ge=1, le=64, description="Partitions per topic of the embedded log.")] = 4
    lease_seconds: Annotated[float, Field(gt=0, description="A reader that stays silent this long loses its partitions.")] = 30.0


class KafkaLog(Group):
    """Topics are created by `vouch doctor --fix`, with the partitions, the replication and the retention of the settings; existing ones are left as they are (servers.md)."""

    kind: Literal["kafka"] = "kafka"
    servers: Annotated[str, Field(min_length=1, description="Brokers to begin with, HOST:PORT, separated by commas.")] = "127.0.0.1:9092"
    topic_prefix: Annotated[str, Field(max_length=100, pattern=r"^[A-Za-z0-9._-]*$", description="Prefix of the names of topics and groups, for installations that share a cluster.")] = ""
    partitions: Annotated[int, Field(ge=1, le=1000, description="Partitions of topics that are created: the most workers that can share them.")] = 8
    replication: Annotated[int, Field(ge=0, le=100, description="Copies of topics that are created; 0 means as many as the brokers are set to.")] = 0
    client_id: Annotated[str, Field(min_length=1, description="How this process is called in the brokers' logs.")] = "vouch"
    instance: Annotated[str, Field(max_length=100, pattern=r"^[A-Za-z0-9._-]*$", description="Name of a static member, different for each worker: a worker that is back within the session gets its partitions again without a rebalance. Empty means none.")] = ""
    session_seconds: Annotated[float, Field(ge=0.5, le=1800, description="A worker that sends no heartbeat for this long loses its partitions.")] = 45.0
    poll_seconds: Annotated[float, Field(ge=1, le=86_400, description="A worker that does not poll the log for this long loses its partitions, too; work on a question does not count, since the log is polled meanwhile.")] = 300.0
    timeout_seconds: Annotated[float, Field(ge=1, le=300, description="Longest wait for an acknowledgement or another reply, after which the log counts as down.")] = 10.0
    tls: Annotated[bool, Field(description="Speak TLS to the brokers and check their certificates and names.")] = False
    tls_ca_file: Annotated[str, Field(description="PEM file of the certificate authorities to trust; empty means those of the system.")] = ""
    tls_cert_file: Annotated[str, Field(description="PEM file of vouch's own certificate, if brokers ask for one.")] = ""
    tls_key_file: Annotated[str, Field(description="PEM file of its key.")] = ""
    tls_key_password: Annotated[SecretStr, Field(description="Password of that key; never logged.")] = SecretStr("")
    sasl_mechanism: Annotated[Literal["", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"], Field(description="How to log in: PLAIN (only with TLS), SCRAM-SHA-256 or SCRAM-SHA-512; empty means not at all.")] = ""
    sasl_user: Annotated[str, Field(description="User to log in as.")] = ""
    sasl_password: Annotated[SecretStr, Field(description="Password of that user; never logged.")] = SecretStr("")


class SqlLedger(Group):
    kind: Literal["sql"] = "sql"
    url: Annotated[str, Field(pattern=r"^([a-z][a-z0-9+]*://.*)?$", description="SQLAlchemy URL of the ledger, as postgresql+psycopg://USER@HOST/DATABASE or sqlite:////FILE; empty means SQLite in the home folder.")] = ""


class IndexSettings(Group):
    keep_versions: Annotated[int, Field(ge=2, description="How many of the newest published versions are kept: at least two, so that a damaged one has something to fall back to.")] = 20
    keep_days: Annotated[float, Field(ge=0, description="Versions younger than this are kept too, and so are the current one and those that somebody has open.")] = 7.0


class RetentionSettings(Group):
    answers_days: Annotated[float, Field(gt=0, description="Older questions and answers are deleted by vouch tidy, with their candidates, votes, labels and hand-overs, judgments made by then, drafts that came to nothing, and messages that could not be handled.")] = 90.0
    log_days: Annotated[float, Field(gt=0, description="Older messages are deleted from the embedded log once all their readers have handled them.")] = 7.0
    inbox_days: Annotated[float, Field(gt=0, description="The ids of answered questions are kept this long, so that a late repeat gets no second answer.")] = 365.0
    evaluations_days: Annotated[float, Field(gt=0, description="Older reports of evaluations are deleted by vouch tidy, but never the newest 20.")] = 365.0
