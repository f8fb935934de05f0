// What pages do beyond forms and links. Without it every page still works: a page that waits loads itself anew.
"use strict";

const AGAIN_MS = 2000, LOOK_MS = 60000;

// What could not be done is told beside the form that asked for it, and what was typed stays. A form that was too old
// gets a mark that serves.
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
  if (xhr.status === 403) lookWho().then((old) => {
    if (old) told.textContent = "The form was too old. It has been renewed: send it once more.";
  });
});

// What a page is given while somebody acts on it is older than what comes of that.
document.addEventListener("htmx:beforeRequest", () => { turn += 1; });

document.addEventListener("htmx:sendError", (event) => {
  const told = event.detail.requestConfig.elt.querySelector(".told");
  if (told) told.textContent = "The service does not answer. Try again in a moment.";
});

function put(place, html, how) {
  htmx.swap(place, html, { swapStyle: how });
}

// Fields that one types into, and what is in them.
const FIELDS = "#main :is(input, textarea, select)[id]:not([type=file], [type=checkbox])";

// The page and the parts of it that are shown, as the service gives them now. Whoever refuses for the moment, or fails,
// says nothing of what may be read: it is as if nobody answered.
async function fetched(address) {
  const reply = await fetch(address, { headers: { Accept: "text/html" } });
  if (reply.status === 429 || reply.status >= 500) throw new Error(`it says ${reply.status}`);
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  return { reply, title: page.title, ...parts(page) };
}

function parts(page) {
  const [head, main] = ["body > header", "#main"].map((place) => page.querySelector(place)?.innerHTML);
  const who = page.querySelector(".who bdi")?.textContent, mark = page.querySelector("[name=mark]")?.value;
  return { head, main, who, mark };
}

// Puts a page that was fetched into the one that is shown.
function renew(now) {
  rest();                               // whatever still waits to renew it comes too late
  turn += 1;
  if (now.who !== given.who) { leave(); return; }
  if (now.main === undefined || now.reply.redirected) { location.reload(); return; }
  const back = kept();
  put("body > header", now.head, "innerHTML");
  put("#main", now.main, "innerHTML");
  given = now;
  document.title = now.title;
  back();
  begin();
}

// Somebody else is signed in now: nothing stays that was shown to the one before, or typed.
function leave() {
  document.querySelector("#main").replaceChildren();
  location.replace(location.pathname + location.search);        // nothing is sent again, as a reload might
}

// What was typed stays, what was unfolded, and where one was.
function kept() {
  const at = document.activeElement, asking = askedAnew();
  const unfolded = [...document.querySelectorAll("#main details[open] > summary")].map((one) => one.textContent);
  const fields = [...document.querySelectorAll(FIELDS)].map((field) => ({
    id: field.id, value: field.value, focused: field === at, from: field.selectionStart, to: field.selectionEnd,
  }));
  return () => {
    if (asking && !document.querySelector("#main form.ask")) put("#main", asking, "beforeend");
    for (const one of document.querySelectorAll("#main summary"))
      if (unfolded.includes(one.textContent)) one.parentElement.open = true;
    for (const { id, value, focused, from, to } of fields) {
      const field = document.querySelector(`#main #${id}`);
      if (!field) continue;
      field.value = value;
      if (focused) field.focus({ preventScroll: true });
      if (focused && field.setSelectionRange) field.setSelectionRange(from, to);
    }
    if (document.activeElement === document.body) focusAlike(at);
  };
}

// The form with what was typed, for a page that refuses and has none: it follows up on nothing, and looks again.
function askedAnew() {
  const form = document.querySelector("#main form.ask")?.cloneNode(true);
  if (!document.querySelector("#main form.ask #question")?.value) return "";
  form.querySelector("[name=follows]")?.remove();
  form.querySelector("label").textContent = "Your question";
  form.dataset.look = "";
  return form.outerHTML;
}

function focusAlike(before) {
  const alike = [...document.querySelectorAll("#main :is(h1, a, button, summary)")].find(
    (one) => one.tagName === before.tagName && one.textContent === before.textContent);
  if (alike?.matches("h1")) alike.tabIndex = -1;
  alike?.focus({ preventScroll: true });
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
      if (mine !== source) return;
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
// again stays as it is. `data-look` may name the milliseconds that a page stays which cannot be given again, and
// `data-again` where it is given. Of every other page it is looked at whose it is.
async function lookAgain() {
  if (document.visibilityState !== "visible" || document.querySelector(".htmx-request")) return;
  const shown = document.querySelector("[data-look]"), began = turn;
  if (!shown || performance.now() < shown.dataset.look) { lookWho(); return; }
  const waits = shown.dataset.events;
  if (waits && source?.readyState !== EventSource.CLOSED) follow(shown);
  try {
    const now = await fetched(shown.dataset.again ?? location.pathname + location.search);
    const differs = began === turn && !waits && (now.main !== given.main || now.head !== given.head);
    if (now.who !== given.who || differs) renew(now);
  } catch { /* the service does not answer: the next look tells */ }
}

// A page does not stay once somebody else is signed in. Its forms serve as long as it stays: the mark that they carry
// is the one of now. Gives whether it was another one.
async function lookWho() {
  if (!document.querySelector(".who")) return false;            // it is nobody's
  try {
    const now = await fetched("/"), marks = [...document.querySelectorAll("[name=mark]")];
    if (now.who !== given.who) { leave(); return false; }
    const old = marks.filter((one) => now.mark && one.value !== now.mark);
    for (const one of old) one.value = now.mark;
    return old.length > 0;
  } catch { return false; /* the service does not answer: the next look tells */ }
}

// A tab that nobody looks at follows nothing: browsers open six connections to a service, for all tabs together.
function rest() {
  source?.close();
  source = undefined;
}

function begin() {
  const live = document.querySelector("[data-events]");
  if (live && document.visibilityState === "visible") follow(live);
}

let source;                                                     // of the events that are followed
let turn = 0;                                                   // counts renewals, and what somebody did
let given = parts(document);                                    // what the service gave of what is shown
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" ? lookAgain() : rest());
setInterval(lookAgain, LOOK_MS);
begin();
