// What pages do beyond forms and links. Without it every page still works: a page that waits loads itself anew.
"use strict";

const AGAIN_MS = 2000, LOOK_MS = 60000, LONGEST_MS = 10000;

// What could not be done is told beside the form that asked for it, and what was typed stays, also where somebody else
// answers in the service's place. A form that was too old gets a mark that serves; where that one is refused as well, as
// of a browser that keeps no cookies, it is not said again.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig } = event.detail, form = requestConfig.elt;
  const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
  const place = form.getAttribute("hx-target"), done = xhr.status < 400;
  if (done && place && page.querySelector(place)) return;
  const told = form.querySelector(".told");
  if (!told) { location.reload(); return; }
  if (done || !page.querySelector("#main .error")) {
    event.detail.shouldSwap = false;
    told.textContent = "It did not reach the service, or was refused before it was read. Try again in a moment.";
    if (done) lookWho();
    return;
  }
  Object.assign(event.detail, { shouldSwap: true, isError: false, ignoreTitle: true, target: told,
                                selectOverride: "#main .error", swapOverride: "innerHTML" });
  const sent = requestConfig.formData.get("mark");
  if (xhr.status === 403) lookWho().then((mark) => {
    if (!mark || mark === sent || promised.get(form) === sent) return;
    promised.set(form, mark);
    told.textContent = "The form was too old. It has been renewed: send it once more.";
  });
});

// What a page is given while somebody acts on it is older than what comes of that.
for (const kind of ["htmx:beforeRequest", "htmx:afterRequest"])
  document.addEventListener(kind, () => { turn += 1; });

// A button that was disabled meanwhile has lost the keyboard.
document.addEventListener("htmx:afterRequest", (event) => {
  const submitter = event.detail.requestConfig.triggeringEvent?.submitter;
  if (submitter && document.activeElement === document.body) focusAlike(submitter);
});

// Beside a form that loads a page nothing can be told, so its mark is renewed before it is sent. One that went from the
// page meanwhile is not sent, but for that in the page's head (Sign out): there the one in its place is. None is sent by
// a second click while its page may still come; Sign out goes before whatever else was to be sent.
document.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  if (form.matches("[hx-post]") || !form.querySelector("[name=mark]") || (form === renewed && (sent = true))) return;
  event.preventDefault();
  if (sending === form || (sending && !form.closest("body > header"))) return;
  sending = form;
  const inHead = form.closest("body > header");
  await lookWho();
  if (sending !== form) return;
  sent = false;
  renewed = form.isConnected ? form : inHead ? document.querySelector("body > header form") : null;
  renewed?.requestSubmit(renewed === form ? submitter : undefined);
  renewed = undefined;
  const over = () => { if (sending === form) sending = undefined; };
  if (sent) setTimeout(over, LOOK_MS);  // it was stopped, or led nowhere
  else over();
});
window.addEventListener("pageshow", (event) => { if (event.persisted) sending = undefined; });

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
// says nothing of what may be read: it is as if nobody answered. Who sends one elsewhere, as a proxy does whose session
// has ended, gives a page without parts.
async function fetched(address) {
  const how = { headers: { Accept: "text/html" }, redirect: "manual", signal: AbortSignal.timeout(LONGEST_MS) };
  const reply = await fetch(address, how);
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
  if (given.who && now.who && now.who !== given.who) { leave(); return; }
  if (now.main === undefined || now.head === undefined) { location.reload(); return; }
  const back = kept();
  if (given.who && !now.who) away ??= setAside();
  put("body > header", now.head, "innerHTML");
  put("#main", now.main, "innerHTML");
  given = { ...now, who: now.who ?? given.who };
  document.title = now.title;
  back();
  begin();
}

// Somebody else is signed in now: nothing stays that was shown to the one before, or typed.
function leave() {
  away = undefined;
  for (const place of ["body > header", "#main"]) document.querySelector(place).replaceChildren();
  location.replace(address());          // nothing is sent again, as a reload might
}

// Nobody is signed in now. What was shown goes from the page, and comes back with who it was made for.
function setAside() {
  const nodes = document.createDocumentFragment(), title = document.title;
  nodes.append(...document.querySelector("#main").childNodes);
  return { nodes, title, given };
}

// Words of documents only as the service gives them now, and no page that may not be seen any more. What was given
// before somebody left once more brings nothing back.
async function comeBack(now) {
  const began = shifts, shown = away.nodes.querySelector("[data-look]");
  const fresh = await fetched(shown?.dataset.again ?? address());
  if (!away || began !== shifts) return;
  if (fresh.main === undefined) { location.reload(); return; }
  if (fresh.who !== away.given.who && (shown || fresh.who)) return;     // some addresses see nobody
  shifts += 1;
  if (fresh.reply.status === 403) { away = undefined; renew(fresh); return; }
  const back = kept();
  put("body > header", now.head, "innerHTML");
  document.querySelector("#main").replaceChildren(away.nodes);
  given = { ...away.given, head: now.head };
  document.title = away.title;
  away = undefined;
  back();
  if (shown && differs(fresh)) renew(fresh);
  else begin();
}

// Whether the page is made for who is signed in now. If so, its forms carry the mark of now, which serves. What was
// asked before somebody left, or came back, tells nothing.
async function isTheirs(now, began) {
  if (began !== shifts) return false;
  if (now.who !== given.who) {
    shifts += 1;
    if (differs(now)) renew(now);
    return false;
  }
  if (away) await comeBack(now);
  if (!now.mark) return true;
  for (const one of document.querySelectorAll("[name=mark]")) one.value = now.mark;
  if (given.mark) for (const part of ["head", "main"]) given[part] = given[part].replaceAll(given.mark, now.mark);
  given.mark = now.mark;
  return true;
}

function differs(now) {
  return now.main !== given.main || now.head !== given.head;
}

function address() {
  return location.pathname + location.search;
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
  if (document.visibilityState !== "visible") return;
  const shown = (away?.nodes ?? document).querySelector("[data-look]"), began = turn, who = shifts;
  if (!shown || performance.now() < shown.dataset.look) { lookWho(); return; }
  const waits = shown.dataset.events;
  if (waits && !away && source?.readyState !== EventSource.CLOSED) follow(shown);
  try {
    const now = await fetched(shown.dataset.again ?? address());
    if (await isTheirs(now, who) && began === turn && !waits && differs(now)) renew(now);
  } catch { /* the service does not answer: the next look tells */ }
}

// Gives the mark of now, if the page is theirs.
async function lookWho() {
  const began = shifts;
  try {
    const now = await whoNow();
    return await isTheirs(now, began) ? now.mark : undefined;
  } catch { return undefined; /* the service does not answer: the next look tells */ }
}

// The first page tells who is signed in. Where that is somebody else, the page's own address may see another person,
// unless it is one that a form was sent to, and sees nobody.
async function whoNow() {
  const first = await fetched("/");
  if (first.who === given.who) return first;
  const own = await fetched(address());
  return own.who || !given.who ? own : { ...own, who: first.who };
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
let given = parts(document);                                    // what the service gave of what is shown, and to whom
let away;                                                       // the page of somebody who is not signed in now
let shifts = 0;                                                 // counts when another was seen, or one came back
let sending, sent = false, renewed;                             // the form that is about to load a page; that it does
const promised = new WeakMap();                                  // by form, the mark with which it can be sent
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" ? lookAgain() : rest());
setInterval(lookAgain, LOOK_MS);
begin();
