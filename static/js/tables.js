// Tables: names for the cells of cards on a phone, and a bar for what is selected.
//   <table class="table table-cards">          gets its data-label from the head and keeps its roles as cards
//   <form data-bulk> … <input type="checkbox" name="…" data-bulk-item> … <input type="checkbox" data-bulk-all>
//     <input type="checkbox" data-bulk-everything="all 240 runs">    more than the page has, offered once all of the page is chosen
//     <div class="bulk-bar" data-bulk-bar hidden><span data-bulk-count data-one="1 selected" data-many="{n} selected"></span> … </div></form>

const ROLES = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };

function nameCells(table) {
  const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
  for (const part of [table, ...table.querySelectorAll("thead, tbody, tr, td")]) part.setAttribute("role", ROLES[part.tagName]);
  for (const head of table.querySelectorAll("th")) head.setAttribute("role", head.closest("thead") ? "columnheader" : "rowheader");
  for (const row of table.tBodies[0]?.rows ?? []) {
    [...row.cells].forEach((cell, place) => {
      const plain = cell.tagName === "TD" && heads[place] && !cell.matches(".cell-check, .cell-actions");
      if (plain && !cell.dataset.label) cell.dataset.label = heads[place];
    });
  }
}

export function refreshTables(root = document) {
  root.querySelectorAll(".table-cards").forEach(nameCells);
}

function showSelection(form) {
  const items = [...form.querySelectorAll("[data-bulk-item]")];
  const chosen = items.filter((item) => item.checked).length;
  const all = form.querySelector("[data-bulk-all]");
  const count = form.querySelector("[data-bulk-count]");
  if (all) {
    all.checked = chosen > 0 && chosen === items.length;
    all.indeterminate = chosen > 0 && chosen < items.length;
  }
  const everything = form.querySelector("[data-bulk-everything]");
  if (everything && chosen < items.length) everything.checked = false;
  if (count) count.textContent = everything?.checked ? everything.dataset.bulkEverything : counted(count, chosen);
  form.querySelector("[data-bulk-bar]")?.toggleAttribute("hidden", chosen === 0);
}

const counted = (count, chosen) => (chosen === 1 ? count.dataset.one : count.dataset.many.replace("{n}", chosen));

document.addEventListener("change", (event) => {
  const form = event.target.closest("[data-bulk]");
  if (!form) return;
  if (event.target.matches("[data-bulk-all]")) {
    for (const item of form.querySelectorAll("[data-bulk-item]:not(:disabled)")) item.checked = event.target.checked;
  }
  showSelection(form);
});

refreshTables();
document.querySelectorAll("[data-bulk]").forEach(showSelection);
