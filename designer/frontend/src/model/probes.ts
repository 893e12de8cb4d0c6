// The steps of a `reconcile`: they look up what became of a call. They stand in no tree, and share the one namespace of ids.

import { freshId } from "./ids";
import { get, isObj, isText, type Json, type Obj } from "./json";
import { renameInNode } from "./references";
import { isContainer, kindOf, STEP } from "./tree";

/** Whether a form can show it: a step that calls a function. Anything else is shown as it is written. */
export function isCall(node: Json): node is Obj {
  return isObj(node) && !isContainer(node) && kindOf(node) === "function";
}

export function newProbe(taken: Set<string>): Obj {
  return { id: freshId("look_up", taken), node_type: STEP, properties: {} };
}

/** The members of a `reconcile` with one of its steps renamed, and what names it in there: its other steps, outcome and result. */
export function renamedProbe(members: Obj, at: number, id: string): Obj {
  const steps = Array.isArray(members.steps) ? members.steps : [];
  const old = get(steps[at], "id");
  const { steps: _steps, ...rest } = members;
  const isOnly = isText(old) && old !== "" && steps.filter((each) => get(each, "id") === old).length === 1;
  const ids = new Map(isOnly ? [[old, id]] : []);
  const made = steps.map((each, index) => {
    if (!isObj(each)) return each;
    const renamed = renameInNode(each, ids);
    return index === at ? { ...renamed, id } : renamed;
  });
  return { ...renameInNode(rest, ids), steps: made };
}
