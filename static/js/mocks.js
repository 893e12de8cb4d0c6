// The mock editor of the Run dialog. What is shown for which choice is the style sheet's business.
//   data-fill="text"          puts the text into the answer's JSON field
//   data-mock-all="real"      chooses this for the first answer of everything that is called

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
  }
});
