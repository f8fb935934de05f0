"""Which files name a kind of source or a surface: a branch on one anywhere else makes the next one dearer to add.

`http` and `log` are not looked for, as addresses, topics and folders are called so too.
"""

import ast
from collections import defaultdict
from collections.abc import Mapping, Set
from pathlib import Path

from vouch.adapters.sources.kinds import SOURCES
from vouch.messages import TERMINAL

ROOT = Path(__file__).parents[3]
PACKAGES = ("bots", "cli", "composition", "consumers", "flows", "indexers", "services", "vouch")
DEMO = {"cli/demos/company_folder.py", "cli/demos/story.py"}
ALLOWED: Mapping[str, Set[str]] = {
    "folder": {
        "vouch/adapters/sources/kinds.py", "vouch/adapters/sources/human_answers.py", *DEMO,
        "cli/administration/upkeep.py", "cli/administration/versions.py", "cli/learning/models.py",     # of files
    },
    "events": {
        "vouch/adapters/sources/kinds.py", "vouch/adapters/sources/events/source.py", *DEMO,
        "bots/http/identity/bearer.py", "bots/http/identity/oidc/logout.py",        # a claim of a token
    },
    "git": {"vouch/adapters/sources/kinds.py", "vouch/adapters/sources/git/command.py"},
    "slack": {"consumers/wiring/surfaces.py", "vouch/extras.py", "cli/terminal/help.py"},
    "callback": {"vouch/settings/surfaces.py"},
    "terminal": {"vouch/messages/message.py"},
}
OWN = ("bots/slack/", "consumers/wiring/slack/", "cli/wiring/slack.py")     # the surface itself


def naming(root: Path = ROOT) -> dict[str, set[str]]:
    """Files by the names that are a whole text in them."""
    found = defaultdict[str, set[str]](set)
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            file = str(path.relative_to(root))
            texts = {node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)
                     and isinstance(node.value, str)}
            for name in texts & ALLOWED.keys():
                if not file.startswith(OWN):
                    found[name].add(file)
    return dict(found)


def test_no_other_file_names_a_kind_of_source_or_a_surface() -> None:
    assert naming() == ALLOWED


def test_every_kind_of_source_is_looked_for() -> None:
    assert ALLOWED.keys() >= {*SOURCES, TERMINAL}


def test_a_branch_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "purge.py").write_text('place = row.path if row.kind == "git" else None\n')
    assert naming(tmp_path) == {"git": {"flows/purge.py"}}
