"""How questions are searched and answered: depths, deadlines, steps, the web, the worker."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from vouch.settings.base import PLAIN_URL, Group


class RetrievalSettings(Group):
    top: Annotated[int, Field(ge=1, le=1000, description="Hits taken from each engine.")] = 100
    rrf_k: Annotated[int, Field(ge=1, description="Constant of reciprocal rank fusion.")] = 60
    rerank: Annotated[int, Field(ge=1, le=200, description="Candidates given to the reranker.")] = 20
    engines: Annotated[float, Field(ge=0, le=10, description="What the score of each engine, words and meaning, counts beside the reranker's in the final order. 0: the reranker alone decides.")] = 0.25
    list_top: Annotated[int, Field(ge=1, le=10_000, description="Hits taken from each engine for a question that asks for a list.")] = 1000
    list_rerank: Annotated[int, Field(ge=1, le=1000, description="Candidates given to the reranker for such a question; the best of each document come first.")] = 100


class AnsweringSettings(Group):
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


class StepsSettings(Group):
    """What a question may cost that takes several steps (steps.md)."""

    by_default: Annotated[int, Field(ge=0, le=8, description="Further steps of a question whose asker says nothing of them, where one search does not settle it; 0: none. While it is more, `VOUCH_SWAPS__RATE` counts for nothing.")] = 0
    steps: Annotated[int, Field(ge=0, le=8, description="Most further steps of one question in the documents, and as many on the web, whatever its asker allows; 0: none is ever taken.")] = 8
    searches: Annotated[int, Field(ge=0, le=8, description="Most searches among them.")] = 8
    seconds: Annotated[float, Field(ge=0, le=300, description="Time that they may take in all, with the judging of what they find.")] = 20.0
    tool_seconds: Annotated[float, Field(gt=0, le=300, description="Time that one search may take, and one order of a planner.")] = 8.0
    open_seconds: Annotated[float, Field(gt=0, le=300, description="Time that opening a passage or a document may take.")] = 4.0
    web_searches: Annotated[int, Field(ge=0, le=8, description="Most further searches of the web for a question that takes steps, where it goes to the web at all (web.md).")] = 2
    web_seconds: Annotated[float, Field(ge=0, le=300, description="Time that these may take in all, whatever the deadline of the question.")] = 15.0
    planner: Annotated[Literal["rules", "language-model"], Field(description="What orders the steps: rules, or the language model of `VOUCH_WRITER`, with the rules where it does not (language-models.md).")] = "rules"
    tokens: Annotated[int, Field(ge=0, description="Once all calls of language models for an answer have used so many tokens, the rules order its steps.")] = 20_000


class WorkerSettings(Group):
    hold: Annotated[int, Field(ge=1, le=256, description="Messages a worker handles at once; the models take the questions among them in batches.")] = 16
    stall_seconds: Annotated[float, Field(ge=1, le=3600, description="If no Python code ran in a worker or sender for this long, since one call blocks the interpreter, the process ends, so that it can be restarted (operations.md).")] = 20.0
    surfaces: Annotated[str, Field(description="Surfaces that other processes serve, separated by commas. Questions from surfaces that nobody serves go to the dead topic.")] = ""


class WebSettings(Group):
    """Whether the web is asked where the documents hold no clear answer, and for whom (web.md)."""

    engine: Annotated[Literal["none", "searxng", "brave", "serper", "tavily"], Field(description="Search service that is sent words of the question; none: the web is never asked.")] = "none"
    url: Annotated[str, Field(pattern=rf"{PLAIN_URL}|^$", description="Address of the search service, without a key in it; empty: its own, where it has one.")] = ""
    api_key: Annotated[SecretStr, Field(description="Key for the search service; never logged.")] = SecretStr("")
    words: Annotated[Literal["rules", "language-model"], Field(description="What chooses the words that the search service is sent, from the question alone: rules, or the language model of `VOUCH_WRITER`, with the rules where it does not answer within half of `VOUCH_WEB__SECONDS`.")] = "rules"
    readers: Annotated[str, Field(description="Tags of access, separated by commas: everybody who will see the answer must hold one of them, or the web is not asked. Empty means nobody.")] = "public"
    surfaces: Annotated[str, Field(description="Surfaces whose questions may go to the web, separated by commas; empty means all.")] = ""
    allowed_hosts: Annotated[str, Field(description="Hosts that pages may be fetched from, separated by commas, with all below them; empty means all of the public internet.")] = ""
    blocked_hosts: Annotated[str, Field(description="Hosts that pages are never fetched from, separated by commas, with all below them.")] = ""
    pages: Annotated[int, Field(ge=1, le=10, description="Pages read for one question.")] = 5
    passages: Annotated[int, Field(ge=1, le=20, description="Passages of these pages that an answer may be made from.")] = 5
    seconds: Annotated[float, Field(gt=0, le=100, description="Time that search, its words, pages and reading may take in all for one question; what has not come by then is left out.")] = 15.0
    page_seconds: Annotated[float, Field(gt=0, le=60, description="Time that one page may take, redirects and robots.txt included.")] = 10.0
    page_bytes: Annotated[int, Field(ge=10_000, le=20_000_000, description="Larger pages are refused.")] = 2_000_000
    cache_minutes: Annotated[float, Field(ge=0, le=1440, description="How long addresses and pages are kept in memory.")] = 60.0
    test_loopback: Annotated[str, Field(pattern=r"^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}:\d{1,5})?$", description="For tests only: one address and port of this machine, such as 127.0.0.1:8080, that pages may be fetched from.")] = ""
