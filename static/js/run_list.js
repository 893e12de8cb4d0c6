// The filters of the list of runs: versions and steps belong to a flow, so another flow begins without them.

document.addEventListener(
  "change",
  (event) => {
    if (!event.target.matches("[data-run-filters] [name=flow]")) return;
    for (const name of ["version", "step"]) {
      const field = event.target.form.elements[name];
      if (field) field.value = "";
    }
  },
  true, // before the form sends itself
);
