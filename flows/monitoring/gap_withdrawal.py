"""Takes questions out of reports that are already written, once their asker no longer lets them be shown."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from flows.monitoring.gap_markdown import page
from flows.monitoring.gap_report import as_json
from flows.monitoring.gap_run import tells
from flows.runs.run import sole_run
from flows.shared.report_folders import refuse_links
from flows.shared.weekly_reports import picture_of, report_day, report_files, reports_turn
from indexers.storage.durable import disk_errors, replace_file


def withdraw_examples(home: Path, texts: Collection[str]) -> int:
    """No report shows any of the normalised `texts` because its asker allowed it; how many reports were changed.

    What as many people asked in the same words stays: it was shown without anybody's leave. A report that cannot be
    understood is deleted. Raises Busy beside a run, Damaged for a link, Unavailable.
    """
    with sole_run(home, []), reports_turn(home):
        refuse_links(home)
        found = [path for path in report_files(home) if path.suffix == ".json"]
        return sum(_withdrawn(path, frozenset(texts)) for path in found)


def _withdrawn(path: Path, texts: frozenset[str]) -> bool:
    """Whether it had to be changed."""
    with disk_errors(path):
        data = path.read_bytes()
    try:
        report = json.loads(data)
        if not any(texts.intersection(gap.get("allowed_examples", ())) for gap in report["gaps"]):
            return False
        cleaned = _without(report, texts)
        written = page(cleaned, cleaned.get("drift"), picture_of(report_day(path)))
    except (ValueError, KeyError, TypeError, AttributeError):
        with disk_errors(path):
            for kind in (".md", ".json"):
                path.with_suffix(kind).unlink(missing_ok=True)
        return True
    replace_file(path.with_suffix(".md"), written.encode())
    replace_file(path, as_json(cleaned).encode())       # last: a killed run is run again
    return True


def _without(report: dict[str, Any], texts: frozenset[str]) -> dict[str, Any]:
    gaps = [{**gap, "allowed_examples": [one for one in gap["allowed_examples"] if one not in texts]}
            for gap in report["gaps"]]
    return {**report, "gaps": [gap for gap in gaps if report["owner"] is None or tells(gap)]}
