// A document's nodes as a tree of places. Which kind a node is follows reference/flow-format.md, section 3, as flows/kinds.py does.

import { get, getAt, isObj, isText, setAt, type Json, type Obj, type Path } from "./json";

export const STEP = "raisin:FlowStep";
export const CONTAINER = "raisin:FlowContainer";
export const END = "end";

export interface Place {
  /** Unique in the document: the id, or where an id is missing or used twice, id and path. */
  readonly key: string;
  readonly id: string;
  readonly node: Obj;
  readonly kind: string;
  readonly isContainer: boolean;
  readonly parent: Place | null;
  /** The position in the list that holds it. */
  readonly index: number;
  readonly path: Path;
  readonly depth: number;
  readonly children: Place[];
}

export interface Tree {
  readonly document: Obj;
  readonly roots: Place[];
  /** Every place in document order. */
  readonly places: Place[];
  readonly byKey: ReadonlyMap<string, Place>;
  /** The first place of each id, as jumps find it. */
  readonly byId: ReadonlyMap<string, Place>;
  /** A graph of the runtime format (section 14): shown, never edited. */
  readonly isRuntime: boolean;
}

export function rootPath(document: Obj): Path {
  return get(document, "node_type") === "raisin:Flow" ? ["properties", "workflow_data"] : [];
}

export function workflowData(document: Obj): Obj {
  const found = getAt(document, rootPath(document));
  return isObj(found) ? found : {};
}

export function properties(node: Obj): Obj {
  const found = get(node, "properties");
  return isObj(found) ? found : {};
}

/** A value on the node or in its properties; the node's own wins. */
export function setting(node: Obj, name: string): Json | undefined {
  const own = get(node, name);
  return own !== undefined && own !== null ? own : get(properties(node), name);
}

export function isContainer(node: Obj): boolean {
  return get(node, "node_type") === CONTAINER;
}

export function kindOf(node: Obj): string {
  if (isContainer(node)) return String(get(node, "container_type") ?? "");
  const found = properties(node);
  const type = get(found, "step_type");
  if (type === "human_task" || get(found, "task_type") !== undefined) return "human_task";
  if (type === "wait" || type === "sub_flow" || type === "decision" || type === "stop") return type;
  if (get(found, "function_ref") != null) return "function";
  if (type === "ai_agent") return "ai_agent";
  if (get(found, "agent_ref") != null) return "ai_sequence";
  if (type === "chat") return "chat";
  return get(found, "condition") !== undefined ? "decision" : "function";
}

export const BESIDE: ReadonlySet<string> = new Set(["parallel", "or", "competition"]);

/** Whether a place's children are alternatives or branches, drawn side by side. */
export function isBeside(place: Place): boolean {
  return place.isContainer && BESIDE.has(place.kind);
}

/** A node that stands in no tree, such as a step of a `reconcile`, as a place of its own. */
export function placeOf(node: Obj, around: Place | null = null): Place {
  const id = get(node, "id");
  const own = isText(id) ? id : "";
  return { key: around?.key ?? own, id: own, node, kind: kindOf(node), isContainer: isContainer(node), parent: around?.parent ?? null, index: 0, path: around?.path ?? [], depth: 0, children: [] };
}

const trees = new WeakMap<Obj, Tree>();

export function treeOf(document: Obj): Tree {
  const known = trees.get(document);
  if (known) return known;
  const made = build(document);
  trees.set(document, made);
  return made;
}

function build(document: Obj): Tree {
  const nodes = get(workflowData(document), "nodes");
  const places: Place[] = [];
  const byKey = new Map<string, Place>();
  const byId = new Map<string, Place>();

  function add(list: Json | undefined, path: Path, parent: Place | null): Place[] {
    if (!Array.isArray(list)) return [];
    const made: Place[] = [];
    list.forEach((node, index) => {
      if (!isObj(node)) return;
      const found = get(node, "id");
      const id = isText(found) ? found : "";
      const own = [...path, index];
      const key = id && !byKey.has(id) ? id : `${id}#${own.filter((part) => typeof part === "number").join(".")}`;
      const children: Place[] = [];
      const place: Place = {
        key, id, node, index, path: own, parent, children,
        kind: kindOf(node), isContainer: isContainer(node), depth: parent ? parent.depth + 1 : 0,
      };
      places.push(place);
      byKey.set(key, place);
      if (id && !byId.has(id)) byId.set(id, place);
      if (place.isContainer) children.push(...add(get(node, "children"), [...own, "children"], place));
      made.push(place);
    });
    return made;
  }

  const roots = add(nodes, [...rootPath(document), "nodes"], null);
  const isRuntime = places.some((place) => get(place.node, "node_type") === undefined && get(place.node, "step_type") !== undefined);
  return { document, roots, places, byKey, byId, isRuntime };
}

export function siblings(tree: Tree, place: Place): Place[] {
  return place.parent ? place.parent.children : tree.roots;
}

export function ancestors(place: Place): Place[] {
  const found: Place[] = [];
  for (let around = place.parent; around; around = around.parent) found.push(around);
  return found;
}

export function isInside(place: Place, container: Place): boolean {
  return ancestors(place).includes(container);
}

/** The path of the list that holds the children of `parent`, or the roots. */
export function listPath(document: Obj, parent: Place | null): Path {
  return parent ? [...parent.path, "children"] : [...rootPath(document), "nodes"];
}

export function listOf(document: Obj, parent: Place | null): Json[] {
  const found = getAt(document, listPath(document, parent));
  return Array.isArray(found) ? found : [];
}

export function withList(document: Obj, parent: Place | null, list: Json[]): Obj {
  return setAt(document, listPath(document, parent), list) as Obj;
}

export function withNode(document: Obj, place: Place, node: Obj): Obj {
  return setAt(document, place.path, node) as Obj;
}

/** The words a step is known by; empty where it has none. */
export function actionOf(node: Obj): string {
  const found = setting(node, "action");
  return isText(found) ? found : "";
}

/** `charge_card` as "Charge card". */
export function humanised(id: string): string {
  const words = id.replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A templated text for people: `Charge {{ input.total }}` as `Charge ‹total›`. */
export function readable(text: string): string {
  return text.replace(/\{\{([\s\S]*?)\}\}|\$\{([\s\S]*?)\}/g, (_whole, a: string | undefined, b: string | undefined) => {
    const names = (a ?? b ?? "").match(/[A-Za-z_]\w*/g);
    return `‹${names ? names[names.length - 1]!.replace(/_/g, " ") : "…"}›`;
  });
}

export function nameOf(place: Place): string {
  return readable(actionOf(place.node)) || humanised(place.id);
}
