"""Writes the pictures that README and docs show: the demo company in `vouch serve`, in a real Chromium.

`make screenshots` runs it. It needs the program chromium, and a few minutes for the ingest.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PICTURES, EXAMPLES = ROOT / "docs" / "pictures", ROOT / "examples"
COMMAND = Path(sys.executable).with_name("vouch")
PERSON = "user:ben@acme.test"
QUESTION = "What is a performance improvement plan and how long does it take?"
WIDE, HIGH, MOST_BYTES = 900, 760, 150_000


def main() -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("error: there is no program chromium\n  try: sudo apt install chromium")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="vouch-pictures-") as place:
        env = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
        env["VOUCH_HOME"] = str(Path(place) / "home")
        fill(env)
        with serving(env) as link, page_of(chromium) as page:
            walk(page, link)
    for picture in sorted(PICTURES.glob("*.png")):
        sys.stdout.write(f"{picture.relative_to(ROOT)}: {picture.stat().st_size:,} bytes\n")
        if picture.stat().st_size > MOST_BYTES:
            sys.exit(f"error: {picture} is larger than {MOST_BYTES:,} bytes\n  try: a smaller window")


def fill(env: dict[str, str]) -> None:
    """A home with the demo company."""
    handbook = EXAMPLES / "handbook"
    for words in (
        ["source", "add", "handbook", "--kind", "events", "--path", handbook / "events.jsonl.gz", "--access",
         handbook / "access.yaml"],
        ["source", "add", "company", "--kind", "folder", "--path", EXAMPLES / "company"],
        ["directory", "load", EXAMPLES / "directory.yaml"], ["ingest"],
    ):
        sys.stdout.write(f"vouch {' '.join(map(str, words))}\n")
        subprocess.run([COMMAND, *map(str, words)], env=env, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def serving(env: dict[str, str]) -> Iterator[str]:
    """The link that signs the person in, once questions are answered."""
    words = [COMMAND, "serve", "--port", "0", "--as", PERSON]
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        link = process.stdout.readline().split()[-1]
        try:
            if not any(line.startswith("ready") for line in process.stdout):
                sys.exit("error: the service ended before it was ready\n  try: vouch doctor")
            yield link
        finally:
            process.terminate()


@contextmanager
def page_of(chromium: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium)
        yield browser.new_page(viewport={"width": WIDE, "height": HIGH}, color_scheme="light")
        browser.close()


def walk(page: Any, link: str) -> None:
    """From the question to its answer, a citation, and how it was answered; a picture of each."""
    page.goto(link)
    page.fill("#question", QUESTION)
    page.get_by_role("button", name="Ask").click()
    page.locator("h1.question").wait_for(timeout=120_000)
    answer = page.url
    page.mouse.click(0, 0)              # no ring of focus in the picture
    page.screenshot(path=PICTURES / "answer.png")
    page.goto(f"{answer}/citations/1#quote")
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=PICTURES / "citation.png")
    page.goto(f"{answer}/trace")
    page.screenshot(path=PICTURES / "trace.png")


if __name__ == "__main__":
    main()
