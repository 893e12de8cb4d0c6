// What a node says about other nodes: jumps by id, and expressions in its conditions and templates.

import { expressionsIn, inMarkers, mentions, renameIn } from "./expressions";
import { fromPairs, get, getAt, isObj, isText, setAt, type Json, type Obj, type Path } from "./json";
import { CONTAINER, STEP, type Place } from "./tree";

export type JumpKind = "error" | "timeout" | "yes" | "no" | "rule" | "default";

export interface Jump {
  readonly kind: JumpKind;
  /** Where in the node the target is written. */
  readonly path: Path;
  readonly target: string;
}

export const JUMP_FIELDS: Readonly<Record<string, JumpKind>> = {
  error_edge: "error",
  timeout_edge: "timeout",
  yes_branch: "yes",
  no_branch: "no",
};

/** What a node said while it was of another kind, by kind (model/commands/kinds.ts): no jump and no expression as long as it lies there. */
export const ASIDE = "put_aside";

const CONDITIONS: ReadonlySet<string> = new Set(["condition", "when", "while", "until", "response_condition", "outcome"]);

/** What `find` answers for a node, worked out once: nodes never change, and most stay the same from one document to the next. */
function remembered<Found>(find: (node: Obj) => Found): (node: Obj) => Found {
  const known = new WeakMap<Obj, Found>();
  return (node) => {
    if (!known.has(node)) known.set(node, find(node));
    return known.get(node)!;
  };
}

/** The jumps of one node, those of its rules included. */
export const jumpsOf = remembered(findJumps);

function findJumps(node: Obj): readonly Jump[] {
  const found: Jump[] = [];
  for (const [name, kind] of Object.entries(JUMP_FIELDS)) {
    for (const path of [[name], ["properties", name]]) {
      const target = getAt(node, path);
      if (isText(target) && target) {
        found.push({ kind, path, target });
        break; // the node's own wins
      }
    }
  }
  for (const around of [[], ["properties"]]) {
    const rules = getAt(node, [...around, "rules"]);
    if (Array.isArray(rules)) {
      rules.forEach((rule, at) => {
        const target = get(rule, "next_step");
        if (isText(target) && target) found.push({ kind: "rule", path: [...around, "rules", at, "next_step"], target });
      });
    }
    const fallback = getAt(node, [...around, "router", "default_branch"]);
    if (isText(fallback) && fallback) found.push({ kind: "default", path: [...around, "router", "default_branch"], target: fallback });
  }
  return found;
}

/** The ids that a node's conditions and templates name; what its children say is left to them. */
export const readsOf = remembered(findReads);

function findReads(node: Obj): readonly string[] {
  const found = new Set<string>();
  eachText(node, (text, key) => {
    const bare = CONDITIONS.has(key) && !/\{\{|\$\{/.test(text);
    for (const expression of bare ? [text] : expressionsIn(text)) for (const each of mentions(expression)) found.add(each.id);
  });
  return [...found];
}

function eachText(value: Json, visit: (text: string, key: string) => void, key = ""): void {
  if (isText(value)) visit(value, key);
  else if (Array.isArray(value)) for (const each of value) eachText(each, visit, key);
  else if (isObj(value)) for (const [name, each] of Object.entries(value)) if (name !== "children" && name !== ASIDE) eachText(each, visit, name);
}

/** A node, children included, with every mention of renamed ids rewritten: jumps, conditions and templates. Its own id stays. */
export function renameInNode(node: Obj, ids: ReadonlyMap<string, string>): Obj {
  let renamed = renameTexts(node, ids) as Obj;
  for (const jump of jumpsOf(node)) {
    const next = ids.get(jump.target);
    if (next !== undefined) renamed = setAt(renamed, jump.path, next) as Obj;
  }
  for (const path of asidesOf(renamed)) renamed = setAt(renamed, path, renameInNode(getAt(renamed, path) as Obj, ids)) as Obj;
  const children = get(renamed, "children");
  if (!Array.isArray(children)) return renamed;
  return { ...renamed, children: children.map((child) => (isObj(child) ? renameInNode(child, ids) : child)) };
}

function renameTexts(value: Json, ids: ReadonlyMap<string, string>, key = ""): Json {
  if (isText(value)) {
    const bare = CONDITIONS.has(key) && !/\{\{|\$\{/.test(value);
    return bare ? renameIn(value, ids) : inMarkers(value, (expression) => renameIn(expression, ids));
  }
  if (Array.isArray(value)) return value.map((each) => renameTexts(each, ids, key));
  if (!isObj(value)) return value;
  return fromPairs(Object.entries(value).map(([name, each]) => [name, name === "children" || name === ASIDE ? each : renameTexts(each, ids, name)] as const));
}

/** Where in a node its settings as other kinds lie. */
function asidesOf(node: Obj): Path[] {
  return [[ASIDE], ["properties", ASIDE]].flatMap((around) => {
    const aside = getAt(node, around);
    return isObj(aside) ? Object.keys(aside).filter((kind) => isObj(aside[kind])).map((kind) => [...around, kind]) : [];
  });
}

/** Where in a node the steps of a `reconcile` may stand. */
export function probePaths(node: Obj): Path[] {
  return [[], ["properties"], ...asidesOf(node)].map((around) => [...around, "reconcile", "steps"]);
}

/** Ids inside a node that no place shows: the steps of its `reconcile`, which share the one namespace. */
export function hiddenIds(node: Obj): string[] {
  const found: string[] = [];
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObj(value)) {
      const id = get(value, "id");
      const type = get(value, "node_type");
      if (isText(id) && (type === STEP || type === CONTAINER)) found.push(id);
      for (const each of Object.values(value)) visit(each);
    }
  };
  for (const path of probePaths(node)) {
    const steps = getAt(node, path);
    if (steps !== undefined) visit(steps);
  }
  return found;
}

/** The graph a place belongs to: the branch of the innermost parallel or competition around it, or the flow itself. */
export function graphOf(place: Place): Place | null {
  for (let at: Place | null = place; at?.parent; at = at.parent) {
    if (at.parent.kind === "parallel" || at.parent.kind === "competition") return at;
  }
  return null;
}
