// The frame's behaviour on every page. Everything listens at the document, so replaced parts of a page need no wiring;
// after replacing a part, call refresh(part). Further conventions:
//   data-copy="text"         copies the text            data-reveal="id"   shows the password field with this id
//   <form data-autosubmit>   sends itself on a change    <input data-search> gets the focus on Ctrl+K

import { openDialog } from "./dialogs.js";
import { refreshTables } from "./tables.js";
import { refreshTimes } from "./times.js";
import { toast } from "./toasts.js";
import { word } from "./words.js";

const YEAR = 365 * 86400;

export function refresh(root = document) {
  refreshTimes(root);
  refreshTables(root);
}

function remember(name, value) {
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `${name}=${value}; path=/; max-age=${YEAR}; samesite=lax${secure}`;
}

// --- taste: the same cookies that designer/views/pages.py sets ---------------------------------------------------

function setTaste(name, value) {
  document.documentElement.toggleAttribute(`data-${name}`, Boolean(value));
  if (value) document.documentElement.setAttribute(`data-${name}`, value);
  remember(name, value);
}

document.addEventListener("submit", (event) => {
  if (event.target.matches("[data-theme-switch]")) {
    event.preventDefault();
    setTaste("theme", event.submitter.value);
    for (const button of event.target.querySelectorAll("button")) button.setAttribute("aria-pressed", button === event.submitter);
  }
  if (event.target.matches("[data-rail-toggle]")) {
    event.preventDefault();
    const small = !document.documentElement.hasAttribute("data-rail");
    setTaste("rail", small ? "small" : "");
    const label = event.submitter.querySelector(".word");
    label.textContent = small ? label.dataset.wide : label.dataset.narrow;
  }
});

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && !document.cookie.includes(`timezone=${zone}`)) remember("timezone", zone);

// --- menus -------------------------------------------------------------------------------------------------------

function closeMenus(except = null) {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== except) menu.open = false;
}

document.addEventListener("click", (event) => closeMenus(event.target.closest("details.menu")));

// --- keys --------------------------------------------------------------------------------------------------------

const isTyping = (target) => target.matches("input, textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const summary = document.querySelector("details.menu[open] > summary");
    closeMenus();
    summary?.focus();
  }
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    const search = document.querySelector("[data-search]");
    if (!search) return;
    event.preventDefault();
    search.focus();
    search.select();
  }
  if (event.key === "?" && !event.ctrlKey && !event.metaKey && !isTyping(event.target)) {
    const shortcuts = document.getElementById("shortcuts");
    if (shortcuts) openDialog(shortcuts);
  }
});

// --- small things ------------------------------------------------------------------------------------------------

async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    return; // not allowed here: the text stays selectable in the page
  }
  button.dataset.done = "";
  setTimeout(() => delete button.dataset.done, 1500);
  toast(word("copied"), "info");
}

function reveal(button) {
  const field = document.getElementById(button.dataset.reveal);
  const shown = field.type === "text";
  field.type = shown ? "password" : "text";
  button.setAttribute("aria-pressed", String(!shown));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-reveal]");
  if (button?.hasAttribute("data-copy")) copy(button);
  if (button?.hasAttribute("data-reveal")) reveal(button);
});

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-autosubmit]");
  if (form && event.target.form === form) form.requestSubmit();
});

// a second click must not send a form twice; a page that comes back from the browser's cache starts anew
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  event.submitter?.setAttribute("aria-busy", "true");
  setTimeout(() => release(form), 5000);
});

function release(form) {
  delete form.dataset.sent;
  for (const button of form.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
}

addEventListener("pageshow", (event) => {
  if (event.persisted) document.querySelectorAll("form[data-sent]").forEach(release);
});
