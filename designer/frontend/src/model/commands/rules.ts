// The rules of an `or` follow its children: a child that comes gets one, a child that goes takes its own along and says so.

import { said, type Said } from "../change";
import { get, isObj, isText, setAt, type Json, type Obj } from "../json";
import { kindOf, setting } from "../tree";

export function rulesOf(node: Obj): Json[] | null {
  const found = setting(node, "rules");
  return Array.isArray(found) ? found : null;
}

function withRules(node: Obj, rules: Json[]): Obj {
  const inside = get(node, "rules") == null && rulesOf(node) !== null;
  return setAt(node, inside ? ["properties", "rules"] : ["rules"], rules) as Obj;
}

/** An `or` with a rule for each of `ids`; one with a router asks its agent and needs none. */
export function withRulesFor(node: Obj, ids: readonly string[]): Obj {
  if (kindOf(node) !== "or" || setting(node, "router") != null) return node;
  const rules = rulesOf(node) ?? [];
  const children = get(node, "children");
  const byCondition = rules.length === 0 && Array.isArray(children) && children.some((child) => isObj(child) && setting(child, "condition") != null);
  if (byCondition) return node;
  return withRules(node, [...rules, ...ids.map((id) => ({ condition: "", next_step: id }))]);
}

/** An `or` without the rules that lead to `ids`, and a notice for each condition that was lost with them. */
export function withoutRulesFor(node: Obj, ids: ReadonlySet<string>): { node: Obj; notices: Said[] } {
  const rules = kindOf(node) === "or" ? rulesOf(node) : null;
  if (!rules) return { node, notices: [] };
  const goes = (rule: Json): boolean => ids.has(String(get(rule, "next_step") ?? ""));
  const gone = rules.filter(goes);
  if (gone.length === 0) return { node, notices: [] };
  const notices = gone
    .map((rule) => get(rule, "condition"))
    .filter((condition): condition is string => isText(condition) && condition.trim() !== "")
    .map((condition) => said("rule_removed", { condition }));
  return { node: withRules(node, rules.filter((rule) => !goes(rule))), notices };
}

/** An `or` whose rules and router lead to `to` where they led to `from`. */
export function retargeted(node: Obj, from: string, to: string): Obj {
  let made = node;
  const rules = kindOf(node) === "or" ? rulesOf(node) : null;
  if (rules) {
    made = withRules(made, rules.map((rule) => (isObj(rule) && get(rule, "next_step") === from ? { ...rule, next_step: to } : rule)));
  }
  for (const around of [["router"], ["properties", "router"]]) {
    const router = around.length === 1 ? get(made, "router") : get(get(made, "properties"), "router");
    if (isObj(router) && router.default_branch === from) made = setAt(made, [...around, "default_branch"], to) as Obj;
  }
  return made;
}
