"""The demo shows what its scenes say: rights decide who is answered from what, and a revocation counts at once."""

import re
import sys
from pathlib import Path

import pytest
from running import warm

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.model, pytest.mark.slow]


def test_the_scenes_show_what_they_say(tmp_path: Path) -> None:
    done = warm.run([sys.executable, "-m", "cli.main", "demo", "--prefect"], cwd=ROOT, capture_output=True,
                          text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "warning:" not in done.stderr, "nothing is odd about the company"
    assert done.stdout.count("was read only in part") <= 1, "told once, not at every step"
    scene = r"\$ vouch ask '[^']*'(?: --steps \d)? --as user:(\w+)@acme.test\n(.*?)(?=\n\$ |\n===|\nDone)"
    asked = re.findall(scene, done.stdout, re.S)
    (ana, by_ana), (ben, by_ben), *rest = asked
    of_two, unanswered, before, after, rolled_back, new = (answer for _, answer in rest)
    assert (ana, ben) == ("ana", "ben")
    assert "company:" not in by_ana and "company:people/parental-leave-exceptions.md" in by_ben
    assert "2 further steps" in of_two
    assert "company:engineering/on-call.md" in of_two and "company:security/incident-2026-03.md" in of_two
    assert "company:people/performance-improvement.md" in before and "answered" in before
    last = done.stdout[done.stdout.rindex("Learning from use") :]
    changed = last.index("What changed: the first 5 passages")
    assert last.index("gate") < changed < last.index("vouch models rollback fusion")
    assert "Flow run finished successfully" in last and "company:engineering/coffee.md" in new
    assert "\ndeclined: " in unanswered
    for refused in (after, rolled_back):
        assert refused.startswith("I found no clear answer.") and "company:" not in refused
