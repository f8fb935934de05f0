"""Events of Slack acknowledged, and answers posted, at the limits of calls that the Slack on the loopback keeps to.

Acknowledged: `vouch slack run` is a process of its own; its time runs from the delivery to the acknowledgement, by when
the log has the question. Sustained: bot, worker, and sender answer the questions of several channels with the limits
on, on a home in which documents are read; without `--home` no answers are counted. VOUCH_SLACK__PROGRESS says whether
stages are shown meanwhile, which takes calls of its own; the table says it too.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.report import Report, p50, p95
from bots.slack.simulator import SlackServer
from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN, SECRET
from bots.slack.simulator.workspace import BOT_USER
from consumers.wiring.slack.simulator import open_workspace
from vouch.settings import read_settings

QUESTION = f"<@{BOT_USER}> How many weeks of parental leave may new hires receive?"
ACK_S = 3.0


def acknowledged(report: Report, mode: str, events: int, at_once: int) -> None:
    """One table line: so many deliveries, `at_once` of them at a time."""
    with SlackServer() as slack, tempfile.TemporaryDirectory() as home:
        bot = _bot(slack, mode, home)
        try:
            told = _told(slack, events, at_once)
        finally:
            bot.terminate()
            bot.wait()
    seconds = [one.seconds for one in slack.deliveries.log]
    report.line(mode, events, at_once, f"{p50(seconds) * 1000:.0f} ms", f"{p95(seconds) * 1000:.0f} ms",
                f"{events / told:.0f}", sum(not one.acked for one in slack.deliveries.log),
                checks=[p95(seconds) < ACK_S, all(one.acked for one in slack.deliveries.log)])


def _bot(slack: SlackServer, mode: str, home: str) -> subprocess.Popen[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")} | {
        "VOUCH_HOME": home, "VOUCH_SLACK__API_URL": slack.url, "VOUCH_SLACK__BOT_TOKEN": BOT_TOKEN,
        "VOUCH_SLACK__APP_TOKEN": APP_TOKEN, "VOUCH_SLACK__SIGNING_SECRET": SECRET, "VOUCH_SLACK__MODE": mode,
        "VOUCH_SLACK__PORT": "0",
    }  # fmt: skip
    bot = subprocess.Popen([sys.executable, "-m", "cli.main", "slack", "run"], env=env, text=True,
                           stdout=subprocess.PIPE, cwd=Path(__file__).resolve().parents[2])
    assert bot.stdout is not None
    told = bot.stdout.readline()
    if mode == "http":
        slack.deliveries.app.request_url = told.strip().partition(", ")[2]
    else:
        slack.sockets.wait_for_app(20)
    return bot


def _told(slack: SlackServer, events: int, at_once: int) -> float:
    """Seconds until all of them were delivered. Each person writes in direct messages: one event each."""
    slack.deliveries.retries = ()
    people = [slack.workspace.user(f"U{n:03}", f"p{n}", f"p{n}@acme.test").id for n in range(at_once)]
    began = time.monotonic()
    threads = [threading.Thread(target=_say, args=(slack, person, events // at_once)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - began


def _say(slack: SlackServer, person: str, times: int) -> None:
    direct = slack.workspace.direct(person)
    for _ in range(times):
        slack.deliveries.say(person, direct, "Who is on call?")


def sustained(report: Report, home: str, seconds: float, channels: int) -> None:
    """One table line: answers a minute while more is asked than Slack lets the app answer."""
    os.environ["VOUCH_HOME"] = home
    settings = read_settings()
    with open_workspace(settings, "socket", people_seconds=60.0) as (slack, settle, _, both):
        members = [one for one in both.members if one != BOT_USER]
        places = [slack.workspace.channel(f"C1{n:03}", f"c{n}", members, "private") for n in range(channels)]
        settle()
        slack.limits.on = True
        before, began = len(slack.api.calls), time.monotonic()
        asked = 0
        while time.monotonic() - began < seconds:
            if asked - _posted(slack) < 3 * channels:
                slack.deliveries.say(members[0], places[asked % channels], QUESTION)
                asked += 1
            else:
                time.sleep(0.05)
        answers, took = _posted(slack), time.monotonic() - began
        calls = Counter(name for name, _ in slack.api.calls[before:])
        slack.limits.on = False
        settle()
        missing = asked - _posted(slack)
    busiest = ", ".join(f"{name} {count / max(answers, 1):.1f}" for name, count in calls.most_common(4))
    refused = ", ".join(f"{name} {count}" for name, count in sorted(slack.limits.refused.items())) or "none"
    report.line(channels, settings.slack.progress, f"{took:.0f} s", answers, f"{answers * 60 / took:.0f}", busiest,
                refused, missing, checks=[missing == 0])


def _posted(slack: SlackServer) -> int:
    with slack.workspace.lock:
        return sum(one.user == BOT_USER and bool(one.metadata) for one in slack.workspace.messages)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--events", type=int, default=400)
    arguments.add_argument("--home", help="a home in which the demo's documents are read")
    arguments.add_argument("--seconds", type=float, default=120.0)
    given = arguments.parse_args()
    report = Report("Slack: acknowledged events")
    report.table(("transport", "events", "at once", "p50", "p95", "a second", "not acknowledged", "p95 under 3 s"))
    for mode in ("socket", "http"):
        for at_once in (1, 8):
            acknowledged(report, mode, given.events, at_once)
    if given.home:
        report.table(("channels", "progress", "for", "answers", "a minute", "calls for each answer", "calls refused",
                      "without an answer", "all answered"))
        for channels in (1, 10):
            sustained(report, given.home, given.seconds, channels)
    report.end()


if __name__ == "__main__":
    main()
