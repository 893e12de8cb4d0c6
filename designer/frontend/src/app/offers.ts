// The values an expression can read where a step stands: only what exists there. Types come from the schemas of input and functions.

import { get, isObj, isText, type Json, type Obj } from "../model/json";
import { member, type Known } from "../model/completion";
import { graphOf } from "../model/references";
import { ancestors, isInside, placeOf, setting, treeOf, workflowData, type Place } from "../model/tree";
import { displayName, referencePath } from "./describe";
import { t, type Catalogue } from "./start";

export type Offer = Known;

/** `probes` are the steps of a `reconcile` that have looked before. */
export function available(document: Obj, key: string | null, catalogue: Catalogue, probes: readonly Obj[] = []): Offer[] {
  const tree = treeOf(document);
  const place = key === null ? null : (tree.byKey.get(key) ?? null);
  const offers = fieldsOf(get(workflowData(document), "input_schema"), "input", t("input"));
  if (offers.length === 0) offers.push({ group: t("input"), word: t("whole_input"), expression: "input", type: "" });
  if (!place) return offers;
  for (const around of ancestors(place)) offers.push(...loopOffers(around));
  for (const each of tree.places) if (isBefore(each, place)) offers.push(...outputOf(each, catalogue));
  for (const node of probes) offers.push(...outputOf(placeOf(node), catalogue));
  offers.push(...["message", "code", "step_id", "error_type"].map((name) => ({ group: t("last_error"), word: name, expression: `error.${name}`, type: "string" })));
  offers.push({ group: t("run"), word: t("run_id"), expression: "flow.instance_id", type: "string" });
  return offers;
}

/** In the same graph and earlier in the document; the containers around a step have no output yet. */
function isBefore(each: Place, place: Place): boolean {
  if (each === place || !each.id || isInside(place, each)) return false;
  const [a, b] = [each.path, place.path];
  const at = a.findIndex((part, index) => part !== b[index]);
  const earlier = at >= 0 && typeof a[at] === "number" && typeof b[at] === "number" && a[at] < b[at];
  const graph = graphOf(each);
  return earlier && (graph === graphOf(place) || graph === null || isInside(place, graph));
}

function loopOffers(place: Place): Offer[] {
  const loop = setting(place.node, "loop");
  const fan = setting(place.node, "fan_out");
  const group = t("loop");
  if (place.kind === "parallel" && isObj(fan)) return ["item", "index"].map((name) => ({ group, word: name, expression: `input.${name}`, type: "" }));
  if (place.kind !== "loop" || !isObj(loop)) return [];
  const names = loop.over !== undefined ? [isText(loop.item) ? loop.item : "item", ...(isText(loop.index) ? [loop.index] : [])] : ["iteration", "index"];
  return names.map((name) => ({ group, word: name, expression: name, type: "" }));
}

function outputOf(place: Place, catalogue: Catalogue): Offer[] {
  const group = displayName(place, catalogue);
  const root = member("steps", place.id);
  const plain = (...names: string[]): Offer[] => names.map((name) => ({ group, word: name, expression: `${root}.${name}`, type: "" }));
  switch (place.kind) {
    case "function": {
      const path = referencePath(setting(place.node, "function_ref"));
      const found = catalogue.functions.find((each) => each.path === path);
      const fields = fieldsOf(found?.output_schema, root, group);
      return fields.length ? fields : [{ group, word: t("whole_result"), expression: root, type: "" }];
    }
    case "human_task": {
      const form = fieldsOf(setting(place.node, "input_schema"), root, group);
      return [...(setting(place.node, "task_type") === "input" ? form : plain("action", "comment")), ...plain("completed_by")];
    }
    case "decision": return plain("decision");
    case "ai_agent": case "ai_sequence": return plain("response");
    case "loop": return plain("results", "count");
    case "competition": return plain("response", "winner", "confidence");
    case "stop": case "wait": case "and": case "or": return [];
    default: return [{ group, word: t("whole_result"), expression: root, type: "" }];
  }
}

function fieldsOf(schema: Json | undefined, root: string, group: string, depth = 0): Offer[] {
  const properties = get(schema, "properties");
  if (!isObj(properties)) return [];
  return Object.entries(properties).flatMap(([name, each]) => {
    const expression = member(root, name);
    const title = get(each, "title");
    const type = get(each, "type");
    const own: Offer = { group, word: isText(title) && title ? title : name, expression, type: isText(type) ? type : "" };
    return [own, ...(depth < 2 ? fieldsOf(each, expression, group, depth + 1) : [])];
  });
}
