"""What a person at a shell expects of any command."""

import io
import json
import os
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from cli.main import app
from cli.terminal.help import SECTIONS

ROOT = Path(__file__).resolve().parents[3]


def commands() -> set[str]:
    from typer.main import get_command

    return {name for name, command in get_command(app).commands.items() if not command.hidden}  # type: ignore[attr-defined]


def test_help_is_what_a_command_alone_prints_and_no_error(vouch: Any) -> None:
    for words in ((), ("source",), ("versions",), ("access",), ("dead",), ("directory",), ("train",), ("evaluate",)):
        code, out, err = vouch(*words)
        assert (code, err) == (0, "") and out.startswith("Usage: vouch"), words


def test_every_command_stands_in_one_group_of_the_help(vouch: Any) -> None:
    grouped = [name for names in SECTIONS.values() for name in names]
    assert sorted(grouped) == sorted(set(grouped)) and set(grouped) == commands()
    out = vouch()[1]
    assert all(f"{title}:\n" in out for title in SECTIONS) and "Other commands" not in out
    assert "..." not in out.split("Options:")[1], "no sentence is cut off"


def test_the_version_is_told(vouch: Any) -> None:
    assert vouch("--version") == (0, f"vouch {version('vouch')}\n", "")


@pytest.mark.parametrize("words", [("--debug", "ask", "x", "--nope"), ("ask", "x", "--nope", "--debug")])
def test_a_slip_is_no_traceback_even_where_tracebacks_are_asked_for(vouch: Any, words: tuple[str, ...]) -> None:
    code, _, err = vouch(*words)
    assert code == 2 and "--nope" in err and "Traceback" not in err


def test_debug_may_stand_anywhere(vouch: Any) -> None:
    from vouch.errors import NotFound

    with pytest.raises(NotFound):
        vouch("ingest", "--debug")


@pytest.mark.parametrize("words", [("documents", "--json"), ("documents",), ("search", "leave", "--json")])
def test_who_stops_reading_is_told_nothing(vouch: Any, home: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    for number in range(3):
        (papers / f"{number}.md").write_text(f"# Leave {number}\n\nThirty days of leave.\n")
    (papers / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    assert vouch("source", "add", "papers", "--kind", "folder", "--path", papers)[0] == 0
    assert vouch("ingest")[0] == 0
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "cli.main", *words]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, cwd=ROOT, check=False, timeout=120)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_words_need_no_quotes_and_a_dash_reads_standard_input(vouch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from cli.asking.questions import one_or_many

    assert [q.text for q in one_or_many(["how", "long", "is", "leave"], [], None, usage="")] == ["how long is leave"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"wie lang?\n")))
    assert [q.text.strip() for q in one_or_many(["-"], [], None, usage="")] == ["wie lang?"]


def test_a_file_with_a_bad_line_is_refused_before_anything_is_asked(vouch: Any, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps({"id": "1", "text": "fine"}) + "\nnot json\n")
    code, out, err = vouch("ask", "--questions", file)
    assert (code, out) == (5, "") and "line 2 is not JSON" in err


@pytest.mark.parametrize(("line", "why"), [
    ("", "holds no question"), ('{"text": "' + "a" * 4001 + '"}', "line 1 is longer than 4,000 characters"),
    ('{"text": "a", "as": ["bob"]}', "line 1: 'bob'"), ('{"text": "a", "steps": 9}', "line 1: steps is no number"),
    ('{"text": "a", "steps": true}', "line 1: steps is no number"),
])
def test_every_line_of_a_file_of_questions_is_checked_before_the_first_is_asked(
    line: str, why: str, tmp_path: Path
) -> None:
    from cli.asking.questions import one_or_many
    from vouch.errors import BadInput

    file = tmp_path / "questions.jsonl"
    file.write_text(line)
    with pytest.raises(BadInput, match=why):
        one_or_many([], [], file, usage="")


def test_steps_of_a_line_are_read_and_keys_that_mean_nothing_are_told(tmp_path: Path) -> None:
    from cli.asking.questions import one_or_many, unread_keys

    file = tmp_path / "questions.jsonl"
    file.write_text('{"text": "a", "steps": 3, "readers": ["user:bob"]}\n{"question": "b"}\n')
    asked = one_or_many([], [], file, usage="")
    assert [one.steps for one in asked] == [3, None] and unread_keys(asked) == "not read in these lines: readers"
    assert unread_keys(asked[1:]) == "" and unread_keys(asked, takes_steps=False).endswith("readers, steps")


def test_a_file_of_questions_may_have_a_byte_order_mark(tmp_path: Path) -> None:
    from cli.asking.questions import one_or_many

    file = tmp_path / "asked.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + b'{"text": "a"}\r\n{"text": "b"}\r\n')
    assert [one.text for one in one_or_many([], [], file, usage="")] == ["a", "b"]


def test_a_file_of_questions_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cli.asking import questions
    from vouch.errors import BadInput

    def read(file: Path) -> None:
        questions.one_or_many([], [], file, usage="")

    with pytest.raises(BadInput, match="line 1 is longer than 10,000,000 characters"):
        read(Path("/dev/zero"))
    file = tmp_path / "questions.jsonl"
    for text, why in (('{"text": "fine"}\n' + "[" * 100_000, "line 2 is not JSON"), ("\n" * 300, "more than 200")):
        file.write_text(text)
        monkeypatch.setattr(questions, "_LARGEST_FILE", 200 if "200" in why else 1_000_000)
        with pytest.raises(BadInput, match=why):
            read(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="is not UTF-8 text"):
        read(file)
    with pytest.raises(BadInput, match="cannot read"):
        read(tmp_path / "nothing.jsonl")


def test_empty_lists_say_so_in_words(vouch: Any) -> None:
    for words in (("source", "list"), ("documents",), ("versions", "list"), ("purge", "--list"), ("directory", "show"),
                  ("dead", "list")):
        code, out, _ = vouch(*words)
        assert code == 0 and len(out.splitlines()) == 1 and out.strip(), words
        assert vouch(*words, "--json")[1] == "", words


def test_completion_suggests_and_is_silent_where_it_cannot(vouch: Any, home: Path, tmp_path: Path) -> None:
    from cli.terminal import completion

    assert completion.sources("") == completion.versions("") == completion.documents("") == []
    home.mkdir(exist_ok=True)
    (home / "ledger.sqlite").write_bytes(b"no ledger at all")
    assert completion.readers("user:") == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(("typed", "offered"), [
    ("vouch source set no", ["notes"]),
    ("vouch ingest ", ["notes", "other"]),
    ("vouch ask 'two words' --as user:a", ["ana@acme.test"]),      # what follows the colon: bash has the rest
    ("vouch access what gr", ["group:staff"]),
])
def test_bash_completes_what_has_a_colon(
    vouch: Any, home: Path, tmp_path: Path, typed: str, offered: list[str]
) -> None:
    for name in ("notes", "other"):
        (tmp_path / name).mkdir()
        vouch("source", "add", name, "--kind", "folder", "--path", tmp_path / name)
    (tmp_path / "directory.yaml").write_text(
        "groups: {staff: {}}\npeople:\n  ana@acme.test: {groups: [staff]}\n")
    vouch("directory", "load", tmp_path / "directory.yaml")
    command = tmp_path / "vouch-for-test"
    command.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -m cli.main \"$@\"\n")
    command.chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    script = subprocess.run([sys.executable, "-m", "cli.main"], env={**env, "_VOUCH_COMPLETE": "source_bash"}, cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    told = f'{script}\nCOMP_LINE=$1 COMP_POINT=${{#1}}; _vouch_completion vouch-for-test\n' \
           'for one in "${COMPREPLY[@]}"; do echo "$one"; done'
    done = subprocess.run(["bash", "-c", told, "bash", typed], env=env, cwd=ROOT, capture_output=True, text=True,
                          check=True)
    assert done.stdout.split() == offered


UNSAFE = ["a\\$(touch PWNED).md", "a$(touch PWNED).md", "a`touch PWNED`.md", "*.md", "a?.md", "[a].md", "{a,b}.md",
          "~.md",
          "a;touch PWNED.md", "a&b.md", "a|b.md", "a>b.md", "a'b.md", 'a"b.md', "a!b.md", "a#b.md", "a\nb.md",
          "a\tb.md",
          "a\u202eb.md", "a\u200bb.md", "a\u3164b.md", "a\ufe0fb.md", "a\U000e0041b.md", "a=b.md", "a%b.md", "a^b.md",
          "a\x1b[2J.md", "a\u00adb.md", "a\u00a0b.md", "a\ue000b.md"]  # fmt: skip
SAFE = ["Füße.md", "e\u0301t.md", "a b (1).md", "план/日本語_2.md", "हिन्दी.md", "ana+x@acme.test", "a,b-c.md"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("listed", ["_purged", "_documents", "_readers", "_sources", "_versions", "_dead"])
def test_no_shell_is_given_a_name_that_it_would_act_on(
    shell: str, listed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the completion of each shell prints, which zsh evaluates."""
    from typer import _completion_classes as classes
    from typer._click.shell_completion import CompletionItem

    from cli.terminal import completion

    suggesting = completion._suggesting(lambda: [f"s:{name}" for name in [*UNSAFE, *SAFE]])
    assert getattr(completion, listed.strip("_")).__code__ is suggesting.__code__     # type: ignore[attr-defined]
    told = [CompletionItem(name) for name in suggesting("s:")]
    assert [item.value for item in told] == sorted(f"s:{name}" for name in SAFE)
    made = {"bash": classes.BashComplete, "zsh": classes.ZshComplete, "fish": classes.FishComplete}[shell]
    complete = made(None, {}, "vouch", "_VOUCH_COMPLETE")      # type: ignore[arg-type]
    monkeypatch.setattr(complete, "get_completion_args", lambda: ([], "s:"))
    monkeypatch.setattr(complete, "get_completions", lambda args, incomplete: told)
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    printed = complete.complete()
    assert "PWNED" not in printed and not set("$`;&|<>*?[]{}~!#") & set(printed.removeprefix("_arguments '*:"))


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_takes_no_suggestion_for_a_pattern_or_a_command(tmp_path: Path) -> None:
    """Even if the command suggested it: a planted one prints names that the shell might act on."""
    from cli.terminal.completion import SCRIPT

    given = ["*", "a?", "$(touch PWNED)", "`touch PWNED`", "a b", "\\$(touch PWNED)"]
    (tmp_path / "ab").touch()
    command = tmp_path / "suggests"
    command.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(given) + "\nEND\n")
    command.chmod(0o755)
    script = SCRIPT % {"complete_func": "_it", "autocomplete_var": "X", "prog_name": "suggests"}
    told = f"{script}\nCOMP_LINE='suggests ' COMP_POINT=9; _it ./suggests\n" \
           'for one in "${COMPREPLY[@]}"; do eval "printf \'%s\\n\' $one"; done'
    done = subprocess.run(["bash", "-c", told], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == given and not (tmp_path / "PWNED").exists()


def test_rules_of_a_source_are_an_object_for_programs(vouch: Any, tmp_path: Path) -> None:
    for name, rules in {"fine": 'rules: [{match: "**", allow: [public]}]', "bad": "rules: 7", "bare": None}.items():
        (tmp_path / name).mkdir()
        if rules:
            (tmp_path / name / "access.yaml").write_text(rules)
        vouch("source", "add", name, "--kind", "folder", "--path", tmp_path / name)
    rows = {row["name"]: row["rules"] for row in map(json.loads, vouch("source", "list", "--json")[1].splitlines())}
    assert rows["fine"] == {"state": "ok", "count": 1, "reason": None}
    assert (rows["bad"]["state"], rows["bad"]["count"]) == ("broken", 0) and "rules" in rows["bad"]["reason"]
    assert (rows["bare"]["state"], rows["bare"]["count"]) == ("none", 0)
    shown = vouch("source", "list")[1]
    assert "1 rule" in shown and "broken, nobody may read" in shown and "none, nobody may read" in shown


@pytest.mark.parametrize(("kernel", "sound", "told"), [
    ("1\n", True, "nobody can make one"), ("0\n", False, "users can hard-link"), (None, True, "does not say"),
])
def test_doctor_looks_who_may_make_hard_links(
    vouch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernel: str | None, sound: bool, told: str
) -> None:
    from cli.administration import checks, installation_checks

    monkeypatch.setattr(checks, "_CHECKS", {"hard links": checks._CHECKS["hard links"]})
    monkeypatch.setattr(installation_checks, "HARD_LINKS", tmp_path / "protected_hardlinks")
    if kernel is not None:
        (tmp_path / "protected_hardlinks").write_text(kernel)
    assert "no folder is a source" in vouch("doctor")[1]
    (tmp_path / "notes").mkdir()
    vouch("source", "add", "notes", "--kind", "folder", "--path", tmp_path / "notes")
    code, out, _ = vouch("doctor")
    assert (code, told in out, "sysctl fs.protected_hardlinks=1" in out) == (0 if sound else 8, True, not sound)


@pytest.mark.parametrize(("words", "told"), [
    (("versions", "rollback", "x"), "it must be a whole number"),
    (("ingest", "--until", "0"), "it must be greater than or equal to 1"),
    (("source", "add", "a", "--kind", "x", "--path", "/tmp"), "error: 'x' is not a kind of source\n"),
    (("source", "add", "a", "--path", "/tmp"), "error: --kind is missing\n"),
    (("feedback", "ID"), "error: VOTE is missing: choose from up, down\n"),
    (("source", "add",), "error: NAME is missing\n"),
])
def test_a_wrong_value_is_told_in_our_words(vouch: Any, words: tuple[str, ...], told: str) -> None:
    code, _, err = vouch(*words)
    assert code == 2 and told in err and "Input should" not in err and "Value error" not in err


def test_an_empty_home_has_nothing_to_rebuild(vouch: Any) -> None:
    code, out, err = vouch("rebuild")
    assert (code, out) == (3, "") and "there are no sources" in err
