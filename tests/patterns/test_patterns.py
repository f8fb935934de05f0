"""No text from outside makes a regular expression take more than linear time."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from patterns.ambiguity import growth
from patterns.found import PACKAGES, ROOT, every_pattern, patterns_of

TESTS = Path(__file__).parents[1]
PLEASE = r"(?:please\W+|(?:can|could|would|will) you\s+(?:please\s+)?)*(?:list|show)\b"     # once stopped every worker

LINEAR = [
    (r"\w+", "scan"), (r"\n\s*\n", "scan"), (r"(?<!a)a*+b", "scan"), (r"(?<!\w)\w++(?=bc)", "scan"),
    (r"\d+(?:[.,]\d+)*", "scan"), (r"\s*[\s\S]*", "fullmatch"), (r"a*b", "match"),
    (r"(?<!`)(`++)[^`]{1,500}\1", "scan"),
    (r"(?<!\d)(?<!\d\.)\d(?:\.\d)*x", "scan"),
]  # fmt: skip
NOT_LINEAR = [
    (r"\s+$", "scan"), (r"a*+b", "scan"), (r"a*a*b", "match"), (r"(?:a*)*b", "match"), (r"(?:a|a)*b", "match"),
    (r"(?:a+)+$", "match"), (r"a(?:.*b)?", "scan"), (r"x(?=.*y)", "scan"), (r"\[[^\]]*\]\(", "scan"), (PLEASE, "match"),
    (r"\s*.*", "fullmatch"), (r"(a*)\1b", "scan"),
]  # fmt: skip


@pytest.mark.slow
def test_every_pattern_of_the_product_is_proven_linear() -> None:
    found = every_pattern()
    assert len(found) > 60
    assert [f"{one} ({way}): {why}" for one in found for way in one.ways if (why := growth(one.pattern, way))] == []


@pytest.mark.parametrize(("pattern", "way"), LINEAR)
def test_linear_patterns_pass(pattern: str, way: str) -> None:
    assert growth(re.compile(pattern), way) == ""


@pytest.mark.parametrize(("pattern", "way"), NOT_LINEAR)
def test_others_do_not(pattern: str, way: str) -> None:
    assert growth(re.compile(pattern), way) != ""


@pytest.mark.slow
def test_no_pattern_of_the_source_is_overlooked() -> None:
    """Counted in another way: by the words of the source."""
    made = re.compile(r"(?<![\w.\"])re\.(?:compile|search|match|fullmatch|split|findall|finditer|subn?)\(")
    lines = {
        f"{file.relative_to(ROOT).as_posix()}"
        for room in PACKAGES for file in (ROOT / room).rglob("*.py") if made.search(file.read_text())
    }  # fmt: skip
    assert {one.place.partition(":")[0] for one in every_pattern()} == lines


def test_patterns_that_cannot_be_seen_are_refused() -> None:
    with pytest.raises(AssertionError):
        list(patterns_of("vouch/access.py", "from re import compile\n"))
    with pytest.raises(KeyError):
        list(patterns_of("vouch/errors.py", "import re\ndef f(x):\n    return re.compile(x)\n"))
    found, = patterns_of("vouch/errors.py", "import re\ndef f(x):\n    return re.sub('a+$', '', x)\n")
    assert growth(found.pattern, *found.ways)


def grown(*words: str) -> tuple[int, str]:
    run = subprocess.run(
        [sys.executable, "-m", "patterns.grow", *words], capture_output=True, text=True, timeout=600,
        cwd=ROOT, env={"PYTHONPATH": f"{TESTS}:{ROOT}", "PATH": ""},
    )  # fmt: skip
    return run.returncode, run.stdout


@pytest.mark.soak                           # times, which a busy machine spoils: the proof above needs none
def test_repetitions_of_their_own_words_cost_in_proportion() -> None:
    code, said = grown("6")
    assert code == 0, said.splitlines()[-1:]
    assert [line for line in said.splitlines() if line.startswith("GROWS")] == []


@pytest.mark.soak
def test_more_repetitions_cost_in_proportion_too() -> None:
    code, said = grown("200")
    assert (code, [line for line in said.splitlines() if line.startswith("GROWS")]) == (0, []), said.splitlines()[-1:]


@pytest.mark.soak
@pytest.mark.parametrize("planted", [PLEASE, r"\s+$", r"\[[^\]]*\]\("])
def test_planted_patterns_are_noticed_while_they_run(planted: str) -> None:
    code, said = grown("20", planted)
    assert code == 1 or "GROWS planted" in said
