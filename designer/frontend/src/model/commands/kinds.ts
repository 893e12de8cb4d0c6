// Another kind for a step or container. What the new kind does not know is put aside in the document, so that changing back has it again.

import { changed, refused, said, type Outcome } from "../change";
import { equal, fromPairs, get, isObj, isText, setAt, without, type Json, type Obj } from "../json";
import { ASIDE } from "../references";
import { CONTAINER, isContainer, kindOf, nameOf, properties, setting, treeOf, withNode, type Place } from "../tree";
import { pathOf } from "./fields";
import { rulesOf, withRulesFor } from "./rules";

/** A kind as the catalogue describes it. */
export interface Kind {
  readonly name: string;
  readonly word: string;
  /** The words of all settings that the format knows of it. */
  readonly settings: ReadonlyMap<string, string>;
  /** Those that mean something to it. */
  readonly offers: ReadonlySet<string>;
  /** A new one, without id. */
  readonly template: Obj;
}

const STRUCTURE: ReadonlySet<string> = new Set(["id", "node_type", "container_type", "children", "properties", "action", ASIDE]);
/** What makes a step one kind or another, before its `step_type` is looked at or after it. */
const BEARING: ReadonlySet<string> = new Set(["task_type", "function_ref", "agent_ref", "condition"]);

/** A step or container made of the kind `name`. Id, name and whatever both kinds know stay. */
export function changeKind(document: Obj, key: string, name: string, kindNamed: (name: string) => Kind): Outcome {
  const tree = treeOf(document);
  const place = tree.byKey.get(key);
  if (!place) return refused("place_is_gone");
  if (tree.isRuntime) return refused("runtime_is_read_only");
  if (name === place.kind) return refused("unchanged");
  const aside = setting(place.node, ASIDE) ?? {};
  if (!isObj(aside)) return refused("put_aside_is_no_map");
  const [from, to] = [kindNamed(place.kind), kindNamed(name)];
  const { coming, left } = comingBack(place.node, aside, to, kindNamed);
  const made = exchanged(place, from, to, coming);
  const isOfKind = kindOf(made.node) === name; // not where what made it so stood in the meantime for something else
  const { node, gone, goes } = isOfKind ? made : exchanged(place, from, to, { ...begun(to, place.node), ...coming });
  const isAsBegun = equal(gone, picked(beginning(from, place.node), goes));
  const next = isAsBegun ? left : withGone(left, from.name, gone);
  const whole = setAt(node, pathOf(place.node, [ASIDE]), Object.keys(next).length ? next : undefined) as Obj;
  const fields = isAsBegun ? [] : settingsIn(gone).map((each) => from.settings.get(each) ?? each);
  const notices = fields.length ? [said("settings_put_aside", { kind: from.word, fields: fields.join(", ") })] : [];
  return changed(document, said("change_kind", { name: nameOf(place) }), { document: withNode(document, place, whole), select: [key], notices });
}

/** The newest stands last. */
function withGone(aside: Obj, kind: string, gone: Obj): Obj {
  const old = get(aside, kind);
  return { ...without(aside, kind), ...fromPairs([[kind, isObj(old) ? { ...old, ...gone } : gone]]) };
}

/** What `node` gets when it becomes `to`, and what stays put aside: its own settings of before, else those it begins with; and what
 * it said as yet another kind that means something to both. */
function comingBack(node: Obj, aside: Obj, to: Kind, kindNamed: (name: string) => Kind): { coming: Obj; left: Obj } {
  const own = get(aside, to.name);
  let coming = isObj(own) ? own : {};
  let left = isObj(own) ? without(aside, to.name) : aside;
  for (const [name, members] of Object.entries(left).reverse()) {
    if (!isObj(members)) continue;
    const kind = kindNamed(name);
    const isIdle = (each: string): boolean => kind.settings.has(each) && !kind.offers.has(each);
    const isShared = (each: string): boolean => !isIdle(each) && to.offers.has(each) && !Object.hasOwn(coming, each) && setting(node, each) === undefined;
    const shared = picked(members, isShared);
    if (Object.keys(shared).length === 0) continue;
    const rest = picked(members, (each) => !Object.hasOwn(shared, each));
    const isAsBegun = equal(rest, picked(beginning(kind, node), (each) => !Object.hasOwn(shared, each)));
    left = isAsBegun ? without(left, name) : { ...left, ...fromPairs([[name, rest]]) };
    coming = { ...coming, ...shared };
  }
  return { coming: isObj(own) ? coming : { ...begun(to, node), ...coming }, left };
}

/** The names of what was put aside. */
export function settingsIn(aside: Obj): string[] {
  const { properties: inner, step_type: _type, ...own } = aside;
  return [...Object.keys(own), ...(isObj(inner) ? Object.keys(inner) : [])];
}

type Goes = (name: string) => boolean;

interface Exchange {
  readonly node: Obj;
  readonly gone: Obj;
  readonly goes: Goes;
}

function exchanged(place: Place, from: Kind, to: Kind, back: Obj): Exchange {
  const goes: Goes = (name) => !to.offers.has(name) && (from.settings.has(name) || (!place.isContainer && (BEARING.has(name) || name === "step_type")));
  if (place.isContainer) return exchangedContainer(place.node, to, goes, back);
  const made = exchangedStep(place.node, (name) => goes(name) && !(name === "condition" && isRule(place)), back);
  return kindOf(made.node) === to.name ? made : exchangedStep(place.node, goes, back);
}

function exchangedStep(node: Obj, goes: Goes, back: Obj): Exchange {
  const { made, gone } = exchangedMembers(properties(node), goes, back);
  return { node: { ...node, properties: made }, gone, goes };
}

/** A container's settings stand on it, or in its properties. */
function exchangedContainer(node: Obj, to: Kind, goes: Goes, back: Obj): Exchange {
  const { properties: backInside, ...own } = back;
  const outer = exchangedMembers(node, goes, own);
  const made = { ...outer.made, container_type: to.name };
  const inner = exchangedMembers(properties(node), goes, isObj(backInside) ? backInside : {});
  const isSame = equal(inner.made, properties(node));
  const gone = Object.keys(inner.gone).length ? { ...outer.gone, properties: inner.gone } : outer.gone;
  return { node: isSame ? made : { ...made, properties: inner.made }, gone, goes };
}

/** `members` without those that go and with those of `back`; what they displace goes too. */
function exchangedMembers(members: Obj, goes: Goes, back: Obj): { made: Obj; gone: Obj } {
  const coming = picked(back, (name) => !STRUCTURE.has(name));
  const isGone = (name: string, value: Json): boolean => {
    if (STRUCTURE.has(name)) return false;
    return Object.hasOwn(coming, name) && name !== "step_type" ? !equal(coming[name], value) : goes(name);
  };
  const kept = picked(members, (name, value) => !isGone(name, value));
  return { made: { ...kept, ...coming }, gone: picked(members, isGone) };
}

function picked(members: Obj, isWanted: (name: string, value: Json) => boolean): Obj {
  return fromPairs(Object.entries(members).filter(([name, value]) => isWanted(name, value)));
}

/** Whether a step's own condition is the rule by which the container around takes it. */
function isRule(place: Place): boolean {
  const condition = setting(place.node, "condition");
  return place.parent?.kind === "or" && !rulesOf(place.parent.node)?.length && isText(condition) && condition.trim() !== "";
}

/** What `node` gets when it becomes of a kind for the first time: what it says already stays. */
function begun(kind: Kind, node: Obj): Obj {
  return picked(beginning(kind, node), (name) => name === "step_type" || setting(node, name) === undefined);
}

/** The settings with which a new one begins that stands where `node` does. */
function beginning(kind: Kind, node: Obj): Obj {
  const template = isContainer(node) ? kind.template : properties(kind.template);
  const own = picked(template, (name) => !STRUCTURE.has(name));
  if (kind.name !== "or") return own;
  const children = get(node, "children");
  const ids = (Array.isArray(children) ? children : []).map((child) => get(child, "id")).filter((id): id is string => isText(id) && id !== "");
  const { rules } = withRulesFor({ ...own, node_type: CONTAINER, container_type: "or", children: children ?? [] }, ids);
  return rules === undefined ? own : { ...own, rules };
}
