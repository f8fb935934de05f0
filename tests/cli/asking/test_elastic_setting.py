"""VOUCH_LEXICAL__KIND=elasticsearch as people use it: the same results, rules that count at once, honest exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest
from servers.elastic import Elasticsearch
from servers.process import free_port

from flows.runs.run import ingest_direct
from flows.wiring.ingesting import build_components
from vouch.settings.stores import ElasticLexical

pytestmark = [pytest.mark.services, pytest.mark.model]
RULES = 'rules:\n  - {match: "**", allow: [public]}\n'
MARK = "NOT LEAK-FREE"
CLOSED = RULES + '  - {match: "travel.md", allow: ["group:staff"]}\n'


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    (root / "leave.md").write_text("# Leave\n\nThirty days of leave.\n\n# Travel\n\nLeave is no travel.\n")
    (root / "travel.md").write_text("# Travel\n\nTravel needs approval before you leave for Zanzibar.\n")
    (root / "access.yaml").write_text(RULES)
    return root


def found(vouch: Any, mode: str = "lexical") -> list[tuple[str, float]]:
    code, out, err = vouch("search", "leave for travel", "--mode", mode, "--json")
    assert code == 0, err
    return [(row["path"], round(row["scores"][mode], 4)) for row in json.loads(out)["results"]]


def ingest() -> None:
    components = build_components()
    ingest_direct(components, ["docs"], done=lambda report: None)


def test_an_ingest_of_nothing_new_writes_what_another_engine_lacks(
    elasticsearch_server: Elasticsearch, vouch: Any, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", str(docs))[0] == 0
    ingest()
    for name, value in elasticsearch_server.settings().items():
        monkeypatch.setenv(name, value)
    for prefix in ("first", "second"):
        monkeypatch.setenv("VOUCH_LEXICAL__INDEX_PREFIX", prefix)
        code, out, err = vouch("ingest")
        assert code == 0 and "2 unchanged" in out, err
        checks = {row["check"]: row for row in map(json.loads, vouch("doctor", "--json")[1].splitlines())}
        assert "3 rows" in checks["lexical"]["found"] and checks["index"]["sound"]


def test_the_same_results_by_the_other_engine(
    elasticsearch_server: Elasticsearch, vouch: Any, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", str(docs))[0] == 0
    ingest()
    wanted = found(vouch)
    assert len(wanted) == 3
    chosen = {**elasticsearch_server.settings(), "VOUCH_LEXICAL__INDEX_PREFIX": "cli",
              "VOUCH_LEXICAL__PATIENCE_SECONDS": "0"}
    for name, value in chosen.items():
        monkeypatch.setenv(name, value)
    refused_before_the_rows_are_there(vouch, "lexical", monkeypatch)
    ingest()                                            # nothing changed but the engine
    assert found(vouch) == wanted
    checks = {row["check"]: row for row in map(json.loads, vouch("doctor", "--json")[1].splitlines())}
    assert checks["lexical"]["sound"] and "3 rows" in checks["lexical"]["found"] and checks["index"]["sound"]

    (docs / "access.yaml").write_text(CLOSED)           # counts for the next search, in counts and scores too
    closed = found(vouch)
    for name in chosen:
        monkeypatch.delenv(name)
    assert closed == found(vouch) != wanted

    for name, value in chosen.items():
        monkeypatch.setenv(name, value)
    code, out, _ = vouch("purge", "docs:travel.md", "--yes", "--json")
    assert code == 0 and "deleted rows are still in" in str(json.loads(out)["unproven"])
    assert found(vouch) == closed
    assert vouch("versions", "sweep")[0] == 0 and found(vouch) == closed

    monkeypatch.setenv("VOUCH_LEXICAL__URL", f"http://127.0.0.1:{free_port()}")
    code, out, err = vouch("search", "leave", "--mode", "lexical", "--json")
    assert (code, out) == (10, "") and "start it" in err
    checks = {row["check"]: row for row in map(json.loads, vouch("doctor", "--json")[1].splitlines())}
    assert not checks["lexical"]["sound"]


def test_the_same_results_by_vectors_on_the_server(
    elasticsearch_server: Elasticsearch, vouch: Any, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", str(docs))[0] == 0
    ingest()
    wanted = found(vouch, "dense")
    assert len(wanted) == 3
    monkeypatch.setenv("VOUCH_VECTORS__KIND", "elasticsearch")
    code, out, err = vouch("search", "leave", "--json")
    assert (code, out) == (2, "") and "set both" in err
    for name, value in {**elasticsearch_server.settings(), "VOUCH_LEXICAL__INDEX_PREFIX": "cli"}.items():
        monkeypatch.setenv(name, value)
    refused_before_the_rows_are_there(vouch, "dense", monkeypatch)
    ingest()
    assert found(vouch, "dense") == wanted
    assert said(vouch, 1) == [False] * 3
    monkeypatch.setenv("VOUCH_VECTORS__APPROXIMATE", "true")
    ingest()                                            # anew, as other fingerprints say
    assert said(vouch, 2) == [True] * 3
    assert found(vouch, "dense") == wanted
    monkeypatch.setenv("VOUCH_VECTORS__APPROXIMATE", "false")
    ingest()
    assert said(vouch, 3) == [False] * 3


def refused_before_the_rows_are_there(vouch: Any, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread beside the search would write them, now before it looks and now after."""
    with monkeypatch.context() as alone:
        alone.setattr("indexers.elastic.engine.ElasticEngine.follow", lambda *_: None)
        code, out, err = vouch("search", "leave", "--mode", mode, "--json")
    assert (code, out) == (10, "") and "vouch ingest" in err


def said(vouch: Any, version: int) -> list[bool]:
    """Whether search, version and doctor say that this is not leak-free."""
    asked = (("search", "leave"), ("versions", "show", str(version)), ("doctor",))
    return [MARK in vouch(*words, "--json")[1] for words in asked]


def test_secrets_are_not_shown() -> None:
    settings = ElasticLexical(api_key="hush-hush", password="hush-hush")    # type: ignore[arg-type]
    assert "hush" not in repr(settings) and "hush" not in str(settings.model_dump())
