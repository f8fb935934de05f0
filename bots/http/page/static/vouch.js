// What pages do beyond forms and links. Without it every page still works: a page that waits loads itself anew.
"use strict";

const AGAIN_MS = 2000, LOOK_MS = 60000;

// What could not be done is told beside the form that asked for it, and what was typed stays.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig } = event.detail;
  if (xhr.status < 400) return;
  const told = requestConfig.elt.querySelector(".told");
  if (!told) { location.reload(); return; }
  if (!xhr.getResponseHeader("Content-Type")?.startsWith("text/html")) {
    told.textContent = "It was refused before it was read. Try again in a moment.";
    return;
  }
  Object.assign(event.detail, { shouldSwap: true, isError: false, ignoreTitle: true, target: told,
                                selectOverride: "#main .error", swapOverride: "innerHTML" });
});

document.addEventListener("htmx:sendError", (event) => {
  const told = event.detail.requestConfig.elt.querySelector(".told");
  if (told) told.textContent = "The service does not answer. Try again in a moment.";
});

function put(place, html, how) {
  htmx.swap(place, html, { swapStyle: how });
}

// Fields that one types into, and what is in them.
const FIELDS = "#main :is(input, textarea, select)[id]:not([type=file], [type=checkbox])";

// The page, and the part of it that is shown, as the service gives them now. Whoever refuses for the moment, or fails,
// says nothing of what may be read: it is as if nobody answered.
async function fetched(address) {
  const reply = await fetch(address, { headers: { Accept: "text/html" } });
  if (reply.status === 429 || reply.status >= 500) throw new Error(`it says ${reply.status}`);
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  return { reply, title: page.title, main: page.querySelector("#main")?.innerHTML };
}

// Puts a page that was fetched into the one that is shown. What was typed stays, and where one was typing.
function renew({ reply, title, main }) {
  if (main === undefined || reply.redirected) { location.reload(); return; }
  const back = typed();
  given = main;
  put("#main", main, "innerHTML");
  document.title = title;
  back();
  begin();
}

function typed() {
  const at = document.activeElement;
  const kept = [...document.querySelectorAll(FIELDS)].map((field) => ({
    id: field.id, value: field.value, open: field.closest("details")?.open, focused: field === at,
    from: field.selectionStart, to: field.selectionEnd,
  }));
  return () => {
    for (const { id, value, open, focused, from, to } of kept) {
      const field = document.querySelector(`#main #${id}`);
      if (!field) continue;
      field.value = value;
      if (open) field.closest("details")?.setAttribute("open", "");
      if (focused) field.focus({ preventScroll: true });
      if (focused && field.setSelectionRange) field.setSelectionRange(from, to);
    }
  };
}

// Stages and sentences as they come, then the page of the answer. Where events do not come, it is asked for.
function follow(live) {
  const stages = live.querySelector(".stages"), sentences = live.querySelector(".sentences");
  source?.close();
  const mine = source = new EventSource(live.dataset.events);
  let failed = 0;
  const ask = async () => {
    if (mine !== source) return;
    mine.close();
    try {
      const now = await fetched(live.dataset.answer);
      if (now.reply.status !== 202) { renew(now); focusHeading(); return; }
    } catch { /* the service does not answer: it may come back */ }
    sentences.replaceChildren();        // nobody looks any more who may read them
    setTimeout(ask, AGAIN_MS);
  };
  const on = (kind, act) => mine.addEventListener(kind, (event) => { failed = 0; act(event.data); });
  mine.addEventListener("open", () => sentences.replaceChildren(), { once: true });     // all are told again
  on("stage", (html) => put(stages, html, "innerHTML"));
  on("anew", () => sentences.replaceChildren());
  on("sentence", (html) => put(sentences, html, "beforeend"));
  on("answer", ask);
  on("problem", ask);
  mine.addEventListener("error", () => {
    failed += 1;
    if (mine.readyState === EventSource.CLOSED || failed === 3) setTimeout(ask, AGAIN_MS);
  });
}

function focusHeading() {
  const heading = document.querySelector("#main h1");
  if (heading) { heading.tabIndex = -1; heading.focus(); }
}

// Whoever may not read any more what is shown, or a part of it, does not keep seeing it. A page that gives the same
// again stays as it is. `data-look` may name the milliseconds that a page stays which cannot be given again.
async function lookAgain() {
  const shown = document.querySelector("[data-look]");
  if (!shown || document.visibilityState !== "visible" || performance.now() < shown.dataset.look) return;
  if (shown.dataset.events) {
    if (source.readyState !== EventSource.CLOSED) follow(shown);
    return;
  }
  try {
    const now = await fetched(location.pathname + location.search);
    if (now.main !== given) renew(now);
  } catch { /* the service does not answer: the next look tells */ }
}

function begin() {
  const live = document.querySelector("[data-events]");
  if (live) follow(live);
}

let source;                                                     // of the events that are followed
let given = document.querySelector("#main").innerHTML;          // what the service gave of what is shown
document.addEventListener("visibilitychange", lookAgain);
setInterval(lookAgain, LOOK_MS);
begin();
