"""Another kind of vector search builds the index anew, from vectors computed already."""

from dataclasses import replace

from flows.run import ingest_direct
from indexers.segments.hnsw import FILE, Recipe, recipe_of


def test_a_change_of_the_kind_embeds_nothing(bench, write, tmp_path):
    for n in range(8):
        write(f"{n}.md", f"# Note {n}\n\nThe pantry of office {n} is open.\n\n# More\n\nFloor {n} has a printer.")
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    embedded = len(bench.encoder.texts)
    assert embedded >= 16

    def kinds_after(recipe: Recipe | None) -> set[bool]:
        machines = bench.machines
        more = recipe.fingerprints if recipe else {}
        reports = []
        ingest_direct(replace(machines, fingerprints=machines.fingerprints | more), ["docs"], done=reports.append)
        version = machines.store.open_current()
        assert recipe_of(version.manifest.fingerprints) == recipe and len(version.rows.live) == embedded
        assert [report.embedded for report in reports] == [0] and reports[0].version == version.number
        assert machines.store.verify(version.number) == []
        return {any(file.name == FILE for file in segment.files) for segment in version.manifest.segments}

    assert kinds_after(Recipe(8, 20)) == {True}
    assert kinds_after(Recipe(16, 20)) == {True}
    assert kinds_after(None) == {False}
    assert len(bench.encoder.texts) == embedded
