"""The report of an agent's training as files below the home: labels and numbers, no words of a question."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flows.training.training_files import write_files


def write_agent_report(home: Path, name: str, report: Mapping[str, Any]) -> Path:
    """The folder HOME/trainings/NAME with report.md and report.json. Raises Damaged for a link, Unavailable."""
    numbers = json.dumps(report, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    return write_files(home, name, {"report.md": markdown(name, report), "report.json": numbers})


def markdown(name: str, report: Mapping[str, Any]) -> str:
    validation, actor = report["figures"]["validation"], report["actor"]
    templates = ", ".join(f"{one['form']} (of {one['most']}, {one['names']} names)" for one in actor["templates"])
    gain = " to ".join(map(str, validation["gain_interval"]))
    lines = [
        f"# {name}", "", f"**Refused**: {report['refused']}" if report["refused"] else "All gates are passed.", "",
        f"Templates in order: {templates}. At most {actor['steps']} steps"
        + (", and a name is followed in any case." if actor["follows"] else "."), "",
        f"Instructions for a language model: {actor['instructions'] or 'none'}", "",
        f"Recall on {validation['after']['questions']} validation questions: {validation['before']['recall']} before, "
        f"{validation['after']['recall']} after; gain {validation['gain']} ({gain}), {validation['better']} better, "
        f"{validation['worse']} worse; steps {validation['before']['steps']} before, {validation['after']['steps']} "
        "after.", "",
        "## Gates", "", "| gate | | found | at least | |", "|---|---|---|---|---|",
        *(f"| {g['name']} | {'passed' if g['passed'] else '**not passed**'} | {_shown(g['found'])} | "
          f"{_shown(g['least'])} | {g['told']} |" for g in report["gates"]), "",
        "## What was tried", "", "| round | by | change | on | kept | recall | worth | steps | ms |",
        "|---|---|---|---|---|---|---|---|---|",
        *(f"| {t['round']} | {t['by']} | {t['why']} | {t['questions']} {t['on']} | {'yes' if t['kept'] else 'no'} | "
          f"{t['recall']} | {t['worth']} | {t['steps']} | {t['ms']} |" for t in report["bank"]),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
