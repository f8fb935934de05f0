"""What a page of the service is made of."""

import re
from html.parser import HTMLParser

TAGS = {"a", "article", "bdi", "blockquote", "body", "br", "button", "code", "dd", "details", "div", "dl", "dt", "form",
        "h1", "h2", "h3", "head", "header", "html", "img", "input", "label", "li", "link", "main", "mark", "meta",
        "nav", "noscript", "ol", "option", "p", "rect", "script", "section", "select", "span", "strong", "summary",
        "sup", "svg", "table", "tbody", "td", "textarea", "th", "thead", "time", "title", "tr", "ul"}


class Tags(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def complaints(text: str) -> list[str]:
    """What of a page is not of our own making: elements, scripts, addresses that leave the origin."""
    found = []
    for tag, attributes in Tags(text).found:
        if tag not in TAGS or any(name.startswith("on") or name == "style" for name in attributes):
            found.append(f"{tag} {attributes}")
        if tag == "script" and not re.match(r"/static/[a-z.]+\.js\?v=[0-9a-f]{12}$", attributes.get("src") or ""):
            found.append(f"script {attributes}")
        for name in ("href", "src", "action"):
            value = attributes.get(name) or ""
            outside = name == "href" and tag == "a" and re.match("https?://", value)
            if name in attributes and not re.match(r"/(?!/)|#|data:,$", value) and not outside:
                found.append(f"{tag} {name} {value}")
    return found
