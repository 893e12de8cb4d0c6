// Copies: new ids where the old ones are taken, and what the copied steps say of each other goes with them.

import { changed, refused, said, type Outcome } from "../change";
import { freshId, isReserved, takenIds } from "../ids";
import { fromPairs, get, getAt, isObj, isText, setAt, type Json, type Obj } from "../json";
import { hiddenIds, probePaths, renameInNode } from "../references";
import { CONTAINER, nameOf, STEP, treeOf } from "../tree";
import { outermost, putInto, type Slot } from "./places";

/** The nodes of `keys` as they stand, for the clipboard. */
export function copyOf(document: Obj, keys: readonly string[]): Obj[] {
  return outermost(treeOf(document), keys).map((place) => place.node);
}

export function duplicate(document: Obj, keys: readonly string[]): Outcome {
  const chosen = outermost(treeOf(document), keys);
  const last = chosen[chosen.length - 1];
  if (!last) return refused("nothing_selected");
  const slot: Slot = { mode: "in", parent: last.parent?.key ?? null, index: last.index + 1 };
  const label = chosen.length === 1 ? said("duplicate_step", { name: nameOf(last) || last.id }) : said("duplicate_steps", { n: chosen.length });
  return place(document, slot, chosen.map((each) => each.node), label);
}

export function paste(document: Obj, slot: Slot, nodes: readonly Obj[]): Outcome {
  if (nodes.length === 0) return refused("nothing_to_paste");
  if (nodes.some((node) => get(node, "node_type") !== STEP && get(node, "node_type") !== CONTAINER)) return refused("not_steps");
  return place(document, slot, nodes, said("paste_steps", { n: nodes.length }));
}

function place(document: Obj, slot: Slot, nodes: readonly Obj[], label: ReturnType<typeof said>): Outcome {
  const tree = treeOf(document);
  if (tree.isRuntime) return refused("runtime_is_read_only");
  const target = slot.mode === "in" ? slot.parent : slot.key;
  if (target !== null && !tree.byKey.has(target)) return refused("place_is_gone");
  const taken = takenIds(tree);
  const renamed = new Map<string, string>();
  const own = new Set<string>();
  const fresh = nodes.map((node) => withFreshIds(node, taken, renamed, own)).map((node) => renameInNode(node, renamed));
  const put = putInto(document, slot, fresh, taken);
  const ids = fresh.map((node) => String(node.id));
  return changed(document, label, { document: put.document, select: ids, notices: put.notices });
}

/** A copy in which every id is free. The first bearer of an id decides what mentions of it become. */
function withFreshIds(node: Obj, taken: Set<string>, renamed: Map<string, string>, own: Set<string>): Obj {
  const found = get(node, "id");
  const id = isText(found) ? found : "";
  const next = id && !taken.has(id) && !isReserved(id) ? (taken.add(id), id) : freshId(baseOf(id), taken);
  if (id && !own.has(id)) {
    own.add(id);
    if (next !== id) renamed.set(id, next);
  }
  let made: Obj = fromPairs([["id", next], ...Object.entries(node).filter(([name]) => name !== "id")] as [string, Json][]);
  for (const hidden of hiddenIds(node)) made = withHiddenId(made, hidden, taken, renamed);
  const children = get(made, "children");
  if (!Array.isArray(children)) return made;
  return { ...made, children: children.map((child) => (isObj(child) ? withFreshIds(child, taken, renamed, own) : child)) };
}

/** `charge_2` gives `charge_3`, not `charge_2_2`. */
function baseOf(id: string): string {
  return id.replace(/_\d+$/, "") || "step";
}

/** The steps of a `reconcile` share the one namespace, so they are renamed with the step. */
function withHiddenId(node: Obj, id: string, taken: Set<string>, renamed: Map<string, string>): Obj {
  if (!taken.has(id)) {
    taken.add(id);
    return node;
  }
  const next = freshId(baseOf(id), taken);
  renamed.set(id, next);
  let made = node;
  for (const path of probePaths(node)) {
    const steps = getAt(node, path);
    if (steps !== undefined) made = setAt(made, path, renameIds(steps, id, next)) as Obj;
  }
  return made;
}

function renameIds(value: Json, id: string, next: string): Json {
  if (Array.isArray(value)) return value.map((each) => renameIds(each, id, next));
  if (!isObj(value)) return value;
  const isNode = get(value, "node_type") === STEP || get(value, "node_type") === CONTAINER;
  return fromPairs(
    Object.entries(value).map(([name, each]) => [name, isNode && name === "id" && each === id ? next : renameIds(each, id, next)] as const),
  );
}
