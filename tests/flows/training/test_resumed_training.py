"""A training that is killed while it searches, and the one after it."""

import json
import os
import random
from dataclasses import replace
from datetime import timedelta

import pytest
from homes.ingest_bench import Bench
from learning_scene.labeled_scene import ANALYSER, BEGAN, words
from running.forked import DIED, ended, fork

from flows.shared.home_files.folders import OLD, SEARCHES, expire_searches, forget_searches
from flows.training.finding import Finder
from flows.training.kept_searches import HomeKeeper, Keeper
from flows.training.leakage_check import TwoWorlds
from flows.training.retraining import TrainingComponents, TrainingRules, train
from indexers.live_index import LiveIndex
from vouch.access import PUBLIC, Directory, Permissions, Rule, RuleBook
from vouch.learning.collections.golden import GoldenQuestion, GoldQuote
from vouch.learning.labels.label import Label
from vouch.learning.labels.weak_labels import LabelRules
from vouch.learning.training.retraining import Least
from vouch.learning.training.weighing import Shares

NOW = BEGAN + timedelta(days=60)
JUDGED, GOLDEN = 30, 6
ALL = JUDGED + GOLDEN


class Office:
    """Documents about one thing each, a judged question for each, and a few questions with known answers."""

    def __init__(self, bench: Bench, root) -> None:
        draw = random.Random(16)
        self.bench, self.epoch, self.made_with, self.said, self.searched = bench, 1, "v1", [], 0
        self.topics = [words(draw, 3) for _ in range(JUDGED)]
        self.root = root
        root.mkdir()
        for n, topic in enumerate(self.topics):
            (root / f"{n:02}.md").write_text(f"# Paper {n}\n\nThe {topic} is {words(draw, 6)} and {words(draw, 5)}.\n")
        bench.folder("docs", root)
        bench.ingest()
        chunk_of = {h.path: version.record(*h.place).chunks[0].id
                    for version in [bench.components.store.open(1)] for h in version.documents()}
        self.ids = [chunk_of[f"{n:02}.md"] for n in range(JUDGED)]
        bench.ledger.labels.put([label for n in range(JUDGED) for label in self.labels(n)])

    def labels(self, n):
        question, at = f"What is {self.topics[n]}?", BEGAN + timedelta(days=n, hours=8)
        return [Label(question, (PUBLIC,), self.ids[m % JUDGED], None, 1, 2 if m == n else 0, "judged", 1.0, at,
                      f"user:p{n % 6}@acme.test") for m in (n, n + 1, n + 2)]

    def permissions(self) -> Permissions:
        return Permissions.settled(self.epoch, {"docs": RuleBook((Rule("**", frozenset({PUBLIC})),))}, Directory())

    def golden(self):
        return [GoldenQuestion(f"g{n}", f"Where is {self.topics[n]}?", True,
                               gold=((GoldQuote(f"{n:02}.md", self.topics[n]),),)) for n in range(GOLDEN)]

    def parts(self, home) -> TrainingComponents:
        live = LiveIndex(self.bench.components.store, self)
        rules = TrainingRules(Least(5, 2, 2, 20, 0.01), False, 1.0, self.golden, {})
        return TrainingComponents(
            home=home, ledger=self.bench.ledger, finder=Finder(live, self.permissions, lambda: self.bench.encoder,
                                                               ANALYSER, 50),
            rules=rules, shares=Shares(0.2, 0.2, 10.0), labels=LabelRules(),
            worlds=TwoWorlds(lambda place: Bench(place).components, ANALYSER, home), made_with=lambda: {"weights": "w"},
            current=lambda: None, keeper=HomeKeeper(home, lambda: self.made_with),
        )  # fmt: skip

    def train(self):
        self.said, self.searched = [], 0
        return train(self.parts(self.bench.home), 0, NOW, progress=lambda stage, *_: self.said.append(stage))

    @property
    def resumed(self):
        return next((stage for stage in self.said if stage.startswith("resuming")), None)


@pytest.fixture
def office(bench, tmp_path, monkeypatch):
    made, find = Office(bench, tmp_path / "docs"), Finder.find

    def counted(self, question, tags):
        made.searched += 1
        return find(self, question, tags)

    monkeypatch.setattr(Finder, "find", counted)
    monkeypatch.setattr(TwoWorlds, "differences", lambda self, fusion: (0, 10))
    return made


def killed(office, after: int) -> None:
    """The training dies before search number `after`."""
    def dies() -> None:
        find = Finder.find

        def found(self, question, tags):
            if office.searched == after:
                os._exit(DIED)
            return find(self, question, tags)

        Finder.find = found
        office.train()

    assert ended(fork(dies)) == DIED


def kept_files(office):
    folder = office.bench.home / SEARCHES
    return sorted(folder.iterdir()) if folder.is_dir() else []


@pytest.mark.parametrize("after", sorted(random.Random(2026).sample(range(1, ALL), 4)))
def test_the_model_is_the_same_and_nothing_is_searched_twice(office, tmp_path, after):
    killed(office, after)
    assert {file.stat().st_mode & 0o777 for file in kept_files(office)} == {0o600}
    done = office.train()
    assert done.new and office.searched == ALL - after
    first = min(after, JUDGED)
    assert office.resumed == f"resuming: {first} of {JUDGED} questions were searched before"
    assert kept_files(office) == []
    alone = tmp_path / "alone"
    alone.mkdir()
    again = train(replace(office.parts(alone), keeper=Keeper()), 0, NOW)        # with nothing kept
    assert not again.new and json.dumps(again.model.body) == json.dumps(done.model.body)
    report = alone / "trainings" / done.model.name / "report.json"
    assert report.read_bytes() == (done.folder / "report.json").read_bytes()


def changed(what):
    def epoch(office):
        office.epoch = 2

    def version(office):
        (office.root / "new.md").write_text("# New\n\nSomething else.\n")
        office.bench.ingest()

    def labels(office):
        office.bench.ledger.labels.put([replace(office.labels(0)[0], question="What else?")])

    def settings(office):
        office.made_with = "v2"

    return {"epoch": epoch, "version": version, "labels": labels, "settings": settings}[what]


@pytest.mark.parametrize("what", ["epoch", "version", "labels", "settings"])
def test_whatever_decides_what_is_found_makes_it_begin_anew(office, what):
    killed(office, 9)
    changed(what)(office)
    office.train()
    assert office.resumed is None and office.searched == ALL + (what == "labels")


def test_what_changes_during_a_search_is_not_kept(office, monkeypatch):
    rows = Finder.rows

    def revoked(self, question, tags):
        found = rows(self, question, tags)
        office.epoch += office.searched == 3
        return found

    monkeypatch.setattr(Finder, "rows", revoked)
    killed(office, 5)
    assert [line.count(b"\n") for line in (file.read_bytes() for file in kept_files(office))] == [1 + 4]


def test_what_a_kill_tore_is_searched_again(office):
    killed(office, 9)
    file = kept_files(office)[0]
    file.write_bytes(file.read_bytes()[:-7])
    office.train()
    assert office.searched == ALL - 8


def test_a_changed_number_in_it_is_not_believed(office):
    killed(office, 9)
    file = kept_files(office)[0]
    whole = file.read_bytes()
    at = whole.rindex(b"0.")
    file.write_bytes(whole[:at] + b"9" + whole[at + 1 :])
    office.train()
    assert office.searched == ALL - 8


def test_it_holds_no_word_of_question_or_passage(office):
    killed(office, ALL - 1)
    data = b"".join(file.read_bytes() for file in kept_files(office))
    assert len(kept_files(office)) == 2 and office.ids[0].encode() in data
    assert not [word for topic in office.topics for word in topic.split() if word.encode() in data]


def test_it_is_bounded(office):
    keeper = HomeKeeper(office.bench.home, lambda: "", room=2_000)
    with keeper.of("labels", ["a"], lambda: "") as kept:
        for n in range(50):
            assert kept.value(f"n{n}", lambda: "", lambda: ["x" * 90], list, list) == ["x" * 90]
    assert 1_000 < kept_files(office)[0].stat().st_size <= 2_000


def test_a_purge_and_time_let_it_go(office):
    killed(office, 9)
    file = kept_files(office)[0]
    at = NOW.timestamp()
    os.utime(file, (at, at))
    assert expire_searches(office.bench.home, NOW + OLD) == 0
    assert expire_searches(office.bench.home, NOW + OLD * 2, dry_run=True) == 1 and kept_files(office)
    assert expire_searches(office.bench.home, NOW + OLD * 2) == 1 and not kept_files(office)


def test_a_training_beside_a_purge_leaves_nothing(office):
    with HomeKeeper(office.bench.home, lambda: "").of("labels", ["a"], lambda: "") as kept:
        forget_searches(office.bench.home)
        kept.value("a", lambda: "", lambda: [1], list, list)
    assert kept_files(office) == []
