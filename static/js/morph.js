// Turns a part of the page into a newer form of itself and leaves alone what did not change: focus, selection, scroll
// positions and what the reader unfolded stay. Children are matched by id or data-key, else by their place.

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.id || node.dataset.key || "" : "");
const fits = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

/** @param {Element} old in the page  @param {Element} fresh its newer form, used up by this */
export function morph(old, fresh) {
  if (old.hasAttribute("data-keep")) return; // what is inside belongs to a script
  copyAttributes(old, fresh);
  // what was loaded below a line stays as long as the line says that nothing below it changed
  if (old.hasAttribute("data-lazy-body") && old.hasAttribute("data-loaded")) return;
  copyChildren(old, fresh);
}

function copyAttributes(old, fresh) {
  for (const { name, value } of [...fresh.attributes]) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !isReaders(old, name)) old.removeAttribute(name);
  }
}

/** What belongs to the reader or to scripts, not to the server. */
function isReaders(element, name) {
  return (name === "open" && element.localName === "details") || name === "role" || name === "data-label" || name === "data-loaded";
}

function copyChildren(old, fresh) {
  const keyed = new Map([...old.childNodes].filter(keyOf).map((node) => [keyOf(node), node]));
  let place = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const found = keyed.get(keyOf(wanted)) ?? place;
    if (found && fits(found, wanted)) {
      if (found !== place) old.insertBefore(found, place);
      else place = place.nextSibling;
      if (found.nodeType === Node.ELEMENT_NODE) morph(found, wanted);
      else if (found.data !== wanted.data) found.data = wanted.data;
    } else {
      old.insertBefore(wanted, place);
    }
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}
