"""A whole build whose texts are embedded by two Dask processes: equal, file for file, to that of one process."""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from machines.prefect_place import PrefectPlace
from running import warm

from flows.wiring.ingesting import build_components
from vouch.adapters.ledger import SourceRow
from vouch.errors import Conflict

HANDBOOK = Path(__file__).resolve().parents[3] / "examples" / "handbook" / "events.jsonl.gz"
pytestmark = [pytest.mark.model, pytest.mark.slow]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefect: PrefectPlace) -> Iterator[Path]:
    """A folder with documents; Prefect's settings name a server."""
    docs = tmp_path / "docs"
    docs.mkdir()
    with gzip.open(HANDBOOK, "rt", encoding="utf-8") as lines:
        texts = {row["path"]: row.get("text") for row in map(json.loads, lines)}
    for n, text in enumerate([text for _, text in sorted(texts.items()) if text][:6]):
        (docs / f"{n}.md").write_text(text)
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    from prefect.settings import PREFECT_API_AUTH_STRING, PREFECT_API_URL, temporary_settings

    with temporary_settings({key: prefect.env[key.name] for key in (PREFECT_API_URL, PREFECT_API_AUTH_STRING)}):
        yield tmp_path


def home(place: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOUCH_HOME", str(place / name))
    components = build_components()
    components.ledger.sources.add(SourceRow("handbook", "folder", str(place / "docs"), None))
    components.ledger.close()
    return place / name


def contents(home: Path) -> Counter[tuple[str, str]]:
    """What each file of the current version is called and holds, by the manifest's checksums."""
    components = build_components()
    current = components.store.versions.current()
    assert current is not None and components.store.verify(current) == []
    manifest = components.store.manifest(current)
    components.ledger.close()
    return Counter(
        (file.name, file.sha256) for folder in (*manifest.segments, *manifest.parts) for file in folder.files
    )


def test_two_processes_build_what_one_does(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.deployed.rebuild import rebuild

    alone = home(place, "alone", monkeypatch)
    warm.run([Path(sys.executable).with_name("vouch"), "ingest"], check=True)
    expected = contents(alone)
    spread = home(place, "spread", monkeypatch)
    monkeypatch.setattr("flows.ingesting.prepare.BATCH", 16)
    report = rebuild(workers=2)
    assert (report["version"], report["documents"]["quarantined"]) == (1, 1) and report["embedded"] > 32
    assert contents(spread) == expected


def test_a_worker_with_another_encoder_stops_the_build(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dask.config
    from distributed import LocalCluster

    from flows.deployed.rebuild import rebuild

    other = home(place, "other", monkeypatch)
    monkeypatch.setenv("VOUCH_ENCODER__DTYPE", "float32")
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, security=True) as cluster:
        monkeypatch.setenv("VOUCH_ENCODER__DTYPE", "bfloat16")
        mine = {"distributed.comm.tls.ca-file": cluster.security.tls_ca_file,
                "distributed.comm.tls.client.cert": cluster.security.tls_client_cert,
                "distributed.comm.tls.client.key": cluster.security.tls_client_key}
        with dask.config.set(mine), pytest.raises(Conflict, match="a worker embeds with"):
            rebuild(scheduler=cluster.scheduler_address)
    assert build_components().store.versions.current() is None
    assert not (other / "segments").exists()
