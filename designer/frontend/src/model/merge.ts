// Two people changed one flow. What only one of them changed is taken from them; what both changed differently is a conflict.

import { newTroubles } from "./checks";
import { equal, fromPairs, get, isObj, isText, type Json, type Obj } from "./json";
import { treeOf } from "./tree";

export interface Merged {
  readonly document: Obj;
  /** What both changed: the ids of steps, or names of values of the flow. The merged document has "mine" there. */
  readonly conflicts: readonly string[];
}

export function merged(base: Obj, mine: Obj, theirs: Obj): Merged {
  const conflicts: string[] = [];
  const document = mergeObjects(base, mine, theirs, "", conflicts);
  for (const trouble of newTroubles(treeOf(mine), treeOf(document))) if (trouble.code === "duplicate") conflicts.push(trouble.id);
  return { document, conflicts: [...new Set(conflicts)] };
}

function mergeValues(base: Json | undefined, mine: Json | undefined, theirs: Json | undefined, place: string, conflicts: string[]): Json | undefined {
  if (equal(mine, theirs) || equal(base, theirs)) return mine;
  if (equal(base, mine)) return theirs;
  if (isObj(mine) && isObj(theirs)) return mergeObjects(isObj(base) ? base : {}, mine, theirs, placeOf(mine, place), conflicts);
  if (isSteps(mine) && isSteps(theirs) && isSteps(base)) return mergeSteps(base, mine, theirs, place, conflicts);
  conflicts.push(place);
  return mine;
}

function placeOf(value: Obj, around: string): string {
  const id = get(value, "id");
  return isText(id) && id ? id : around;
}

function mergeObjects(base: Obj, mine: Obj, theirs: Obj, place: string, conflicts: string[]): Obj {
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  const pairs: [string, Json][] = [];
  for (const name of names) {
    const value = mergeValues(get(base, name), get(mine, name), get(theirs, name), placeOf(mine, place) || name, conflicts);
    if (value !== undefined) pairs.push([name, value]);
  }
  return fromPairs(pairs);
}

function isSteps(value: Json | undefined): value is Obj[] {
  if (!Array.isArray(value)) return false;
  const ids = value.map((each) => get(each, "id"));
  return ids.every((id) => isText(id) && id !== "") && new Set(ids).size === ids.length;
}

/** The order of whoever changed it; steps the other one added stand behind the neighbour they had there. */
function mergeSteps(base: Obj[], mine: Obj[], theirs: Obj[], place: string, conflicts: string[]): Obj[] {
  const idOf = (node: Obj): string => String(node.id);
  const by = (list: Obj[]): Map<string, Obj> => new Map(list.map((node) => [idOf(node), node]));
  const [old, own, other] = [by(base), by(mine), by(theirs)];
  const common = (list: Obj[]): string => list.map(idOf).filter((id) => old.has(id) && own.has(id) && other.has(id)).join("\n");
  const iMoved = common(mine) !== common(base);
  if (iMoved && common(theirs) !== common(base) && common(mine) !== common(theirs)) conflicts.push(place || "nodes");
  const [lead, rest] = iMoved ? [mine, theirs] : [theirs, mine];
  const order = lead.map(idOf);
  rest.forEach((node, at) => {
    if (order.includes(idOf(node))) return;
    const before = at > 0 ? order.indexOf(idOf(rest[at - 1]!)) : -1;
    order.splice(before + 1, 0, idOf(node));
  });
  return order.flatMap((id) => {
    const [b, m, t] = [old.get(id), own.get(id), other.get(id)];
    if (b && (!m || !t)) {
      const kept = m ?? t;
      if (kept && !equal(kept, b)) conflicts.push(id);
      return kept && !equal(kept, b) ? [kept] : [];
    }
    return [mergeValues(b, m ?? t, t ?? m, id, conflicts) as Obj];
  });
}
