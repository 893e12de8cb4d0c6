// Steps that change places. Whether a place is allowed can be asked before the drop; what a move makes wrong is reported after it.

import { changed, refused, said, type Outcome, type Refusal } from "../change";
import { takenIds } from "../ids";
import type { Obj, Path } from "../json";
import { isInside, listOf, nameOf, siblings, treeOf, withList, type Place, type Tree } from "../tree";
import { outermost, putInto, shifted, takeOut, type Slot } from "./places";

/** Why `keys` may not go to `slot`, or null. */
export function canMove(tree: Tree, keys: readonly string[], slot: Slot): Refusal | null {
  const moved = outermost(tree, keys);
  if (tree.isRuntime) return refused("runtime_is_read_only");
  if (moved.length === 0) return refused("nothing_selected");
  const target = slot.mode === "in" ? slot.parent : slot.key;
  if (target === null) return null;
  const place = tree.byKey.get(target);
  if (!place) return refused("place_is_gone");
  for (const each of moved) {
    if (slot.mode !== "in" && each === place) return refused("not_beside_itself", { name: nameOf(each) });
    if (each === place || isInside(place, each)) return refused("not_into_itself", { name: nameOf(each) });
  }
  return null;
}

export function move(document: Obj, keys: readonly string[], slot: Slot): Outcome {
  const tree = treeOf(document);
  const reason = canMove(tree, keys, slot);
  if (reason) return reason;
  const moved = outermost(tree, keys);
  if (slot.mode === "in" && staysPut(moved, slot.parent, slot.index)) return refused("already_there");
  const nodes = moved.map((place) => place.node);
  if (slot.mode === "in" && moved.every((place) => (place.parent?.key ?? null) === slot.parent)) return reorder(document, tree, moved, slot.parent, slot.index);
  const marked = slot.mode === "in" && slot.parent === null ? null : tree.byKey.get(slot.mode === "in" ? slot.parent! : slot.key)!;
  const taken = takenIds(tree);
  const freed = takeOut(document, moved);
  const after = treeOf(freed.document);
  const target = marked ? placeOf(after, shifted(marked.path, moved)) : null;
  const final: Slot =
    slot.mode === "in" ? { ...slot, parent: target ? target.key : null, index: slot.index - before(moved, slot.parent, slot.index) } : { ...slot, key: target!.key };
  const put = putInto(freed.document, final, nodes, taken);
  return changed(document, labelOf(moved), { document: put.document, select: keysOf(put.document, nodes), notices: [...freed.notices, ...put.notices] });
}

function reorder(document: Obj, tree: Tree, moved: Place[], parentKey: string | null, index: number): Outcome {
  const parent = parentKey === null ? null : tree.byKey.get(parentKey)!;
  const nodes = moved.map((place) => place.node);
  const list = listOf(document, parent);
  const rest = list.filter((node) => !nodes.includes(node as Obj));
  const at = index - moved.filter((place) => place.index < index).length;
  const made = withList(document, parent, [...rest.slice(0, at), ...nodes, ...rest.slice(at)]);
  return changed(document, labelOf(moved), { document: made, select: keysOf(made, nodes) });
}

/** One place up or down among its siblings, or at the edge out of its container. */
export function moveBy(document: Obj, keys: readonly string[], by: -1 | 1): Outcome {
  const tree = treeOf(document);
  const [first, ...others] = outermost(tree, keys);
  if (!first) return refused("nothing_selected");
  if (others.length) return refused("one_at_a_time");
  const row = siblings(tree, first);
  const at = row.indexOf(first) + by;
  const beside = row[at];
  if (beside) return move(document, [first.key], { mode: "in", parent: first.parent?.key ?? null, index: by > 0 ? beside.index + 1 : beside.index });
  if (!first.parent) return refused("already_at_the_edge");
  const around = first.parent;
  return move(document, [first.key], { mode: "in", parent: around.parent?.key ?? null, index: by > 0 ? around.index + 1 : around.index });
}

function staysPut(moved: Place[], parent: string | null, index: number): boolean {
  const [only] = moved;
  if (moved.length !== 1 || !only || (only.parent?.key ?? null) !== parent) return false;
  return index === only.index || index === only.index + 1;
}

function before(moved: Place[], parent: string | null, index: number): number {
  return moved.filter((place) => (place.parent?.key ?? null) === parent && place.index < index).length;
}

function placeOf(tree: Tree, path: Path): Place {
  return tree.places.find((each) => each.path.length === path.length && each.path.every((part, at) => part === path[at]))!;
}

function keysOf(document: Obj, nodes: readonly Obj[]): string[] {
  const wanted = new Set(nodes);
  return treeOf(document).places.filter((place) => wanted.has(place.node)).map((place) => place.key);
}

function labelOf(moved: Place[]): ReturnType<typeof said> {
  return moved.length === 1 ? said("move_step", { name: nameOf(moved[0]!) || moved[0]!.id }) : said("move_steps", { n: moved.length });
}
