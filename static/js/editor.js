// The text of a flow: line numbers beside it, Ctrl+S saves, a finding's link (#L12) goes to its line, and leaving with
// changes that were not saved asks first.

const form = document.querySelector("[data-editor]");
const text = form?.querySelector("[data-editor-text]");
const lines = form?.querySelector("[data-editor-lines]");
let saved = text?.defaultValue;

function number() {
  const count = text.value.split("\n").length;
  if (Number(lines.dataset.count) === count) return;
  lines.dataset.count = count;
  lines.textContent = Array.from({ length: count }, (_, line) => line + 1).join("\n");
}

function goToLine(wanted) {
  const all = text.value.split("\n");
  const start = all.slice(0, wanted - 1).join("\n").length + (wanted > 1 ? 1 : 0);
  const height = parseFloat(getComputedStyle(text).lineHeight);
  text.focus();
  text.setSelectionRange(start, start + (all[wanted - 1] ?? "").length);
  text.scrollTop = Math.max(0, (wanted - 5) * height);
}

if (text) {
  number();
  text.addEventListener("input", number);
  text.addEventListener("scroll", () => { lines.scrollTop = text.scrollTop; });
  form.addEventListener("submit", () => { saved = text.value; });
  addEventListener("beforeunload", (event) => text.value !== saved && event.preventDefault());
  form.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
      event.preventDefault();
      form.requestSubmit();
    }
  });
}

document.addEventListener("click", (event) => {
  const line = event.target.closest('a[href^="#L"]');
  if (!line) return;
  event.preventDefault();
  const wanted = Number(line.hash.slice(2));
  if (text) goToLine(wanted);
  else document.querySelectorAll(".code-line")[wanted - 1]?.scrollIntoView({ block: "center" });
});
