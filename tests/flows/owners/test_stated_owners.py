"""Owners in front matter reach whoever asks for them, and cost no embedding."""

from datetime import UTC, datetime

from composition.owners import DocumentOwners
from indexers.live_index import LiveIndex
from vouch.access import PUBLIC, Directory, Person, Rule, RuleBook
from vouch.adapters.ledger import SourceRow

NOW = datetime.now(UTC)
TEXT = "# Title\n\nThe apples section says apples many times.\n"


def test_stated_owners_are_known_by_place_and_embed_nothing(bench, write, tmp_path):
    write("a.md", TEXT)
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    store, access = bench.components.store, bench.ledger.access
    owners = DocumentOwners(LiveIndex(store, access), access)
    assert owners.owners_of("docs", "a.md") == () == owners.named()
    embedded, ids = len(bench.encoder.texts), store.open_current().record("docs", "a.md").chunks
    place = write("a.md", f"---\nowners: [group:people, ana@acme.test]\n---\n{TEXT}")
    (report,) = bench.ingest()
    assert (report.changed, report.embedded, len(bench.encoder.texts)) == (1, 0, embedded)
    assert [c.id for c in store.open_current().record("docs", "a.md").chunks] == [c.id for c in ids]
    assert owners.owners_of("docs", "a.md") == ("group:people", "user:ana@acme.test") == owners.named()
    assert store.open_current().record("docs", "a.md").owners == {"group:people", "user:ana@acme.test"}
    audience = access.permissions().directory.audience(["user:ana@acme.test", "group:people"])
    readable = LiveIndex(store, access).view(audience).of_document("docs", "a.md")
    public = LiveIndex(store, access).view(access.permissions().directory.audience([PUBLIC]))
    assert bool(readable) == bool(public.of_document("docs", "a.md")), "owners are not let in"
    place.rename(place.with_name("b.md"))
    bench.ingest()
    assert owners.owners_of("docs", "a.md") == () and owners.owners_of("docs", "b.md") == owners.named() != ()


def test_of_documents_those_are_told_that_somebody_may_read_now(bench, write, tmp_path):
    write("a.md", TEXT)
    bench.folder("docs", tmp_path / "docs")
    access, named = bench.ledger.access, ["docs:a.md", "docs:none.md", "a.md", ""]
    bench.ledger.sources.add(SourceRow("docs", "folder", str(tmp_path / "docs"), str(tmp_path / "access.yaml")))
    access.set_directory(Directory(people={"ana@acme.test": Person(())}))
    for reader, told in (("user:ana@acme.test", {"docs:a.md"}), ("user:ben@acme.test", set())):
        access.set_rules("docs", RuleBook((Rule("**", frozenset({reader})),)), reader)
        bench.ingest()
        owners = DocumentOwners(LiveIndex(bench.components.store, access), access)
        assert owners.readable("user:ana@acme.test", named, NOW) == told
        assert owners.readable(PUBLIC, named, NOW) == set()
