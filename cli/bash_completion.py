"""What bash is told for completion, in place of typer's words.

Typer asks about the words that bash made, and bash parts words at colons: of `user:ana` and `notes:travel.md` it
would complete only what stands behind the colon, and find nothing. This asks about the line as it is typed, and
gives bash back what follows the colon. What holds a blank is quoted, and nothing is taken for a pattern of files.
"""

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
    """From now on `--install-completion` and `--show-completion` give this one to bash."""
    from typer import _completion_classes, _completion_shared

    _completion_shared._completion_scripts["bash"] = SCRIPT
    _completion_classes.BashComplete.source_template = SCRIPT
