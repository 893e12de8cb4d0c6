// Rows of a form that can be added and removed: [data-rows] holds a [data-row-list], a <template> and a [data-row-add].
// A new row gets the next number; gaps do no harm, the server reads the rows in the order of their numbers.

document.addEventListener("click", (event) => {
  const add = event.target.closest("[data-row-add]");
  if (add) addRow(add.closest("[data-rows]"));
  const remove = event.target.closest("[data-row-remove]");
  if (remove) removeRow(remove.closest("[data-row]"));
});

function addRow(rows) {
  const list = rows.querySelector("[data-row-list]");
  const number = Number(rows.dataset.next ?? list.children.length);
  rows.dataset.next = number + 1;
  const row = rows.querySelector("template").content.cloneNode(true);
  for (const element of row.querySelectorAll("[name], [id], [for]")) {
    for (const attribute of ["name", "id", "for"]) {
      const value = element.getAttribute(attribute);
      if (value) element.setAttribute(attribute, value.replace("__row__", number));
    }
  }
  list.append(row);
  list.lastElementChild.querySelector("input, select, textarea")?.focus();
}

function removeRow(row) {
  const next = row.nextElementSibling ?? row.previousElementSibling;
  const rows = row.closest("[data-rows]");
  row.remove();
  (next?.querySelector("input, select, textarea") ?? rows.querySelector("[data-row-add]")).focus();
}
