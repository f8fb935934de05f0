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

// Puts the page as it is now into the one that is shown.
async function renew(address, focus) {
  const reply = await fetch(address, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const main = page.querySelector("#main");
  if (!main || reply.redirected) { location.reload(); return; }
  put("#main", main.innerHTML, "innerHTML");
  document.title = page.title;
  const heading = document.querySelector("#main h1");
  if (focus && heading) { heading.tabIndex = -1; heading.focus(); }
  begin();
}

// Stages and sentences as they come, then the page of the answer. Where events do not come, it is asked for.
function follow(live) {
  const stages = live.querySelector(".stages"), sentences = live.querySelector(".sentences");
  const source = new EventSource(live.dataset.events);
  let failed = 0;
  const ask = async () => {
    source.close();
    try {
      const reply = await fetch(live.dataset.answer, { headers: { Accept: "text/html" } });
      if (reply.status !== 202) return await renew(live.dataset.answer, true);
    } catch { /* the service does not answer: it may come back */ }
    setTimeout(ask, AGAIN_MS);
  };
  const on = (kind, act) => source.addEventListener(kind, (event) => { failed = 0; act(event.data); });
  on("stage", (html) => put(stages, html, "innerHTML"));
  on("anew", () => sentences.replaceChildren());
  on("sentence", (html) => put(sentences, html, "beforeend"));
  on("answer", ask);
  on("problem", ask);
  source.addEventListener("error", () => {
    failed += 1;
    if (source.readyState === EventSource.CLOSED || failed === 3) setTimeout(ask, AGAIN_MS);
  });
}

// Whoever may not read any more what is shown does not keep seeing it.
async function lookAgain() {
  const shown = document.querySelector("[data-look]");
  if (!shown || document.visibilityState !== "visible") return;
  try {
    const reply = await fetch(shown.dataset.look, { headers: { Accept: "text/html" } });
    if (!reply.ok) await renew(shown.dataset.look, false);
  } catch { /* the service does not answer: the next look tells */ }
}

function begin() {
  const live = document.querySelector("[data-events]");
  if (live) follow(live);
}

document.addEventListener("visibilitychange", lookAgain);
setInterval(lookAgain, LOOK_MS);
begin();
