"""A folder with one file of each format, ingested and asked through the command: each answer cites the right one."""

import json
import os
import sys
from email.message import EmailMessage
from pathlib import Path

import pytest
from hostile_files.office_by_hand import docx, odt, paragraph, pptx, sheet, slide, xlsx
from hostile_files.pdf_by_hand import sound
from running import warm

from vouch.documents.formats import FORMATS, format_of

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.model, pytest.mark.slow]
# File → the sentence in it that is asked for, the question, words of the answer.
ASKED = {
    "parking.md": ("The parking garage closes at ten in the evening.", "When does the parking garage close?", "ten"),
    "badges.html": ("A lost badge costs fifteen euros.", "What does a lost badge cost?", "fifteen"),
    "fire.pdf": ("The fire drill takes place every April.", "When does the fire drill take place?", "April"),
    "printer.txt": ("The printer password is changed by the front desk.", "Who changes the printer password?", "desk"),
    "backup.rst": ("Backups are kept for ninety days.", "How long are backups kept?", "ninety"),
    "release.adoc": ("A release is tagged by the build captain.", "Who tags a release?", "captain"),
    "travel.docx": ("Rail journeys need approval by the team lead.", "Who approves rail journeys?", "team lead"),
    "vision.pptx": ("The Lisbon office opens in September.", "When does the Lisbon office open?", "September"),
    "prices.xlsx": ("Standing desk", "How much does a standing desk cost?", "640"),
    "phones.csv": ("Reception", "What is the phone extension of the reception?", "4417"),
    "lunch.eml": ("The canteen serves lunch until half past two.", "Until when is lunch served?", "half past"),
    "study.ipynb": ("The churn model is trained on Mondays.", "When is the churn model trained?", "Mondays"),
    "lease.rtf": ("The lease of the warehouse ends in 2031.", "When does the lease of the warehouse end?", "2031"),
    "gym.odt": ("Gym vouchers are paid by the works council.", "Who pays gym vouchers?", "works council"),
}


def write(folder: Path) -> None:
    said = {name: words for name, (words, _, _) in ASKED.items()}
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Canteen hours", "ana@acme.test"
    mail.set_content(said["lunch.eml"])
    title = "<text:h text:outline-level='1'>Gym</text:h>"
    made: dict[str, str | bytes] = {
        "parking.md": f"# Parking\n\n{said['parking.md']}\n",
        "badges.html": f"<html><body><h1>Badges</h1><p>{said['badges.html']}</p></body></html>",
        "fire.pdf": sound(said["fire.pdf"]),
        "printer.txt": said["printer.txt"],
        "backup.rst": f"Backups\n=======\n\nKeeping\n-------\n{said['backup.rst']}\n",
        "release.adoc": f"= Releases\n\n== Tags\n\n{said['release.adoc']}\n",
        "travel.docx": docx(paragraph("Rail", '<w:outlineLvl w:val="0"/>') + paragraph(said["travel.docx"])),
        "vision.pptx": pptx(slide("Vision", "Where we go"), slide("Offices", said["vision.pptx"])),
        "prices.xlsx": xlsx(sheet([["Item", "Price in euros"], ["Standing desk", "640"], ["Office lamp", "35"]])),
        "phones.csv": "Place;Phone extension\nReception;4417\nWorkshop;4420\n",
        "lunch.eml": mail.as_bytes(),
        "study.ipynb": json.dumps({"nbformat": 4, "cells": [
            {"cell_type": "markdown", "source": f"# Churn\n\n{said['study.ipynb']}"},
            {"cell_type": "code", "source": "train()"}]}),
        "lease.rtf": r"{\rtf1\ansi " + said["lease.rtf"] + r"\par}",
        "gym.odt": odt(f"{title}<text:p>{said['gym.odt']}</text:p>"),
    }  # fmt: skip
    for name, data in made.items():
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    """File → the answer to the question that it alone can answer."""
    place = tmp_path_factory.mktemp("formats")
    (place / "docs").mkdir()
    write(place / "docs")
    (place / "docs" / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0")
    questions = place / "questions.jsonl"
    lines = [json.dumps({"id": name, "text": asked}) for name, (_, asked, _) in ASKED.items()]
    questions.write_text("\n".join(lines))

    def vouch(*words: object) -> list[dict]:
        done = warm.run(
            [sys.executable, "-m", "cli.main", *map(str, words), "--json"], cwd=ROOT, capture_output=True, text=True,
            env={**os.environ, "VOUCH_HOME": str(place / "home")}, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    vouch("source", "add", "docs", "--kind", "folder", "--path", place / "docs", "--access",
          ROOT / "examples" / "public.yaml")
    (report,) = vouch("ingest")
    assert report["documents"]["added"] == len(ASKED) and report["documents"]["quarantined"] == 0, report
    assert report["skipped"] == [
        {"source": "docs", "path": "old.doc", "reason": ".doc files are not read (save it as .docx)"}
    ]
    return dict(zip(ASKED, vouch("ask", "--questions", questions), strict=True))


def test_every_format_is_among_them() -> None:
    assert {format_of(name) for name in ASKED} == set(FORMATS)


@pytest.mark.parametrize("name", ASKED)
def test_a_question_is_answered_from_the_file_that_holds_the_answer(answers: dict[str, dict], name: str) -> None:
    wanted, answer = ASKED[name][2], answers[name]
    assert wanted in answer["answer"], answer
    first, *others = (c["path"] for c in answer["citations"])
    assert first == name and (set(others) <= {name} or answer["action"] == "answered_with_caution")
    assert wanted in " ".join(c["quote"] for c in answer["citations"] if c["path"] == name)
    assert answer["citations"][0]["page"] == {"vision.pptx": 2, "fire.pdf": 1}.get(name)
