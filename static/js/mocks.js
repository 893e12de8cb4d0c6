// The mock editor of the Run dialog. What is shown for which choice is the style sheet's business.
//   data-fill="text"          puts the text into the answer's JSON field
//   data-mock-all="real"      chooses this for every answer of everything that is called
//   data-mock-gist            says what is chosen for each call, where the rest is folded up
// On a phone everything is folded up at first, but what holds an answer that could not be read.

const PHONE = "(max-width: 720px)";

function sayGist(gist) {
  const choices = gist.closest("details").querySelectorAll("[data-row-list] select");
  gist.textContent = [...choices].map((choice) => choice.selectedOptions[0]?.textContent.trim() ?? "").join(" · ");
}

const sayGists = () => document.querySelectorAll("[data-mock-gist]").forEach(sayGist);

if (matchMedia(PHONE).matches) {
  for (const fold of document.querySelectorAll(".mock-fold")) fold.open = Boolean(fold.querySelector('[aria-invalid="true"]'));
}
document.addEventListener("change", sayGists);
document.addEventListener("toggle", sayGists, true); // answers were added and taken away while it was open
sayGists(); // a page that comes back keeps what was chosen

document.addEventListener("click", (event) => {
  const fill = event.target.closest("[data-fill]");
  if (fill) {
    const field = fill.closest(".answer").querySelector("textarea");
    field.value = fill.dataset.fill;
    field.focus();
  }
  const all = event.target.closest("[data-mock-all]");
  if (all) {
    for (const answers of all.closest(".mocks").querySelectorAll("[data-row-list]")) {
      for (const choice of answers.querySelectorAll('select[name$=".behavior"]')) choice.value = all.dataset.mockAll;
    }
    sayGists();
  }
});
