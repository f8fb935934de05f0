"""The web, if the settings allow it: which service finds pages, what is fetched, and for whom."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from composition.models import model_folder, tokenizer
from vouch.access import Label, parse_tag
from vouch.adapters.web.search_service import SearchService
from vouch.correction.components import Outside
from vouch.errors import BadInput, Usage
from vouch.ports.models import Analyser, Reranker
from vouch.retrieval.question.query import web_query
from vouch.settings import Settings
from vouch.settings.answering import WebSettings

Words = Callable[[str], str]


def open_outside(
    settings: Settings, reranker: Reranker, count_tokens: Callable[[str], int], analyser: Analyser,
    clock: Callable[[], datetime], words: Callable[[Words], Words] = lambda rules: rules,
) -> Outside | None:  # fmt: skip
    """None where the web is off. Connects to nothing and starts nothing. Raises Usage for settings that do not fit.

    `words`: what chooses those that are searched for, given the rules that do otherwise.
    """
    chosen = settings.web
    service = search_service(chosen)
    if service is None:
        return None
    from vouch.adapters.web.guard.fetcher import Fetcher, FetchLimits
    from vouch.adapters.web.guard.policy import HostRules
    from vouch.adapters.web.knowledge import PageReader, WebKnowledge, WebLimits

    rules = HostRules(_hosts(chosen.allowed_hosts), _hosts(chosen.blocked_hosts), test_loopback=_loopback(chosen))
    chunking = settings.chunking
    knowledge = WebKnowledge(
        words(partial(web_query, analyser=analyser, pieces=count_tokens)),
        service,
        Fetcher(rules, FetchLimits(chosen.page_seconds, chosen.page_bytes), clock),
        PageReader(tokenizer(settings), model_folder(settings), size=chunking.tokens, overlap=chunking.overlap),
        reranker,
        analyser,
        WebLimits(chosen.pages, chosen.seconds, chosen.cache_minutes * 60),
    )
    surfaces = frozenset(_named(chosen.surfaces))
    return Outside(knowledge, readers(chosen), surfaces or None, chosen.passages)


def check_outside(chosen: WebSettings) -> None:
    """Raises Usage for settings that do not fit."""
    search_service(chosen)
    readers(chosen)


def search_service(chosen: WebSettings) -> SearchService | None:
    """The one of the settings, None where the web is off. Raises Usage."""
    if chosen.engine == "none":
        return None
    return SearchService(chosen.engine, chosen.url, chosen.api_key.get_secret_value())


def readers(chosen: WebSettings) -> Label:
    """Whom the web serves. Raises Usage for a tag that is none."""
    try:
        return Label(frozenset(parse_tag(tag) for tag in _named(chosen.readers)))
    except BadInput as error:
        raise Usage(f"VOUCH_WEB__READERS: {error.cause}", cure="write tags such as public or group:staff") from error


def _hosts(names: str) -> frozenset[str]:
    return frozenset(name.lower().removeprefix("*.").strip(".") for name in _named(names))


def _named(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _loopback(chosen: WebSettings) -> tuple[str, int] | None:
    host, _, port = chosen.test_loopback.partition(":")
    return (host, int(port)) if port else None
