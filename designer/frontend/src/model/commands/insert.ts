// New steps, and steps that go.

import { changed, refused, said, type Outcome } from "../change";
import { get, isText, type Obj } from "../json";
import { freshId, slug, takenIds } from "../ids";
import { actionOf, nameOf, treeOf } from "../tree";
import { outermost, putInto, takeOut, type Slot } from "./places";

/** A step made from a template of the catalogue; its id comes from its words. */
export function insert(document: Obj, slot: Slot, template: Obj): Outcome {
  const tree = treeOf(document);
  if (tree.isRuntime) return refused("runtime_is_read_only");
  if (slot.mode === "in" ? slot.parent !== null && !tree.byKey.has(slot.parent) : !tree.byKey.has(slot.key)) return refused("place_is_gone");
  const taken = takenIds(tree);
  const wanted = slug(actionOf(template)) || (isText(get(template, "id")) ? String(template.id) : "step");
  const id = freshId(wanted, taken);
  const { node_type, ...rest } = template;
  const node = { id, node_type: node_type ?? null, ...without(rest) } as Obj;
  const put = putInto(document, slot, [node], taken);
  return changed(document, said("add_step", { name: actionOf(template) || id }), { document: put.document, select: [id] });
}

function without(template: Obj): Obj {
  const { id: _id, ...rest } = template;
  return rest;
}

/** Steps taken away, containers with all they hold. Jumps that led to them are reported, never dropped in silence. */
export function remove(document: Obj, keys: readonly string[]): Outcome {
  const tree = treeOf(document);
  if (tree.isRuntime) return refused("runtime_is_read_only");
  const gone = outermost(tree, keys);
  if (gone.length === 0) return refused("nothing_selected");
  const put = takeOut(document, gone);
  const first = gone[0]!;
  const left = first.parent ? first.parent.children : tree.roots;
  const next = left.filter((place) => !gone.includes(place));
  const near = next.find((place) => place.index > first.index) ?? next[next.length - 1] ?? first.parent;
  const label = gone.length === 1 ? said("delete_step", { name: nameOf(first) || first.id }) : said("delete_steps", { n: gone.length });
  const select = near ? keysOf(put.document, near.node, near.key) : [];
  return changed(document, label, { document: put.document, select, notices: put.notices });
}

function keysOf(document: Obj, node: Obj, key: string): string[] {
  const tree = treeOf(document);
  const found = tree.places.find((place) => place.node === node) ?? tree.byKey.get(key);
  return found ? [found.key] : [];
}
