"""vouch as people install it: a wheel, in an environment of its own, without the source tree.

The network may be absent, so the wheel is built without isolation and installed without its dependencies: a .pth file
lets the environment see the packages of the one that runs the tests. Files of that kind are read in an environment's
own folder only, so what makes the running vouch editable is not, and the wheel's is the only one.
"""

import json
import subprocess
import sys
import sysconfig
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
SHARED = "vouch-{version}.data/data/share/vouch/"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: list[str] = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
VERSION: str = PYPROJECT["project"]["version"]


@dataclass(frozen=True)
class Installed:
    place: Path
    wheel: Path

    def run(self, *words: str | Path) -> str:
        """What a program of the environment prints, in a folder that has nothing of vouch. It must end well."""
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.place), "VOUCH_HOME": str(self.place / "home"),
                       "HF_HUB_OFFLINE": "1"}
        done = subprocess.run([self.place / "env" / "bin" / words[0], *words[1:]], cwd=self.place / "elsewhere",
                              env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def names(self) -> set[str]:
        with ZipFile(self.wheel) as file:
            return set(file.namelist())


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = tmp_path_factory.mktemp("wheel")
    (place / "elsewhere").mkdir()
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", place], cwd=ROOT, check=True,
                   capture_output=True)
    (wheel,) = place.glob("*.whl")
    venv.create(place / "env", with_pip=False)
    subprocess.run([Path(sys.executable).with_name("uv"), "pip", "install", "--quiet", "--offline", "--no-deps",
                    "--python", place / "env" / "bin" / "python", wheel], check=True)
    (site,) = (place / "env" / "lib").glob("python*/site-packages")
    (site / "packages_of_the_tests.pth").write_text(
        "\n".join(sorted({sysconfig.get_path(kind) for kind in ("purelib", "platlib")})))
    return Installed(place, wheel)


def tracked(*folders: str) -> set[str]:
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *folders], cwd=ROOT, capture_output=True,
                          text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return {name for name in done.stdout.splitlines() if (ROOT / name).is_file()}


def test_the_wheel_holds_every_file_of_the_packages_and_what_the_demo_needs(installed: Installed) -> None:
    shared = SHARED.format(version=VERSION)
    wanted = tracked(*PACKAGES) | {shared + name for name in tracked("examples", "prefect.yaml")}
    assert {"migrations/script.py.mako", "vouch/learning/models/evaluator_model.json",
            "vouch/answering/prompting/prompt_texts/answer.v2.txt",
            f"{shared}examples/handbook/events.jsonl.gz", "migrations/versions/0001_first.py"} <= wanted
    assert wanted - installed.names() == set()
    top = {name.split("/")[0] for name in installed.names()}
    assert top == {*PACKAGES, f"vouch-{VERSION}.dist-info", f"vouch-{VERSION}.data"}


def test_it_is_the_wheels_vouch_that_runs(installed: Installed) -> None:
    code = f"import importlib\nfor name in {PACKAGES}: print(*importlib.import_module(name).__path__)"
    found = [Path(line) for line in installed.run("python", "-c", code).splitlines()]
    assert len(found) == len(PACKAGES) and all(installed.place / "env" in one.parents for one in found)
    assert installed.run("vouch", "--version") == f"vouch {VERSION}\n"


def test_it_names_its_extras(installed: Installed) -> None:
    code = "from importlib.metadata import metadata; print(*metadata('vouch').get_all('Provides-Extra'))"
    assert set(installed.run("python", "-c", code).split()) == PYPROJECT["project"]["optional-dependencies"].keys()


def test_a_folder_is_ingested_and_asked(installed: Installed) -> None:
    docs = installed.place / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nEverybody has thirty days of leave a year.\n")
    (docs / "board.html").write_text("<h1>Board</h1><p>The board meets on the first Monday of each month.</p>")
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    installed.run("vouch", "source", "add", "docs", "--kind", "folder", "--path", docs)
    assert "2 added" in installed.run("vouch", "ingest")
    answer = json.loads(installed.run("vouch", "ask", "How many days of leave does everybody have?", "--json"))
    assert "thirty days" in answer["answer"] and answer["citations"]
    installed.run("vouch", "doctor")


def test_the_demo_finds_its_company_and_prefect_its_deployments(installed: Installed) -> None:
    place = Path(installed.run("python", "-c", "from cli.demos.demo import examples; print(examples())").strip())
    assert installed.place in place.parents
    own = {str(path.relative_to(place.parent)) for path in place.rglob("*") if path.is_file()}
    assert own == tracked("examples")
    assert (place.parent / "prefect.yaml").read_bytes() == (ROOT / "prefect.yaml").read_bytes()
    assert (place / "handbook" / "events.jsonl.gz").read_bytes() == (
        ROOT / "examples" / "handbook" / "events.jsonl.gz").read_bytes()
