// What differs between two versions of a flow, step by step, and both of them as one flow to be drawn.

import { equal, fromPairs, get, isObj, setAt, type Json, type Obj, type Path } from "./json";
import { listPath, properties, setting, treeOf, workflowData, type Place, type Tree } from "./tree";

export type DifferenceKind = "added" | "removed" | "changed" | "moved";

/** One value: where it stands, and what it was and is. `undefined` says that it is not there. */
export interface FieldChange {
  readonly path: readonly string[];
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

export interface Difference {
  /** A step can be changed and moved; added and removed stand alone. */
  readonly kinds: readonly DifferenceKind[];
  /** Its place in the older and in the newer version. */
  readonly before: Place | null;
  readonly after: Place | null;
  readonly fields: readonly FieldChange[];
}

export interface Comparison {
  /** In the order of the newer version; removed steps where they stood. */
  readonly steps: readonly Difference[];
  /** What is said of the flow as a whole. */
  readonly flow: readonly FieldChange[];
  /** The newer version with the removed steps put back. */
  readonly document: Obj;
  /** The differences by the keys of steps in that document. */
  readonly byKey: ReadonlyMap<string, Difference>;
}

export function compared(before: Obj, after: Obj): Comparison {
  const [old, now] = [treeOf(before), treeOf(after)];
  const moved = movedKeys(old, now);
  const found = new Map<Place, Difference>();
  for (const place of now.places) {
    const difference = differenceOf(counterpart(old, place) ?? null, place, moved);
    if (difference) found.set(place, difference);
  }
  for (const place of old.places) if (!counterpart(now, place)) found.set(place, { kinds: ["removed"], before: place, after: null, fields: [] });
  const { document, drawn } = joined(old, now);
  const byKey = new Map<string, Difference>();
  treeOf(document).places.forEach((place, at) => {
    const difference = found.get(drawn[at]!);
    if (difference) byKey.set(place.key, difference);
  });
  return { steps: [...byKey.values()], flow: flowChanges(before, after), document, byKey };
}

/** The same step in the other version. A container that became a step is another one. */
function counterpart(tree: Tree, place: Place): Place | undefined {
  const found = tree.byKey.get(place.key);
  return found?.isContainer === place.isContainer ? found : undefined;
}

function differenceOf(before: Place | null, after: Place, moved: ReadonlySet<string>): Difference | null {
  if (!before) return { kinds: ["added"], before, after, fields: [] };
  const fields = changes(own(before.node), own(after.node));
  const kinds: DifferenceKind[] = [...(fields.length ? ["changed" as const] : []), ...(moved.has(after.key) ? ["moved" as const] : [])];
  return kinds.length ? { kinds, before, after, fields } : null;
}

/** What a node says for itself: its own values before those of its properties, as `setting` reads them. */
function own(node: Obj): Obj {
  const rest = Object.entries(node).filter(([name, value]) => name !== "children" && name !== "properties" && value !== null);
  return { ...properties(node), ...fromPairs(rest) };
}

function flowChanges(before: Obj, after: Obj): FieldChange[] {
  const said = (document: Obj): Obj => {
    const { workflow_data: _data, nodes: _nodes, ...around } = properties(document);
    const { nodes: _own, ...data } = workflowData(document);
    return { ...around, ...data };
  };
  return changes(said(before), said(after));
}

/** Maps are compared value by value, lists of maps row by row, all else as a whole. */
function changes(before: Obj, after: Obj, path: readonly string[] = []): FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [was, is] = [get(before, name), get(after, name)];
    const at = [...path, name];
    if (equal(was, is)) return [];
    if (isObj(was) && isObj(is)) return changes(was, is, at);
    return isRows(was) && isRows(is) ? rowChanges(was, is, at) : [{ path: at, before: was, after: is }];
  });
}

function isRows(value: Json | undefined): value is Obj[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObj);
}

/** What is the same at both ends is left out; the rows between are taken in pairs, and go by their number from 1. */
function rowChanges(before: readonly Obj[], after: readonly Obj[], path: readonly string[]): FieldChange[] {
  const least = Math.min(before.length, after.length);
  let head = 0;
  while (head < least && equal(before[head], after[head])) head += 1;
  let tail = 0;
  while (tail < least - head && equal(before[before.length - 1 - tail], after[after.length - 1 - tail])) tail += 1;
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  return Array.from({ length: Math.max(old.length, now.length) }, (_none, at) => {
    const [was, is] = [old[at], now[at]];
    const place = [...path, String(head + at + 1)];
    const isEmpty = Object.keys(was ?? {}).length + Object.keys(is ?? {}).length === 0;
    return isEmpty ? [{ path: place, before: was, after: is }] : changes(was ?? {}, is ?? {}, place);
  }).flat();
}

/** Steps in another container, or in another order: as few as explain it. */
function movedKeys(old: Tree, now: Tree): Set<string> {
  const found = new Set<string>();
  const parentOf = (place: Place): string => place.parent?.key ?? "";
  const inRow = (row: readonly Place[]): void => {
    const stayed = row.filter((place) => {
      const was = counterpart(old, place);
      if (was && parentOf(was) !== parentOf(place)) found.add(place.key);
      return was && parentOf(was) === parentOf(place);
    });
    const kept = longestRise(stayed.map((place) => old.byKey.get(place.key)!.index));
    stayed.forEach((place, at) => void (kept.has(at) || found.add(place.key)));
    for (const place of row) inRow(place.children);
  };
  inRow(now.roots);
  return found;
}

/** The positions of a longest rising row among the numbers. */
function longestRise(numbers: readonly number[]): Set<number> {
  const ends: number[] = []; // of the rows of each length, where the one with the smallest end ends
  const before: number[] = [];
  numbers.forEach((number, at) => {
    let length = ends.findIndex((end) => numbers[end]! > number);
    if (length === -1) length = ends.length;
    before[at] = length ? ends[length - 1]! : -1;
    ends[length] = at;
  });
  const found = new Set<number>();
  for (let at = ends[ends.length - 1] ?? -1; at >= 0; at = before[at]!) found.add(at);
  return found;
}

/** The newer version with removed steps behind the neighbours they had, and each of its steps in its own version. */
function joined(old: Tree, now: Tree): { document: Obj; drawn: Place[] } {
  const drawn: Place[] = [];
  const isGone = (place: Place): boolean => !counterpart(now, place);

  const inRow = (row: readonly Place[], was: readonly Place[]): Obj[] => {
    const made = [...row];
    was.forEach((place, at) => {
      if (!isGone(place)) return;
      const drawnAt = was.slice(0, at).map((each) => made.indexOf(isGone(each) ? each : counterpart(now, each)!)).findLast((found) => found >= 0);
      made.splice((drawnAt ?? -1) + 1, 0, place);
    });
    return made.map((place) => one(place, isGone(place) ? undefined : counterpart(old, place)));
  };
  const one = (place: Place, was: Place | undefined): Obj => {
    drawn.push(place);
    const gone = (was?.children ?? []).filter(isGone);
    if (!place.isContainer) return place.node;
    if (isGone(place)) return { ...place.node, children: inRow([], place.children) };
    return { ...withRulesOf(place.node, was, gone), children: inRow(place.children, was?.children ?? []) };
  };

  const nodes = inRow(now.roots, old.roots);
  return { document: setAt(now.document, listPath(now.document, null), nodes) as Obj, drawn };
}

/** A choice with the rules that led to alternatives it has no more, so that these say when they were taken. */
function withRulesOf(node: Obj, was: Place | undefined, gone: readonly Place[]): Obj {
  const rules = was && gone.length ? setting(was.node, "rules") : undefined;
  if (!Array.isArray(rules)) return node;
  const ids = new Set(gone.map((place) => place.id));
  const led = rules.filter((rule) => ids.has(String(get(rule, "next_step") ?? "")));
  const path: Path = get(node, "rules") == null && get(properties(node), "rules") != null ? ["properties", "rules"] : ["rules"];
  const kept = setting(node, "rules");
  return setAt(node, path, [...(Array.isArray(kept) ? kept : []), ...led]) as Obj;
}

/** Two texts without the beginning and end that they share, where these are long. */
export function excerpts(before: string, after: string, around = 30): [string, string] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const cut = (text: string): string => {
    const from = head > 2 * around ? head - around : 0;
    const to = tail > 2 * around ? text.length - tail + around : text.length;
    return `${from ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
  };
  return [cut(before), cut(after)];
}
