"""From values to HTML. Everything put into a template is escaped; nothing is marked as safe."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from starlette.responses import HTMLResponse, Response

from bots.confidence_words import made_of
from bots.http.page.assets import address
from bots.http.problems import Problem, for_readers, headers_of
from bots.steps_line import steps_line
from vouch.adapters.printable import printable
from vouch.answering.answer import REMOVED, only_from
from vouch.answering.answer_pieces import paragraphs
from vouch.documents.formats import shown_path, shown_title, where
from vouch.messages import MOST_STEPS
from vouch.moments import age, day
from vouch.ports.language import QUOTED

if TYPE_CHECKING:
    from jinja2 import Environment

MOST = 100                              # rows of a list that has no pages


class Rendering:
    def __init__(self, *, signs_in: bool = False) -> None:
        """`signs_in`: people sign in with a provider, and pages link to that."""
        self._templates = _environment()
        self._templates.globals["signs_in"] = signs_in

    def page(self, name: str, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any) -> Response:
        return HTMLResponse(self._templates.get_template(name).render(values), status, headers)

    def piece(self, name: str, **values: Any) -> str:
        """A part of a page, as HTML."""
        return self._templates.get_template(name).render(values)

    def problem(
        self, told: Problem, headers: Mapping[str, str] | None = None, *, wanted: str = "/", signed_in: bool = False,
        waits: bool = False, **known: Any,
    ) -> Response:  # fmt: skip
        """For people. Who is not signed in may do so, and come back to the page that was `wanted`. `waits`: the page
        looks again where the service cannot do it now. `known`: who asks and whether they operate, where that is
        known."""
        sent = headers_of(told, headers)
        may_help = told.status == 401 or (told.status in (403, 404) and not signed_in)
        return self.page("problem.html", told.status, sent, problem=for_readers(told), wanted=wanted,
                         may_help=may_help, again=sent.get("Retry-After", "") if waits else "", **known)


def safe_link(address: str | None) -> str:
    """The address, if a browser may follow it; else empty. No scheme but these two ever becomes a link."""
    try:
        scheme = urlsplit(address or "").scheme
    except ValueError:
        return ""
    return address or "" if scheme in ("http", "https") else ""


def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        autoescape=True, undefined=StrictUndefined, loader=PackageLoader("bots.http.page"), trim_blocks=True,
        lstrip_blocks=True, finalize=_shown,
    )
    made.filters.update(link=safe_link, part=lambda text: quote(str(text), safe=""), short=shown_path, day=day)
    made.filters.update(paragraphs=paragraphs, only_from=only_from, steps_line=steps_line)
    made.filters["field"] = _Field
    made.filters["writer"] = lambda model: "quoted from the documents" if model == QUOTED else f"written by {model}"
    made.filters["sentence"] = lambda text: text[:1].upper() + text[1:]     # what follows stays, such as UTC
    made.globals.update(where=where, title=shown_title, asset=address, age=age, most=MOST, made_of=made_of,
                        removed=REMOVED, most_steps=MOST_STEPS)
    return made


class _Field(str):
    """What a field sends again: escaped, and else as it is, but for what no page can hold."""

    def __new__(cls, value: object) -> "_Field":
        return super().__new__(cls, str(value).encode(errors="backslashreplace").decode())


def _shown(value: Any) -> Any:
    """Signs that turn words round or hide them are shown as what they are, whoever wrote them."""
    return printable(value) if type(value) is str else value
