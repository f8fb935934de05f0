"""What the shell can complete, and what bash is told for it.

Completion must never disturb what is being typed: whatever goes wrong, there
are no suggestions. What is suggested comes from names that others chose, and
shells take it up as words of theirs: zsh evaluates it, bash may take a star
for a pattern. So only names of plain signs are suggested, in every shell.

Typer asks about the words that bash made, and bash parts words at colons: of `user:ana` and `notes:travel.md` it
would complete only what stands behind the colon, and find nothing. This asks about the line as it is typed, and
gives bash back what follows the colon. What holds a blank is quoted, and nothing is taken for a pattern of files.
"""

import unicodedata
from collections.abc import Callable, Iterable

from vouch.errors import VouchError

_MOST = 200
_SAFE = frozenset(" ._-/@:+,()")        # beside letters and digits; in quotes, as all shells get them, none is expanded
_BLANK_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0\u034f")      # nobody sees them


def _plain(name: str) -> bool:
    """Whether it is of letters, digits and a few signs that no shell acts on and everybody can see."""
    if name.isascii() and name.isalnum():
        return True
    return not name.startswith("-") and all(char in _SAFE or _is_letter(char) for char in name)


def _is_letter(char: str) -> bool:
    """Letters and digits of any script, with the marks that stand on them; variation selectors are no such marks."""
    if char in _BLANK_LETTERS or 0xFE00 <= ord(char) <= 0xFE0F or 0x180B <= ord(char) <= 0x180F or ord(char) >= 0xE0000:
        return False
    return unicodedata.category(char)[0] in "LMN"


def _suggesting(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        try:
            return sorted(name for name in names() if name.startswith(incomplete) and _plain(name))[:_MOST]
        except (VouchError, OSError):
            return []

    return complete


def _sources() -> Iterable[str]:
    from cli.wiring.administration import open_administration

    return [row.name for row in open_administration().ledger.sources.list()]


def _versions() -> Iterable[str]:
    from cli.wiring.administration import open_administration

    return [str(row.number) for row in open_administration().ledger.versions.rows() if row.state == "published"]


def _readers() -> Iterable[str]:
    from cli.wiring.administration import open_administration

    directory = open_administration().ledger.access.permissions().directory
    return ["public", *(f"user:{name}" for name in directory.people), *(f"group:{name}" for name in directory.groups)]


def _documents() -> Iterable[str]:
    from cli.wiring.administration import open_administration

    version = open_administration().store.open_current(documents_only=True)
    return [f"{header.source}:{header.path}" for header in version.documents()] if version else []


def _purged() -> Iterable[str]:
    from cli.wiring.administration import open_administration

    return [f"{row.source}:{row.path}" for row in open_administration().ledger.purges.all()]


def _dead() -> Iterable[str]:
    from cli.wiring.status import open_dead

    with open_dead() as letters:
        return [message.name for message in letters.lying(None)]


def _models() -> Iterable[str]:
    from cli.wiring.training.models import open_models

    return [row["name"] for row in open_models().rows()]


def _encoders() -> Iterable[str]:
    from vouch.adapters.models.fetching.known import KNOWN

    return KNOWN


def _kinds() -> Iterable[str]:
    from vouch.adapters.sources.kinds import SOURCES

    return SOURCES


sources, versions, readers, documents, purged, dead, models, encoders, kinds = map(
    _suggesting, (_sources, _versions, _readers, _documents, _purged, _dead, _models, _encoders, _kinds)
)


SCRIPT = """
%(complete_func)s() {
    local line="${COMP_LINE:0:COMP_POINT}" end=-1 typed found
    typed="${line##*[[:space:]]}"
    [[ -z $typed ]] && line+="''"
    mapfile -t found < <(env COMP_WORDS="$line" COMP_CWORD=$end %(autocomplete_var)s=complete_bash "$1")
    COMPREPLY=()
    for found in "${found[@]}"; do
        [[ $COMP_WORDBREAKS == *:* ]] && found="${found#"${typed%%"${typed##*:}"}"}"
        COMPREPLY+=( "$(printf %%q "$found")" )
    done
    return 0
}

complete -o default -F %(complete_func)s %(prog_name)s
"""


def use_own_script() -> None:
    """From now on `--install-completion` and `--show-completion` use this script for bash."""
    from typer import _completion_classes, _completion_shared

    _completion_shared._completion_scripts["bash"] = SCRIPT
    _completion_classes.BashComplete.source_template = SCRIPT
