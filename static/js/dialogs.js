// Dialogs and confirmations.
//   <a href="/page" data-dialog="id">   opens <dialog id="id">; without scripts the link leads to the page
//   <button data-close>                 closes the dialog it is in
//   <form data-confirm="Cancel this run?&#10;Reserve seats will be released" data-confirm-verb="Cancel run">
//       asks before it posts: the first line is the question, each further line one consequence; the verb is the
//       button's own word unless given; data-confirm-danger paints it red. Works on a submit button too.

import { element, icon, word } from "./words.js";

export function openDialog(dialog) {
  if (!dialog.open) dialog.showModal();
}

function closeIcon() {
  const button = element("button", { class: "button button-quiet button-icon", type: "button", "data-close": "", "aria-label": word("close") });
  button.append(icon("x"));
  return button;
}

/** Ask once, naming what will happen. Resolves to true only when the person pressed the verb. */
export function confirmDialog({ question, consequences = [], verb, danger = false }) {
  const heading = element("h2", { id: "confirm-heading" }, question);
  const dialog = element("dialog", { class: "dialog", "aria-labelledby": "confirm-heading" });
  const go = element("button", { class: `button ${danger ? "button-danger" : "button-primary"}`, type: "button" }, verb);
  const stay = element("button", { class: "button", type: "button", "data-close": "", autofocus: "" }, word("back"));
  dialog.append(element("div", { class: "dialog-head" }, heading, closeIcon()));
  if (consequences.length) dialog.append(element("div", { class: "dialog-body" }, listOf(consequences)));
  dialog.append(element("div", { class: "dialog-foot" }, stay, go));
  document.body.append(dialog);
  return new Promise((resolve) => {
    go.addEventListener("click", () => dialog.close("yes"));
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "yes");
      dialog.remove();
    });
    openDialog(dialog);
  });
}

function listOf(lines) {
  if (lines.length === 1) return element("p", {}, lines[0]);
  return element("ul", {}, ...lines.map((line) => element("li", {}, line)));
}

async function askBeforePosting(event) {
  const form = event.target;
  const asks = event.submitter?.hasAttribute("data-confirm") ? event.submitter : form;
  if (!asks.hasAttribute("data-confirm") || form.dataset.confirmed) {
    delete form.dataset.confirmed;
    return;
  }
  event.preventDefault();
  const [question, ...consequences] = asks.dataset.confirm.split("\n").map((line) => line.trim()).filter(Boolean);
  const verb = asks.dataset.confirmVerb || event.submitter?.textContent.trim() || word("go-on");
  const agreed = await confirmDialog({ question, consequences, verb, danger: asks.hasAttribute("data-confirm-danger") });
  if (!agreed) return;
  form.dataset.confirmed = "yes";
  form.requestSubmit(event.submitter);
}

document.addEventListener("submit", askBeforePosting);

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  const dialog = opener && document.getElementById(opener.dataset.dialog);
  if (dialog) {
    event.preventDefault();
    opener.closest("details.menu")?.removeAttribute("open");
    openDialog(dialog);
  }
  if (event.target.closest("[data-close]")) event.target.closest("dialog")?.close();
  if (event.target.matches("dialog.dialog")) event.target.close(); // the backdrop
});
