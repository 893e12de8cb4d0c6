// The clipboard holds plain YAML: a list of steps that can be pasted into another flow, a mail or a file.

import { parseDocument } from "yaml";
import { get, isObj, type Json, type Obj } from "./json";
import { fresh } from "./text";
import { CONTAINER, STEP, workflowData } from "./tree";

export function clipboardText(nodes: readonly Obj[]): string {
  return fresh([...nodes]);
}

/** The steps in a text: a list of them, one, or all of a whole flow; null where it holds none. */
export function stepsIn(text: string): Obj[] | null {
  if (!/node_type|nodes/.test(text)) return null;
  const parsed = parseDocument(text, { version: "1.2", maxAliasCount: 100 } as never);
  if (parsed.errors.length) return null;
  let value: Json;
  try {
    value = parsed.toJS({ maxAliasCount: 100 }) as Json;
  } catch {
    return null;
  }
  const found = Array.isArray(value) ? value : isObj(value) ? (isStep(value) ? [value] : get(workflowData(value), "nodes")) : null;
  return Array.isArray(found) && found.length > 0 && found.every(isStep) ? (found as Obj[]) : null;
}

function isStep(value: Json): boolean {
  return isObj(value) && (value.node_type === STEP || value.node_type === CONTAINER);
}
