// What differs between two versions of a flow, step by step.

import { equal, type Json, type Obj } from "./json";
import { properties, treeOf, workflowData, type Place, type Tree } from "./tree";

export interface Difference {
  readonly kind: "added" | "removed" | "changed" | "moved";
  readonly id: string;
  /** Where the step is drawn: in the newer version, or for a removed one in the older. */
  readonly place: Place;
  readonly fields: readonly string[];
}

export function differences(before: Obj, after: Obj): { steps: Difference[]; flow: string[] } {
  const [old, now] = [treeOf(before), treeOf(after)];
  const steps: Difference[] = [];
  for (const place of now.places) {
    const other = old.byId.get(place.id);
    if (!other) steps.push({ kind: "added", id: place.id, place, fields: [] });
    else {
      const fields = changedFields(own(other.node), own(place.node));
      if (fields.length) steps.push({ kind: "changed", id: place.id, place, fields });
      else if (isMoved(other, place, old, now)) steps.push({ kind: "moved", id: place.id, place, fields: [] });
    }
  }
  for (const place of old.places) if (!now.byId.has(place.id)) steps.push({ kind: "removed", id: place.id, place, fields: [] });
  const flow = changedFields({ ...workflowData(before), nodes: null }, { ...workflowData(after), nodes: null });
  return { steps, flow };
}

function own(node: Obj): Obj {
  const { children: _children, properties: _properties, ...rest } = node;
  return { ...properties(node), ...rest };
}

function changedFields(before: Obj, after: Obj): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const of = (members: Obj, name: string): Json | undefined => (Object.hasOwn(members, name) ? members[name] : undefined);
  return [...names].filter((name) => !equal(of(before, name), of(after, name)));
}

/** In another container, or behind another of the steps that both versions have. */
function isMoved(before: Place, after: Place, old: Tree, now: Tree): boolean {
  if ((before.parent?.id ?? "") !== (after.parent?.id ?? "")) return true;
  const previous = (place: Place, row: Place[], other: Tree): string => row.slice(0, row.indexOf(place)).reverse().find((each) => other.byId.has(each.id))?.id ?? "";
  return previous(before, before.parent?.children ?? old.roots, now) !== previous(after, after.parent?.children ?? now.roots, old);
}
