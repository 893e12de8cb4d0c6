// A step in few words: its icon, the line under its name, and the chips that say where else it may lead.

import { jumpsOf } from "../model/references";
import { get, getAt, isObj, isText, type Json, type Obj } from "../model/json";
import { parsed } from "../model/durations";
import { END, nameOf, properties, readable, setting, type Place, type Tree } from "../model/tree";
import { duration, t, type Catalogue, type Kind } from "./start";

export interface Chip {
  readonly tone: "error" | "timeout" | "yes" | "no" | "undo" | "quiet" | "off" | "note";
  readonly icon: string;
  readonly word: string;
  /** The key of the step it leads to. */
  readonly to?: string;
}

const NO_KIND: Kind = { word: "?", icon: "circle-dashed", is_container: false, fields: [] };

export function kindOf(place: Place, catalogue: Catalogue): Kind {
  return Object.hasOwn(catalogue.kinds.by_name, place.kind) ? catalogue.kinds.by_name[place.kind]! : { ...NO_KIND, word: place.kind || "?" };
}

export function referencePath(reference: Json | undefined): string {
  if (isText(reference)) return reference;
  const path = get(reference, "raisin:path") ?? get(reference, "raisin:ref");
  return isText(path) ? path : "";
}

export function titleOf(path: string, catalogue: Catalogue): string {
  if (!path) return "";
  if (/\{\{|\$\{/.test(path)) return readable(path);
  const named = [...catalogue.functions, ...catalogue.agents, ...catalogue.people, ...catalogue.flows].find((each) => each.path === path);
  return named?.title ?? (/^\/(users|groups)\//.test(path) ? path.slice(path.lastIndexOf("/") + 1) : path);
}

export function displayName(place: Place, catalogue: Catalogue): string {
  return nameOf(place) || kindOf(place, catalogue).word;
}

/** The line under the name: what it does, and for containers, or where there is nothing to say, what it is. */
export function underName(place: Place, catalogue: Catalogue): string {
  const { word } = kindOf(place, catalogue);
  const said = summary(place, catalogue);
  if (displayName(place, catalogue) === word) return said;
  return place.isContainer ? [word, said].filter(Boolean).join(" · ") : said || word;
}

export function summary(place: Place, catalogue: Catalogue): string {
  const own = (name: string): Json | undefined => setting(place.node, name);
  const text = (name: string): string => (isText(own(name)) ? readable(own(name) as string) : "");
  switch (place.kind) {
    case "function": return titleOf(referencePath(own("function_ref")), catalogue) || t("no_function");
    case "human_task": return [titleOf(text("assignee") && String(own("assignee")), catalogue) || t("nobody_yet"), dueWords(own("due_in_seconds"))].filter(Boolean).join(" · ");
    case "wait": return waitWords(place.node);
    case "sub_flow": return titleOf(referencePath(own("flow_ref")), catalogue) || t("no_flow");
    case "decision": return text("condition") || t("no_condition");
    case "stop": return text("reason") || t("ends_the_run");
    case "ai_agent": return titleOf(referencePath(own("agent_ref")), catalogue) || t("no_agent");
    case "chat": return titleOf(referencePath(get(own("chat_config"), "agent_ref")), catalogue) || t("no_agent");
    case "loop": return loopWords(own("loop"));
    case "parallel": return isObj(own("fan_out")) ? t("for_each", { of: readable(String(get(own("fan_out"), "over") ?? "")) }) : t(`merge_${String(own("merge_strategy") ?? "merge_all")}`);
    case "ai_sequence": return titleOf(referencePath(get(own("ai_config"), "agent_ref") ?? own("agent_ref")), catalogue) || t("no_agent");
    case "competition": return titleOf(referencePath(get(own("referee"), "agent_ref")), catalogue);
    default: return "";
  }
}

function dueWords(due: Json | undefined): string {
  if (typeof due === "number") return t("within", { time: duration(due * 1000) });
  return isText(due) && due ? t("within", { time: readable(due) }) : "";
}

function spanWords(span: Json | undefined): string {
  const ms = typeof span === "number" ? span : isText(span) ? parsed(span) : null;
  return ms === null ? (isText(span) ? readable(span) : "") : duration(ms);
}

function waitWords(node: Obj): string {
  const own = properties(node);
  switch (own.wait_type) {
    case "until": return t("until", { moment: readable(String(own.until ?? "")) });
    case "event": return t("for_event", { event: String(own.event_type ?? "") });
    case "cron": return String(own.cron ?? "");
    default: return spanWords(own.duration);
  }
}

function loopWords(loop: Json | undefined): string {
  if (!isObj(loop)) return "";
  if (loop.over !== undefined) return loop.over === "" ? t("no_list") : t("for_each", { of: readable(String(loop.over)) });
  if (loop.while !== undefined) return t("as_long_as", { condition: String(loop.while) });
  return loop.times !== undefined ? t("times", { n: Number(loop.times) }) : "";
}

const JUMP_ICONS = { error: "circle-x", timeout: "timer", yes: "check", no: "x" } as const;

/** What else a step may lead to, what undoes it, how it is guarded. */
export function chipsOf(place: Place, tree: Tree, catalogue: Catalogue): Chip[] {
  const chips: Chip[] = [];
  for (const jump of jumpsOf(place.node)) {
    if (jump.kind === "rule" || jump.kind === "default") continue;
    const target = tree.byId.get(jump.target);
    const name = jump.target === END ? t("the_end") : target ? displayName(target, catalogue) : jump.target;
    chips.push({ tone: jump.kind, icon: target || jump.target === END ? JUMP_ICONS[jump.kind] : "triangle-alert", word: t(`chip_${jump.kind}`, { name }), to: target?.key });
  }
  const own = properties(place.node);
  if (own.disabled === true) chips.push({ tone: "off", icon: "ban", word: t("will_be_skipped") });
  const when = setting(place.node, "when");
  if (isText(when)) chips.push({ tone: "quiet", icon: "filter", word: t("only_if", { condition: when }) });
  const undo = referencePath(setting(place.node, "compensation_ref")) || referencePath(getAt(manifestOf(place, catalogue), ["compensation", "function_ref"]));
  if (undo) chips.push({ tone: "undo", icon: "undo-2", word: t("chip_undo", { name: titleOf(undo, catalogue) }) });
  const retries = retryWords(place.node);
  if (retries) chips.push({ tone: "quiet", icon: "rotate-ccw", word: retries });
  if (setting(place.node, "must_succeed") === true) chips.push({ tone: "quiet", icon: "shield-check", word: t("must_succeed") });
  if (setting(place.node, "continue_on_fail") === true || setting(place.node, "optional") === true) chips.push({ tone: "quiet", icon: "forward", word: t("goes_on_if_it_fails") });
  if (isObj(setting(place.node, "recovery"))) chips.push({ tone: "quiet", icon: "life-buoy", word: t("has_recovery") });
  const note = setting(place.node, "note");
  if (isText(note) && note) chips.push({ tone: "note", icon: "sticky-note", word: note });
  return chips;
}

export function manifestOf(place: Place, catalogue: Catalogue): Json {
  const path = referencePath(setting(place.node, "function_ref"));
  return (catalogue.functions.find((each) => each.path === path) as unknown as Json) ?? null;
}

function retryWords(node: Obj): string {
  const own = setting(node, "retry");
  if (isObj(own) && typeof own.max_retries === "number") return own.max_retries ? t("chip_retries", { n: own.max_retries }) : t("never_again");
  const preset = setting(node, "retry_strategy");
  const counts: Record<string, number> = { quick: 3, standard: 5, aggressive: 10, llm: 5 };
  if (preset === "none") return t("never_again");
  return isText(preset) && Object.hasOwn(counts, preset) ? t("chip_retries", { n: counts[preset]! }) : "";
}

/** Under which words an alternative is taken. */
export function ruleWords(place: Place): string {
  const parent = place.parent;
  if (!parent || parent.kind !== "or") return "";
  const rules = setting(parent.node, "rules");
  if (Array.isArray(rules) && rules.length) {
    const own = rules.filter((rule) => get(rule, "next_step") === place.id).map((rule) => String(get(rule, "condition") ?? "").trim());
    if (own.length === 0) return isObj(setting(parent.node, "router")) ? t("agent_decides") : t("never_taken");
    if (own.includes("true")) return t("otherwise");
    return own.every((each) => each === "") ? t("no_condition") : t("if", { condition: own.filter(Boolean).join(t("or_between")) });
  }
  const condition = setting(place.node, "condition");
  if (isText(condition)) return t("if", { condition });
  return isObj(setting(parent.node, "router")) ? t("agent_decides") : place.index === 0 ? t("otherwise") : t("never_taken");
}

const CHAR = 6.3;

/** How many rows the chips take on a card; a chip that is too long is cut, so none takes more than one. */
export function rowsOf(chips: readonly Chip[], width: number): number {
  let rows = 0;
  let left = 0;
  for (const chip of chips) {
    const need = Math.min(width, chip.word.length * CHAR + 34);
    if (need > left) {
      rows += 1;
      left = width;
    }
    left -= need + 4;
  }
  return rows;
}
