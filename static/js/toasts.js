// What just happened, in a corner. The server puts them into the page; scripts add theirs with toast().

import { element, icon, word } from "./words.js";

const SHOWN_FOR = 7000; // milliseconds; errors and warnings stay until closed
const TONES = { success: ["green", "circle-check"], info: ["blue", "info"], warning: ["amber", "triangle-alert"], error: ["red", "circle-x"] };

function fade(toast) {
  let timer;
  const start = () => { timer = setTimeout(() => toast.remove(), SHOWN_FOR); };
  const stop = () => clearTimeout(timer);
  for (const name of ["mouseenter", "focusin"]) toast.addEventListener(name, stop);
  for (const name of ["mouseleave", "focusout"]) toast.addEventListener(name, start);
  start();
}

/** @param {string} words plain text  @param {"success"|"info"|"warning"|"error"} kind */
export function toast(words, kind = "success") {
  const [tone, name] = TONES[kind];
  const close = element("button", { class: "button button-quiet button-icon button-small", type: "button", "data-dismiss": "", "aria-label": word("close") });
  close.append(icon("x"));
  const made = element("div", { class: `toast tone-${tone}` }, icon(name), element("div", { class: "toast-words" }, words), close);
  document.querySelector(".toasts")?.append(made);
  if (kind === "success" || kind === "info") fade(made);
}

document.querySelectorAll(".toast[data-fades]").forEach(fade);
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-dismiss]")) event.target.closest(".toast, .note")?.remove();
});
