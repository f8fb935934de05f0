"""Another kind of vector search builds the index anew, from vectors computed already."""

from dataclasses import replace

from flows.runs.run import ingest_direct
from indexers.segments.hnsw import FILE, GraphParameters, recipe_of


def test_a_change_of_the_kind_embeds_nothing(bench, write, tmp_path):
    for n in range(8):
        write(f"{n}.md", f"# Note {n}\n\nThe pantry of office {n} is open.\n\n# More\n\nFloor {n} has a printer.")
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    embedded = len(bench.encoder.texts)
    assert embedded >= 16

    def kinds_after(recipe: GraphParameters | None) -> set[bool]:
        components = bench.components
        more = recipe.fingerprints if recipe else {}
        reports = []
        ingest_direct(replace(components, fingerprints=components.fingerprints | more), ["docs"], done=reports.append)
        version = components.store.open_current()
        assert recipe_of(version.manifest.fingerprints) == recipe and len(version.rows.live) == embedded
        assert [report.embedded for report in reports] == [0] and reports[0].version == version.number
        assert components.store.verify(version.number) == []
        return {any(file.name == FILE for file in segment.files) for segment in version.manifest.segments}

    assert kinds_after(GraphParameters(8, 20)) == {True}
    assert kinds_after(GraphParameters(16, 20)) == {True}
    assert kinds_after(None) == {False}
    assert len(bench.encoder.texts) == embedded
