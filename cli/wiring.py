"""Builds what the command works with. The one place of this room that reads settings."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.progress import Progress
from vouch.settings import Settings, read_settings

if TYPE_CHECKING:
    from cli.finder import Finder
    from cli.notices import Notices
    from cli.parts import Parts
    from consumers.dead_letters import DeadLetters
    from consumers.desk import Desk
    from consumers.process import Process
    from consumers.standing import Standing
    from flows.machines import Machines
    from flows.retention import Retention
    from vouch.adapters.ledger import SourceRow
    from vouch.learning.judged_lists import Machines as Learning
    from vouch.ports.watch import Watch


def _settings() -> Settings:
    """The settings; log lines go to standard error from the level they name on."""
    from vouch.adapters.log_lines import write_log_lines

    settings = read_settings()
    write_log_lines(settings.log_level, settings.log_format)
    return settings


def home_folder() -> Path:
    from vouch.adapters.home import open_home

    return open_home(_settings().home)


def migrated_ledger() -> tuple[str, str]:
    """(where the ledger lies, its revision), once its tables are those this vouch knows."""
    from vouch.adapters.home import open_home
    from vouch.adapters.ledger import open_ledger
    from vouch.adapters.ledger.schema import HEAD

    settings = _settings()
    with closing(open_ledger(settings.ledger.url or open_home(settings.home) / "ledger.sqlite")) as ledger:
        return ledger.name, HEAD


def open_parts() -> "Parts":
    """Ledger, index store and permissions; no model."""
    from cli.parts import Parts
    from indexers.lexical import lexical_engine
    from indexers.publish import IndexStore, Keep
    from vouch.adapters.access_watch import WatchedPermissions
    from vouch.adapters.analyser import SnowballAnalyser
    from vouch.adapters.home import open_home
    from vouch.adapters.ledger import open_ledger

    settings = _settings()
    home = open_home(settings.home)
    ledger = open_ledger(settings.ledger.url or home / "ledger.sqlite")
    watched = WatchedPermissions(ledger.sources, ledger.access, watch=settings.access.watch)
    keep = Keep(settings.index.keep_versions, settings.index.keep_days)
    analyser = SnowballAnalyser()
    lexical = lexical_engine(settings.lexical.model_dump(), settings.vectors.model_dump(), home, analyser, watched)
    store = IndexStore(home, ledger.versions, analyser, settings.lexical.reference_length, keep, lexical)
    return Parts(home, ledger, store, watched)


def ingest_machines() -> "Machines":
    from flows.wiring import build_machines

    return build_machines()


def retention() -> "Retention":
    from flows.wiring import build_retention

    return build_retention(_settings())


def open_search() -> "Finder":
    """Search over the current version; the encoder is loaded only if a query needs it."""
    from cli.finder import Finder
    from flows.wiring import encoder_settings, graph_search, load_later
    from indexers.reader import LiveIndex
    from vouch.adapters.analyser import SnowballAnalyser
    from vouch.adapters.encoder import encoder_fingerprint

    settings = _settings()
    parts = open_parts()
    return Finder(
        index=LiveIndex(parts.store, parts.watched, encoder=encoder_fingerprint(*encoder_settings(settings)),
                        graphs=graph_search(settings)),
        watched=parts.watched,
        analyser=SnowballAnalyser(),
        encoder=load_later(settings),
        top=settings.retrieval.top,
        rrf_k=settings.retrieval.rrf_k,
    )


@contextmanager
def open_desk() -> Iterator["Desk"]:
    """A desk that asks and, if no worker does, answers. Closed at the end, whatever happens."""
    from consumers.wiring.desk import build_desk

    with closing(build_desk(_settings())) as desk:
        yield desk


@contextmanager
def open_worker(*, ingests: bool, sends: bool) -> Iterator["Process"]:
    from consumers.wiring.processes import build_worker
    from flows.wiring import build_starter

    settings = _settings()
    starter = build_starter(settings) if ingests else None
    with closing(build_worker(settings, starter, sends=sends)) as process:
        yield process


@contextmanager
def open_sender() -> Iterator["Process"]:
    from consumers.wiring.processes import build_sender

    with closing(build_sender(_settings())) as process:
        yield process


@contextmanager
def open_notices() -> Iterator["Notices"]:
    from functools import partial

    from cli.notices import Notices
    from consumers.vitals import Vitals
    from consumers.wiring.clock import now
    from consumers.wiring.log import build_log
    from consumers.wiring.standing import watch_shown
    from vouch.adapters.home import open_home
    from vouch.adapters.ledger import open_ledger

    settings = _settings()
    home = open_home(settings.home)
    ledger = open_ledger(settings.ledger.url or home / "ledger.sqlite")
    with closing(ledger), closing(build_log(settings, home).producer()) as producer:
        vitals = Vitals()
        yield Notices(ledger, producer, now, vitals, partial(watch_shown, settings, home, vitals))


@contextmanager
def open_dead() -> Iterator["DeadLetters"]:
    from consumers.dead_letters import DeadLetters
    from consumers.wiring.log import build_log
    from vouch.adapters.home import open_home
    from vouch.adapters.ledger import open_ledger

    settings = _settings()
    home = open_home(settings.home)
    log = build_log(settings, home)
    with closing(open_ledger(settings.ledger.url or home / "ledger.sqlite")) as ledger, closing(log.producer()) as to:
        yield DeadLetters(log, to, ledger.answers.answered)


def standing() -> "Standing":
    from consumers.wiring.standing import build_standing
    from vouch.adapters.home import open_home

    settings = _settings()
    return build_standing(settings, open_home(settings.home))


def surfaces_served() -> set[str]:
    from consumers.wiring.surfaces import served

    return served(_settings())


def running_processes() -> list[dict[str, Any]]:
    """What the long-running processes of this home say of themselves."""
    from vouch.adapters.processes import running

    return running(_settings().home)


def watch_of(row: "SourceRow", tell: Callable[[str], None], poll: bool) -> "Watch":
    """What notices changes of this source."""
    from vouch.adapters.git_repository import GitRepository
    from vouch.adapters.sources.events_file import file_state
    from vouch.adapters.sources.git import read_place
    from vouch.adapters.watching.folder import FolderWatch
    from vouch.adapters.watching.polled import PolledWatch

    if row.kind == "folder":
        return FolderWatch(Path(row.path), tell, poll=poll)
    if row.kind == "git":
        place, branch = read_place(row.path)
        repository = GitRepository(place)
        return PolledWatch(lambda: repository.tip(branch), tell)
    return PolledWatch(lambda: file_state(Path(row.path).stat()), tell)


def log_lag() -> dict[str, int]:
    from consumers.wiring.log import GROUPS, build_log
    from vouch.adapters.home import open_home

    settings = _settings()
    log = build_log(settings, open_home(settings.home))
    return {topic: log.lag(group, topic) for topic, group in GROUPS.items()}


def topics_made() -> tuple[str, ...]:
    """Makes the topics that the log lacks, and names them."""
    from consumers.wiring.log import build_topics

    topics = build_topics(_settings())
    return () if topics is None else topics.create()


def topics_missing() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The topics that the log lacks, and those with another number of partitions than the settings say."""
    from consumers.wiring.log import build_topics

    topics = build_topics(_settings())
    state = None if topics is None else topics.state()
    return ((), ()) if state is None else (state.missing, state.unlike)


def vector_kind() -> str:
    """How vectors are searched by the settings, with what must be said of it."""
    from flows.wiring import graph_fingerprints
    from indexers.hnsw import warnings_of

    graphs = graph_fingerprints(_settings())
    return "; ".join([*graphs.values(), *warnings_of(graphs)]) if graphs else "searched exactly"


def try_encoder() -> str:
    """Embeds a word. Raises ModelDown if that fails."""
    from flows.wiring import load_later

    encoder = load_later(_settings())()
    encoder.questions(["ready"])
    return f"{encoder.dimensions} dimensions, {encoder.fingerprint}"


def train_evaluator(passages: Path, squad: Path, out: Path, seed: int, progress: Progress) -> dict[str, Any]:
    """Trains, writes the model to `out` and returns its thresholds and figures."""
    from datetime import UTC, datetime

    from vouch.adapters.datasets import read_training_data
    from vouch.learning.evaluator_model import save_evaluator
    from vouch.learning.evaluator_training import train_evaluator as train

    data = read_training_data(passages, squad)
    model = train(data, _learning(), seed=seed, today=datetime.now(UTC).date(), progress=progress)
    save_evaluator(model, out)
    return {"lower": model.lower, "upper": model.upper, **model.figures}


def evaluate_evaluator(pairs: Path) -> dict[str, Any]:
    """Figures of the evaluator in use on labelled pairs."""
    from vouch.adapters.datasets import read_pairs
    from vouch.learning.evaluator_figures import evaluate_evaluator as evaluate
    from vouch.learning.evaluator_model import load_evaluator

    return dict(evaluate(read_pairs(pairs), load_evaluator(), _learning()))


def _learning() -> "Learning":
    from flows.wiring import load_later
    from vouch.adapters.analyser import SnowballAnalyser
    from vouch.adapters.maxsim import MaxSimReranker
    from vouch.learning.judged_lists import Machines as Learning

    encoder = load_later(_settings())()
    return Learning(encoder, MaxSimReranker(encoder), SnowballAnalyser())


def evaluate_retrieval(
    folder: Path, qrels: Path, limit: int | None, rerank: bool, progress: Progress
) -> dict[str, Any]:
    """Figures per stage for a BEIR folder, in an index of its own that is deleted afterwards."""
    import tempfile
    from dataclasses import replace
    from itertools import islice

    from flows.evaluate import Ranking
    from flows.evaluate import evaluate_retrieval as evaluate
    from flows.wiring import build_machines, load_later
    from vouch.adapters.analyser import SnowballAnalyser
    from vouch.adapters.datasets import read_beir
    from vouch.adapters.maxsim import MaxSimReranker

    settings = _settings()
    data = read_beir(folder, qrels)
    data = replace(data, queries=dict(islice(data.queries.items(), limit)))
    with tempfile.TemporaryDirectory(prefix="evaluate-", dir=home_folder()) as place:
        encoder = load_later(settings)()
        ranking = Ranking(
            SnowballAnalyser(), encoder, MaxSimReranker(encoder) if rerank else None,
            settings.retrieval.top, settings.retrieval.rrf_k, settings.retrieval.rerank,
        )
        return evaluate(build_machines(settings, Path(place)), ranking, data, progress)
