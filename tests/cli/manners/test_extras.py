"""Without any extra vouch ingests and answers; what needs one says which, and how to get it."""

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from running.default_packages import PROJECT, ROOT, closure, hidden_modules, without_extras

from vouch.errors import Usage
from vouch.extras import PACKAGES, require

EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
SERVED = ("kafka", "elasticsearch", "psycopg", "prefect", "dask", "distributed", "openai", "fastapi", "opentelemetry")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs `vouch` where the default packages alone are found, on a home with one small source, ingested."""
    place = tmp_path_factory.mktemp("bare")
    environment = {**without_extras(place), "VOUCH_HOME": str(place / "home"), "HOME": str(place)}
    docs = place / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nEverybody has thirty days of leave a year.\n")
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')

    def run(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "cli.main", *words], env={**environment, **settings}, cwd=place,
                              capture_output=True, text=True, check=False)

    for words in (("source", "add", "docs", "--kind", "folder", "--path", str(docs)), ("ingest",)):
        done = run(*words)
        assert done.returncode == 0, done.stderr
    return run


def test_the_default_packages_alone_are_found(tmp_path: Path) -> None:
    code = ("import importlib, torch, sqlalchemy\n"
            f"for name in {[*SERVED, 'crc32c', 'pytest']!r}:\n"
            "    try: importlib.import_module(name)\n"
            "    except ModuleNotFoundError: continue\n"
            "    print(name)")
    done = subprocess.run([sys.executable, "-c", code], env=without_extras(tmp_path), capture_output=True, text=True,
                          check=True)
    assert done.stdout == ""


def test_they_are_enough_to_ask_and_to_see_how_things_are(bare: Run) -> None:
    answer = json.loads(bare("ask", "How many days of leave does everybody have?", "--json").stdout)
    assert "thirty days" in answer["answer"] and answer["citations"]
    for words in (("search", "leave"), ("doctor",), ("status",), ("rebuild",), ("worker", "--drain")):
        done = bare(*words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)


@pytest.mark.parametrize(("extra", "named", "words", "settings"), [
    ("kafka", "VOUCH_LOG__KIND=kafka", ("ask", "leave?"), {"VOUCH_LOG__KIND": "kafka"}),
    ("kafka", "VOUCH_LOG__KIND=kafka", ("migrate",), {"VOUCH_LOG__KIND": "kafka"}),
    ("kafka", "VOUCH_LOG__KIND=kafka", ("ingest",), {"VOUCH_LOG__KIND": "kafka"}),
    ("elastic", "VOUCH_LEXICAL__KIND=elasticsearch", ("search", "leave"),
     {"VOUCH_LEXICAL__KIND": "elasticsearch", "VOUCH_LEXICAL__URL": "http://127.0.0.1:1"}),
    ("postgres", "VOUCH_LEDGER__URL", ("source", "list"),
     {"VOUCH_LEDGER__URL": "postgresql+psycopg://vouch@127.0.0.1:1/vouch"}),
    ("prefect", "--prefect", ("ingest", "--prefect"), {"PREFECT_API_URL": "http://127.0.0.1:1/api"}),
    ("prefect", "VOUCH_INGEST__STARTER=prefect", ("worker", "--drain"), {"VOUCH_INGEST__STARTER": "prefect"}),
    ("openai", "VOUCH_WRITER__KIND=openai", ("ask", "leave?"), {"VOUCH_WRITER__KIND": "openai"}),
    ("http", "vouch serve", ("serve",), {}),
    ("mcp", "vouch mcp", ("mcp",), {}),
    ("tracing", "VOUCH_TRACING__ENDPOINT", ("ask", "leave?"), {"VOUCH_TRACING__ENDPOINT": "http://127.0.0.1:1/v1"}),
])
def test_what_needs_an_extra_says_which(
    bare: Run, extra: str, named: str, words: tuple[str, ...], settings: dict[str, str]
) -> None:
    done = bare(*words, **settings)
    assert done.returncode == Usage.exit_code and done.stdout == ""
    assert named in done.stderr and "needs packages that are not installed: " in done.stderr
    assert f'pip install "vouch[{extra}]"' in done.stderr


@pytest.mark.parametrize(("extra", "failed", "settings"), [
    ("kafka", "log", {"VOUCH_LOG__KIND": "kafka"}),
    ("postgres", "ledger", {"VOUCH_LEDGER__URL": "postgresql+psycopg://vouch@127.0.0.1:1/vouch"}),
])
def test_doctor_says_it_too_and_looks_at_the_rest(
    bare: Run, extra: str, failed: str, settings: dict[str, str]
) -> None:
    checks = [json.loads(line) for line in bare("doctor", "--json", **settings).stdout.splitlines()]
    cures = {check["check"]: check["cure"] for check in checks if not check["sound"]}
    assert cures[failed] == f'pip install "vouch[{extra}]"'
    assert {check["check"] for check in checks if check["sound"]} >= {"settings", "home", "encoder"}


def test_the_extras_are_those_of_the_project_and_all_is_all_of_them() -> None:
    assert EXTRAS.keys() - {"all"} == PACKAGES.keys()
    assert [Requirement(text).extras for text in EXTRAS["all"]] == [set(PACKAGES)]
    owners = packages_distributions()
    for extra, modules in PACKAGES.items():
        named = {canonicalize_name(Requirement(text).name) for text in EXTRAS[extra]}
        for module in modules:
            owner = owners[module.partition(".")[0]]
            assert named & {canonicalize_name(one) for one in owner}, module


def test_what_is_imported_comes_with_the_default_packages_or_an_extra_that_is_asked_for() -> None:
    hidden, extra = hidden_modules(), {module.partition(".")[0] for modules in PACKAGES.values() for module in modules}
    files = [path for package in ("cli", "services", "flows", "consumers", "composition", "indexers", "bots", "vouch",
                                  "migrations") for path in (ROOT / package).rglob("*.py")]
    found = {top for path in files for top in imported(path)} & hidden
    come_along = {"dask", "distributed", "starlette"}       # with prefect_dask and fastapi
    assert {"prefect", "kafka", "openai"} <= found <= extra | come_along
    assert {canonicalize_name(one) for one in come_along} <= closure(EXTRAS["prefect"])


def imported(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module.partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


def test_nothing_is_imported_to_see_what_is_there() -> None:
    code = ("import sys; from vouch.extras import PACKAGES, require\n"
            "for extra in PACKAGES: require(extra, 'a test')\n"
            f"print(sorted({set(SERVED) - {'opentelemetry'}!r} & set(sys.modules)))")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_package_without_another_that_goes_with_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKAGES, "kafka", ("json", "nothing_of_that_name", "nothing_of_that_name.part"))
    with pytest.raises(Usage, match=r": nothing_of_that_name, nothing_of_that_name\.part \("):
        require("kafka", "a test")
