"""An index that vouch would not have made is never searched, and no purge is proven past a borrowed name."""

import uuid
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from servers.elastic import Elasticsearch
from two_world.elastic import engines_at
from two_world.worlds import ANALYSER, PUBLIC, REFERENCE_LENGTH, Batch, Paper, World, open_world

from indexers.elastic.server.client import ElasticOptions
from indexers.elastic.server.mapping import Vectors, differs, index_body
from indexers.elastic.server.server import ElasticServer
from vouch.errors import IndexDown

pytestmark = pytest.mark.services
TRAVEL = Paper("open/travel.md", (("Travel", ("travel needs approval", "a badge and a laptop")),))
TERMS = ANALYSER.terms("travel approval")
Body = dict[str, Any]


def plain_scores(body: Body) -> None:
    body["settings"]["similarity"]["visible_bm25"] = {"type": "BM25"}


def other_script(body: Body) -> None:
    body["settings"]["similarity"]["visible_bm25"]["script"]["source"] += " "


def split_words(body: Body) -> None:
    body["settings"]["analysis"]["tokenizer"]["blanks"] = {"type": "standard"}


def loose(body: Body) -> None:
    body["mappings"]["dynamic"] = "false"


def one_more_field(body: Body) -> None:
    body["mappings"]["properties"]["text"] = {"type": "keyword"}


def label_as_text(body: Body) -> None:
    body["mappings"]["properties"]["label"] = {"type": "text"}


@pytest.fixture
def world(elasticsearch_server: Elasticsearch, tmp_path: Path) -> World:
    """With one document, on an index of its own."""
    engines = engines_at(elasticsearch_server.url, index_prefix=f"form-{uuid.uuid4().hex}")
    return open_world(tmp_path / "home", [Batch((TRAVEL,))], engines=engines)


def swapped(world: World, body: Body, borrowed: str = "") -> str:
    """The version's index is another one now, with the rows of the first; if `borrowed`, by an alias of that name."""
    client, index = world.store.lexical._server._client, world.store.lexical._index(world.store.open_current())
    client.indices.create(index="kept", **index_body(REFERENCE_LENGTH, 1))
    client.reindex(source={"index": index}, dest={"index": "kept"}, refresh=True)
    client.indices.delete(index=index)
    client.indices.delete_index_template(name=index)
    client.indices.create(index=borrowed or index, **body, aliases={index: {}} if borrowed else {})
    client.reindex(source={"index": "kept"}, dest={"index": borrowed or index}, refresh=True)
    client.indices.delete(index="kept")
    return index


@pytest.mark.parametrize("change", [plain_scores, other_script, split_words, loose, one_more_field, label_as_text])
def test_an_index_of_another_form_is_neither_searched_nor_written(world: World, change: Callable[[Body], None]) -> None:
    body = index_body(REFERENCE_LENGTH, 1)
    change(body)
    server = world.store.lexical._server
    swapped(world, body)
    fresh = ElasticServer(server.options)
    with pytest.raises(IndexDown, match=r"form that vouch gives it: \w+\."):
        fresh.trust(world.store.lexical._index(world.store.open_current()), index_body(REFERENCE_LENGTH, 1))
    with pytest.raises(IndexDown, match="not of the form"):
        world.store.lexical.prepare(world.store.open_current())


def test_a_borrowed_name_is_neither_searched_nor_purged_past(world: World) -> None:
    index = swapped(world, index_body(REFERENCE_LENGTH, 1), "restored")
    engine = world.store.lexical
    engine._server._trusted.clear()                     # as in a new process
    for act in (lambda: world.index.view(PUBLIC).lexical(TERMS, 5), lambda: engine.terms_left(["travel"]),
                lambda: engine.purge([]), lambda: engine.sweep([]), lambda: engine.prepare(world.store.open_current())):
        with pytest.raises(IndexDown, match=f"{index} is an alias of the index restored"):
            act()
    engine.wait()
    engine._server._client.indices.delete(index="restored")


@pytest.mark.parametrize("vectors", [None, Vectors(8, graph=False), Vectors(8, graph=True)])
def test_an_index_that_vouch_made_is_of_its_form(elasticsearch_server: Elasticsearch, vectors: Vectors | None) -> None:
    server = ElasticServer(ElasticOptions(elasticsearch_server.url))
    body = index_body(REFERENCE_LENGTH, 1, vectors)
    name = f"vouch-{uuid.uuid4().hex[:12]}"
    server.make_index(name, body)
    server.make_index(name, body)
    found = server._client.indices.get(index=name).body[name]
    assert differs(found, body) == ""
    assert found["settings"]["index"]["number_of_shards"] == "1"
    other = deepcopy(body)
    other["settings"]["similarity"]["visible_bm25"]["script"]["source"] += "x"
    assert differs(found, other) == "similarity.visible_bm25.script.source"
