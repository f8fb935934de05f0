"""An encoder is fetched once, in as many pieces as it takes, and is then the model it was made from."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from http_scene.local_http import LocalHTTP, QuietHandler
from model_fakes.cross_encoder_model import random_bert
from model_fakes.onnx_model import PROMPT, onnx, tiny_archive

from vouch.adapters.models.encoder import FixedShapeEncoder, encoder_weights, load_encoder
from vouch.adapters.models.fetching import fetch as fetching
from vouch.adapters.models.fetching.convert import convert, read_weights
from vouch.adapters.models.fetching.known import KNOWN, KnownModel
from vouch.errors import BadInput, Busy, ModelDown, NotFound

QUESTION = "How long is leave?"


def silent(stage: str, done: int, total: int) -> None:
    pass


class Host(LocalHTTP):
    """Serves one file at any path: at most `most` bytes at a time, and from where it is asked to, if `ranges`."""

    def __init__(self, body: bytes) -> None:
        self.body, self.most, self.ranges, self.asked = body, len(body), True, list[str]()
        super().__init__(_Handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/maven2"


class _Handler(QuietHandler):
    server: Host

    def do_GET(self) -> None:  # noqa: N802 - the name that the frame calls
        wanted = self.headers.get("Range", "")
        self.server.asked.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.server.ranges else 0
        rest = self.server.body[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest[: self.server.most])


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[KnownModel, Path, Path]:
    known, archive, original = tiny_archive(tmp_path)
    monkeypatch.setattr(fetching, "KNOWN", {known.name: known})
    return known, archive, original


def test_what_is_converted_is_the_model_it_was_made_from(tiny: tuple[KnownModel, Path, Path], tmp_path: Path) -> None:
    import torch
    from transformers import BertModel

    known, archive, original = tiny
    convert(archive, known, tmp_path / "made")
    made = load_encoder(tmp_path / "made", "float32", "cpu")
    theirs = BertModel.from_pretrained(original).eval()
    ids = made._tokenizer.inputs([QUESTION], PROMPT)[0].ids
    with torch.inference_mode():
        hidden = theirs(torch.tensor([ids])).last_hidden_state[0].numpy()
    np.testing.assert_allclose(made.questions([QUESTION])[0], hidden[0] / np.linalg.norm(hidden[0]), atol=1e-5)
    assert not np.allclose(made.questions([QUESTION]), made.passages([QUESTION]), atol=1e-2)


def test_the_words_of_the_prompt_are_no_words_of_the_question(
    tiny: tuple[KnownModel, Path, Path], tmp_path: Path
) -> None:
    convert(tiny[1], tiny[0], tmp_path / "made")
    made: FixedShapeEncoder = load_encoder(tmp_path / "made", "float32", "cpu")
    assert len(made.token_vectors([QUESTION], questions=True)[0]) == 4
    assert len(made.token_vectors([QUESTION])[0]) == 5


def test_it_is_the_same_each_time(tiny: tuple[KnownModel, Path, Path], tmp_path: Path) -> None:
    for name in ("one", "two"):
        convert(tiny[1], tiny[0], tmp_path / name)
    assert encoder_weights(tmp_path / "one") == encoder_weights(tmp_path / "two")


def test_a_fetch_that_was_cut_off_goes_on_where_it_stopped(
    tiny: tuple[KnownModel, Path, Path], tmp_path: Path
) -> None:
    known, archive, _ = tiny
    with Host(archive.read_bytes()) as host:
        host.most = 300_000
        with pytest.raises(ModelDown, match="ended early") as cut:
            fetching.fetch(known.name, tmp_path, host.address, silent)
        assert "goes on where it stopped" in cut.value.cure
        host.most = known.size
        folder, there = fetching.fetch(known.name, tmp_path, host.address, silent)
        assert host.asked == ["", "bytes=300000-"] and not there
    assert fetching.fetch(known.name, tmp_path, "http://127.0.0.1:1", silent) == (folder, True)
    assert sorted(p.name for p in folder.parent.iterdir()) == [known.name]


def test_a_host_that_knows_no_ranges_gives_the_whole_again(
    tiny: tuple[KnownModel, Path, Path], tmp_path: Path
) -> None:
    known, archive, _ = tiny
    with Host(archive.read_bytes()) as host:
        host.most, host.ranges = 300_000, False
        with pytest.raises(ModelDown):
            fetching.fetch(known.name, tmp_path, host.address, silent)
        host.most = known.size
        assert fetching.fetch(known.name, tmp_path, host.address, silent)[0].is_dir()


@pytest.mark.parametrize("spoil", [lambda b: b[:-1] + b"?", lambda b: b + b"more", lambda b: b"x" * len(b)])
def test_other_bytes_are_refused_and_not_kept(
    tiny: tuple[KnownModel, Path, Path], tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    known, archive, _ = tiny
    with Host(spoil(archive.read_bytes())) as host, pytest.raises(BadInput, match="SHA-256"):
        fetching.fetch(known.name, tmp_path, host.address, silent)
    assert list((tmp_path / "models").iterdir()) == []


def test_two_that_fetch_the_same_do_not_mix(tiny: tuple[KnownModel, Path, Path], tmp_path: Path) -> None:
    known, archive, _ = tiny

    def again(stage: str, done: int, total: int) -> None:
        if stage == "megabytes":
            with pytest.raises(Busy):
                fetching.fetch(known.name, tmp_path, host.address, silent)

    with Host(archive.read_bytes()) as host:
        fetching.fetch(known.name, tmp_path, host.address, again)


def test_a_name_nobody_knows_and_a_host_that_is_not_there(
    tiny: tuple[KnownModel, Path, Path], tmp_path: Path
) -> None:
    with pytest.raises(NotFound, match="other") as refused:
        fetching.fetch("other", tmp_path, "http://127.0.0.1:1", silent)
    assert "tiny" in refused.value.cure
    with pytest.raises(ModelDown, match="cannot be fetched"):
        fetching.fetch("tiny", tmp_path, "http://127.0.0.1:1", silent)


@pytest.mark.parametrize("spoil", [lambda b: b[: len(b) // 2], lambda b: b"\xff" * 40, lambda b: b"", lambda b: b[:9]])
def test_a_file_that_is_no_onnx_model_is_refused(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    from safetensors.numpy import load_file

    file = tmp_path / "weights.onnx"
    file.write_bytes(spoil(onnx(load_file(random_bert(tmp_path / "bert") / "model.safetensors"))))
    with pytest.raises(BadInput, match="is no ONNX model"):
        read_weights(file)


ARCHIVES = Path(os.environ.get("VOUCH_ARCHIVES", "none"))


@pytest.mark.skipif(not ARCHIVES.is_dir(), reason="VOUCH_ARCHIVES names no folder with archives of known models")
@pytest.mark.parametrize("name", sorted(KNOWN))
def test_the_real_model_finds_what_answers(tmp_path: Path, name: str) -> None:
    known = KNOWN[name]
    archive = ARCHIVES / Path(known.archive).name
    with Host(archive.read_bytes()) as host:
        folder, _ = fetching.fetch(name, tmp_path, host.address, silent)
    real = load_encoder(folder, "float32", "cpu")
    right, wrong = real.passages(["Everybody gets 25 days off a year.", "The printer is on the second floor."])
    asked = real.questions(["How much vacation do I have?"])[0]
    assert asked @ right > asked @ wrong + 0.1
    assert encoder_weights(folder) == "weights:3602a89ff7d7956e729e7ca0b4000edd"
