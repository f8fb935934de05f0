"""docs/openapi.json is what the service itself says, and what it says is whole."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from bots.http.problems import MEDIA_TYPE
from vouch.access import parse_tag
from vouch.errors import BadAccess

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def made() -> str:
    spec = importlib.util.spec_from_file_location("make_openapi", DOCS / "make_openapi.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.document())


def test_the_page_is_the_one_made_from_the_service(made: str) -> None:
    assert made == (DOCS / "openapi.json").read_text(encoding="utf-8"), "run: make docs"


def test_every_operation_is_described_with_its_problems(made: str) -> None:
    paths = json.loads(made)["paths"]
    assert {"/v1/ask", "/v1/answers/{named}", "/v1/search", "/v1/feedback", "/readyz"} <= set(paths)
    for path, operations in paths.items():
        for operation in operations.values():
            assert operation["description"], path
            problems = {status: told for status, told in operation["responses"].items() if status.startswith("4")}
            assert all(list(told["content"]) == [MEDIA_TYPE] for told in problems.values()), path
            if path.startswith("/v1/"):
                assert "401" in problems, path


def test_every_reference_has_a_schema(made: str) -> None:
    schemas = json.loads(made)["components"]["schemas"]
    for part in made.split('"$ref": "#/components/schemas/')[1:]:
        assert part.split('"')[0] in schemas


@pytest.mark.parametrize("kind", ["user", "group"])
def test_the_pattern_of_readers_is_what_is_taken(made: str, kind: str) -> None:
    reader = json.loads(made)["components"]["schemas"]["Question"]["properties"]["audience"]["items"]
    described = re.compile(reader["pattern"])
    letters = (chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF)
    assert not [hex(ord(one)) for one in letters
                if bool(described.search(f"{kind}:a{one}b")) != _taken(f"{kind}:a{one}b")]


def _taken(tag: str) -> bool:
    try:
        parse_tag(tag)
    except BadAccess:
        return False
    return True
