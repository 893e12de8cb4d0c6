// Values of a step or of the flow, its id, its jumps.

import { changed, refused, said, type Outcome } from "../change";
import { isReserved, takenIds } from "../ids";
import { equal, get, getAt, isObj, setAt, type Json, type Obj, type Path } from "../json";
import { JUMP_FIELDS, renameInNode, type JumpKind } from "../references";
import { isContainer, listOf, nameOf, properties, rootPath, treeOf, withList, withNode, workflowData, type Place } from "../tree";

/** Where a setting of this node is written: where it already stands, else in a step's properties or on the container. */
export function pathOf(node: Obj, field: Path): Path {
  const [name, ...rest] = field as [string, ...Path];
  if (get(node, name) !== undefined) return [name, ...rest];
  if (get(properties(node), name) !== undefined || !isContainer(node)) return ["properties", name, ...rest];
  return [name, ...rest];
}

/** `value` at `field` of a step; `undefined` takes the field away, and what is empty then with it. */
export function setField(document: Obj, key: string, field: Path, value: Json | undefined): Outcome {
  const tree = treeOf(document);
  const place = tree.byKey.get(key);
  if (!place) return refused("place_is_gone");
  if (tree.isRuntime) return refused("runtime_is_read_only");
  const path = pathOf(place.node, field);
  if (equal(getAt(place.node, path), value)) return refused("unchanged");
  const node = setAt(place.node, path, value) as Obj;
  const label = said("change_field", { name: nameOf(place) || place.id, field: String(field[0]) });
  return changed(document, label, { document: withNode(document, place, node), select: [key], burst: `${key}:${field.join(".")}` });
}

/** Several fields of a step at once: one entry of the history. */
export function setFields(document: Obj, key: string, values: Readonly<Record<string, Json | undefined>>): Outcome {
  let last: Outcome = refused("unchanged");
  let made = document;
  for (const [name, value] of Object.entries(values)) {
    const outcome = setField(made, key, [name], value);
    if (outcome.ok) [last, made] = [outcome, outcome.document];
  }
  return last.ok ? changed(document, last.label, { document: made, select: [key] }) : last;
}

/** `value` at `field` of `workflow_data`, or with `of: "properties"` beside it: title, description, enabled. */
export function setFlowField(document: Obj, field: Path, value: Json | undefined, of: "definition" | "properties" = "definition"): Outcome {
  const root = rootPath(document);
  if (of === "properties" && root.length === 0) return refused("bare_document");
  const path = [...(of === "properties" ? ["properties"] : root), ...field];
  if (equal(getAt(document, path), value)) return refused("unchanged");
  const label = said("change_flow", { field: String(field[0]) });
  return changed(document, label, { document: setAt(document, path, value) as Obj, burst: `flow:${field.join(".")}` });
}

/** Where a step goes on an error, a timeout, a yes or a no; null takes the jump away. */
export function setJump(document: Obj, key: string, kind: JumpKind, target: string | null): Outcome {
  const name = Object.entries(JUMP_FIELDS).find(([, each]) => each === kind)?.[0];
  if (!name) return refused("not_a_jump");
  return setField(document, key, [name], target === null ? undefined : target);
}

export function toggleDisabled(document: Obj, keys: readonly string[]): Outcome {
  const tree = treeOf(document);
  const chosen = keys.map((key) => tree.byKey.get(key)).filter((place): place is Place => place !== undefined && !place.isContainer);
  const [first] = chosen;
  if (!first) return refused("only_steps_are_disabled");
  const off = chosen.some((place) => get(properties(place.node), "disabled") !== true);
  let made = document;
  for (const place of chosen) made = withNode(made, place, setAt(place.node, ["properties", "disabled"], off ? true : undefined) as Obj);
  return changed(document, said(off ? "disable_step" : "enable_step", { name: nameOf(first) }), { document: made, select: keys });
}

/** A new id, and every jump, condition and template that names the old one says the new one. */
export function rename(document: Obj, key: string, id: string): Outcome {
  const tree = treeOf(document);
  const place = tree.byKey.get(key);
  if (!place) return refused("place_is_gone");
  if (id === place.id) return refused("unchanged");
  if (!/^[A-Za-z0-9_-]+$/.test(id)) return refused("id_has_wrong_letters", { id });
  if (isReserved(id)) return refused("id_is_reserved", { id });
  if (takenIds(tree).has(id)) return refused("id_is_taken", { id });
  const own = withNode(document, place, setAt(place.node, ["id"], id) as Obj);
  const isOnly = place.id !== "" && tree.places.filter((each) => each.id === place.id).length === 1;
  const made = isOnly ? renameEverywhere(own, new Map([[place.id, id]])) : own;
  return changed(document, said("rename_step", { name: place.id, id }), { document: made, select: [id] });
}

function renameEverywhere(document: Obj, ids: ReadonlyMap<string, string>): Obj {
  const nodes = listOf(document, null).map((node) => (isObj(node) ? renameInNode(node, ids) : node));
  const made = withList(document, null, nodes);
  const { nodes: own, ...rest } = workflowData(made);
  const around = renameInNode(rest, ids);
  return setAt(made, rootPath(made), own === undefined ? around : { ...around, nodes: own }) as Obj;
}
