// Lines that fetch what lies below them when they are unfolded:
//   <details data-lazy="/address" data-stamp="…"><summary>…</summary><div data-lazy-body>…</div></details>
// A line whose stamp changed while it is open fetches again.

import { refresh } from "./app.js";
import { word } from "./words.js";

async function load(details) {
  const body = details.querySelector("[data-lazy-body]");
  if (!body || body.dataset.loaded === details.dataset.stamp) return;
  const { stamp, lazy } = details.dataset;
  try {
    const answer = await fetch(lazy, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
    body.innerHTML = await answer.text();
    body.dataset.loaded = stamp;
    refresh(body);
  } catch {
    body.textContent = word("not-loaded");
  }
}

document.addEventListener("toggle", (event) => {
  if (event.target.matches?.("details[data-lazy]") && event.target.open) load(event.target);
}, true);

export function refreshLazy(root = document) {
  root.querySelectorAll("details[data-lazy][open]").forEach(load);
}
