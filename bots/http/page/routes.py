"""The pages: ask, read the answer, open a citation at its place, vote. Each look is checked for whoever looks."""

from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from bots.http.backend import Library, Questions
from bots.http.caller import Caller
from bots.http.forms import MOST_READERS
from bots.http.identity.identities import Identities
from bots.http.identity.local import COOKIE as SESSION
from bots.http.identity.local import LIFE_S, LocalSessions
from bots.http.load import Slots
from bots.http.page import assets
from bots.http.page.csrf import COOKIE as BROWSER
from bots.http.page.csrf import Marks
from bots.http.page.highlight import parts
from bots.http.page.rendering import Rendering
from bots.http.requests import caller_of, waited_for
from vouch.access import parse_tag
from vouch.errors import BadInput, Denied, NotFound

WAIT_S = 8.0                            # a form waits so long; then a page says that the answer is being made
AROUND = 2
Fields = dict[str, str]
Named = Annotated[str, Path(max_length=200)]


def build_pages(
    questions: Questions, library: Library, identities: Identities, local: LocalSessions | None, key: bytes,
    lookups: Slots, *, secure: bool = False,
) -> APIRouter:  # fmt: skip
    pages = APIRouter(include_in_schema=False)
    show, marks, who = Rendering(), Marks(key), Depends(caller_of(identities))

    def page(request: Request, caller: Caller, name: str, status: int = 200, **values: Any) -> Response:
        """The page, with a mark for its forms; the browser gets a cookie for it if it has none."""
        browser = request.cookies.get(BROWSER) or marks.new_browser()
        made = show.page(name, status, caller=caller, mark=marks.mark(browser, caller), **values)
        if BROWSER not in request.cookies:
            _put(made, BROWSER, browser, secure=secure)
        return made

    async def form(request: Request, caller: Annotated[Caller, who]) -> Fields:
        """The fields of a form that this service made for this person. Raises BadInput, Denied."""
        fields = _fields(await request.body())
        marks.check(fields.get("mark", ""), request.cookies.get(BROWSER), caller)
        return fields

    filled = Depends(form)

    @pages.get("/")
    def start(request: Request, caller: Annotated[Caller, who]) -> Response:
        return page(request, caller, "ask.html")

    @pages.post("/ask")
    async def ask(request: Request, caller: Annotated[Caller, who], fields: Annotated[Fields, filled]) -> Response:
        readers = _readers(caller, fields.get("audience", ""))
        named = await run_in_threadpool(questions.ask, fields.get("question", ""), readers)
        await waited_for(questions, named, caller.tag, WAIT_S)
        return RedirectResponse(f"/answers/{named}", 303)

    @pages.get("/answers/{named}")
    def answer(named: Named, request: Request, caller: Annotated[Caller, who], voted: str = "") -> Response:
        found = questions.look(named, caller.tag)
        if found is None:
            return page(request, caller, "pending.html", 202)
        return page(request, caller, "answer.html", answer=found, voted=voted == "1")

    @pages.get("/answers/{named}/citations/{number}")
    async def citation(named: Named, number: int, request: Request, caller: Annotated[Caller, who]) -> Response:
        """The passage as it stands now, if this reader may read the answer and the passage at this moment."""
        cited = await run_in_threadpool(_citation, questions, named, number, caller)
        shown = await lookups.run(caller.tag, library.show, cited["chunk_id"], [caller.tag], AROUND)
        text = parts(shown["passages"], tuple(cited["characters"]))
        return page(request, caller, "passage.html", citation=cited, shown=shown, parts=text, named=named)

    @pages.post("/vote")
    def vote(caller: Annotated[Caller, who], fields: Annotated[Fields, filled]) -> Response:
        named, given = fields.get("answer", ""), fields.get("vote", "")
        found = questions.look(named, caller.tag)
        if found is None or given not in ("up", "down"):
            raise BadInput("a vote is up or down, on an answer that is there", cure="open the page again")
        category = fields.get("category") or None if given == "down" else None
        questions.vote(named, caller.tag, given, fields.get("reason", "").strip() or None, category)
        return RedirectResponse(f"/answers/{found['id']}?voted=1", 303)

    @pages.get("/enter")
    def enter(request: Request, token: str = "") -> Response:
        """With the link that `vouch serve --as` prints."""
        if local is None:
            raise NotFound("nobody signs in by a link here", cure="vouch serve --as user:NAME prints one")
        session = local.enter(token, request.client.host if request.client else "")
        made = RedirectResponse("/", 303)
        _put(made, SESSION, session, secure=secure)
        return made

    @pages.post("/leave")
    def leave(caller: Annotated[Caller, who], fields: Annotated[Fields, filled]) -> Response:
        if local is None or caller.way != "local":
            raise Denied("there is no session to end here", cure="sign out where you signed in")
        local.leave(caller.session)
        made = show.page("left.html")
        made.delete_cookie(SESSION)
        return made

    pages.include_router(assets.router())
    return pages


def _put(made: Response, name: str, value: str, *, secure: bool) -> None:
    made.set_cookie(name, value, int(LIFE_S), httponly=True, samesite="strict", secure=secure)


def _fields(body: bytes) -> Fields:
    """Of a form as browsers send it. Raises BadInput."""
    try:
        found = parse_qs(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=20)
    except ValueError as error:
        raise BadInput("the form cannot be read", cure="open the page again") from error
    if any(len(values) > 1 for values in found.values()):
        raise BadInput("a field of the form came twice", cure="open the page again")
    return {name: values[0].replace("\r\n", "\n") for name, values in found.items()}


def _readers(caller: Caller, added: str) -> tuple[str, ...]:
    """Who will see the answer: whoever asks, and whom they named."""
    tags = [parse_tag(word) for word in added.replace(",", " ").split()]
    if len(tags) > MOST_READERS:
        raise BadInput(f"an answer is for {MOST_READERS} further readers at most", cure="name a group")
    return tuple(dict.fromkeys((caller.tag, *tags)))


def _citation(questions: Questions, named: str, number: int, caller: Caller) -> dict[str, Any]:
    found = questions.look(named, caller.tag)
    cited = [one for one in (found or {}).get("citations", ()) if one["number"] == number]
    if not cited or cited[0].get("origin", "internal") != "internal":
        raise NotFound("the answer has no such citation", cure="open the answer again")
    return dict(cited[0])
