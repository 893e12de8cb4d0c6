// Where nodes go to: a slot in the list of a container or of the flow, beside a step, or behind a branch's only step.

import type { Said } from "../change";
import { get, getAt, setAt, type Json, type Obj, type Path } from "../json";
import { freshId } from "../ids";
import { CONTAINER, listOf, treeOf, withList, withNode, type Place, type Tree } from "../tree";
import { retargeted, withoutRulesFor, withRulesFor } from "./rules";

export type Slot =
  | { readonly mode: "in"; readonly parent: string | null; readonly index: number }
  /** Behind the only step of a branch: both become a sequence. */
  | { readonly mode: "after"; readonly key: string }
  /** Beside a step: both become branches that run side by side. */
  | { readonly mode: "beside"; readonly key: string; readonly side: "left" | "right" };

export function container(type: string, id: string, children: Json[]): Obj {
  return { id, node_type: CONTAINER, container_type: type, children };
}

export interface Put {
  readonly document: Obj;
  readonly notices: readonly Said[];
}

/** `document` with `nodes` in `slot`. `taken` gets the ids that had to be made. */
export function putInto(document: Obj, slot: Slot, nodes: readonly Obj[], taken: Set<string>): Put {
  const tree = treeOf(document);
  if (slot.mode === "in") return { document: intoList(tree, slot.parent, slot.index, nodes), notices: [] };
  const beside = tree.byKey.get(slot.key)!;
  const id = freshId(slot.mode === "after" ? "steps_in_order" : "side_by_side", taken);
  const own = slot.mode === "beside" && slot.side === "left" ? [...nodes, beside.node] : [beside.node, ...nodes];
  return { document: wrapped(document, beside, container(slot.mode === "after" ? "and" : "parallel", id, own), id), notices: [] };
}

/** `place` replaced by `around`; the rules that led to it lead to `id`. Paths stay as they were, so places stay valid. */
export function wrapped(document: Obj, place: Place, around: Obj, id: string): Obj {
  const made = withNode(document, place, around);
  return place.parent ? withNode(made, place.parent, retargeted(nodeAt(made, place.parent), place.id, id)) : made;
}

function nodeAt(document: Obj, place: Place): Obj {
  return getAt(document, place.path) as Obj;
}

function intoList(tree: Tree, parentKey: string | null, index: number, nodes: readonly Obj[]): Obj {
  const parent = parentKey === null ? null : tree.byKey.get(parentKey)!;
  const list = listOf(tree.document, parent).slice();
  list.splice(Math.min(index, list.length), 0, ...nodes);
  const ids = nodes.map((node) => String(get(node, "id") ?? "")).filter(Boolean);
  const made = withList(tree.document, parent, list);
  return parent?.kind === "or" ? withNode(made, parent, withRulesFor(nodeAt(made, parent), ids)) : made;
}

/** `document` without these places (none inside another), and what was lost with them. The last goes first: no path before it shifts. */
export function takeOut(document: Obj, places: readonly Place[]): Put {
  const notices: Said[] = [];
  let made = document;
  for (const place of [...places].reverse()) {
    made = setAt(made, place.path, undefined) as Obj;
    if (!place.parent) continue;
    const freed = withoutRulesFor(nodeAt(made, place.parent), new Set(place.id ? [place.id] : []));
    made = withNode(made, place.parent, freed.node);
    notices.push(...freed.notices);
  }
  return { document: made, notices };
}

/** Where a path leads once `gone` were taken out. */
export function shifted(path: Path, gone: readonly Place[]): Path {
  return path.map((part, at) => {
    if (typeof part !== "number") return part;
    const list = path.slice(0, at);
    const earlier = gone.filter((place) => place.path.length === at + 1 && place.index < part && list.every((each, level) => place.path[level] === each));
    return part - earlier.length;
  });
}

/** The places of `keys` that are inside none of the others, in document order. */
export function outermost(tree: Tree, keys: readonly string[]): Place[] {
  const chosen = new Set(keys);
  return tree.places.filter((place) => {
    if (!chosen.has(place.key)) return false;
    for (let around = place.parent; around; around = around.parent) if (chosen.has(around.key)) return false;
    return true;
  });
}
