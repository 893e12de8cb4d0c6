// A difference in words: which values, what they were and are, where a step stood before.

import { parsed } from "../model/durations";
import { excerpts, type Difference, type DifferenceKind, type FieldChange } from "../model/compare";
import { get, isText, type Json } from "../model/json";
import { ASIDE, jumpsOf, type Jump } from "../model/references";
import { END, siblings, type Place, type Tree } from "../model/tree";
import { displayName, kindOf, referencePath, titleOf } from "./describe";
import type { Mark, Marks, WayMarks } from "./session";
import { duration, t, type Catalogue, type Field } from "./start";

const LOOKS: Readonly<Record<DifferenceKind, readonly [icon: string, tone: string]>> = {
  added: ["plus", "green"],
  removed: ["minus", "red"],
  changed: ["pencil", "amber"],
  moved: ["arrow-right-left", "blue"],
};

export function markOf(kind: DifferenceKind): Mark {
  const [icon, tone] = LOOKS[kind];
  return { status: kind, word: t(`diff_${kind}`), icon, tone };
}

/** What the cards say: a word, a shape and a hue; a step that is changed and moved says both words. */
export function marksOf(byKey: ReadonlyMap<string, Difference>): Marks {
  return Object.fromEntries([...byKey].map(([key, { kinds }]) => [key, { ...markOf(kinds[0]!), word: kinds.map((kind) => t(`diff_${kind}`)).join(", ") }]));
}

/** The error, timeout and decision ways that are new, gone, or lead elsewhere, those of new and removed steps among them. */
export function wayMarksOf(byKey: ReadonlyMap<string, Difference>): WayMarks {
  const marks: Record<string, Mark> = {};
  const gone = new Map<string, Jump[]>();
  for (const [key, { before, after }] of byKey) {
    const [old, now] = [waysOf(before), waysOf(after)];
    for (const { kind, target } of now) {
      const was = old.find((each) => each.kind === kind);
      if (was?.target !== target) marks[`${key}:${kind}`] = markOf(was ? "changed" : "added");
    }
    for (const was of old) {
      if (now.some((each) => each.kind === was.kind && each.target === was.target)) continue;
      marks[`${key}:${was.kind}${after ? ":gone" : ""}`] = markOf("removed"); // a removed step is drawn with its own ways
      if (after) gone.set(key, [...(gone.get(key) ?? []), was]);
    }
  }
  return { gone, marks };
}

function waysOf(place: Place | null): Jump[] {
  return place ? jumpsOf(place.node).filter(({ kind }) => kind !== "rule" && kind !== "default") : [];
}

export interface FieldWords {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** `place` is the step that has the value; null for the flow itself. */
export function fieldWords(change: FieldChange, place: Place | null, trees: { before: Tree; after: Tree }, catalogue: Catalogue): FieldWords {
  const [names, field] = named(change.path, place ? kindOf(place, catalogue).fields : catalogue.flow);
  const before = valueWords(change.before, change.path, field, trees.before, catalogue);
  const after = valueWords(change.after, change.path, field, trees.after, catalogue);
  if (before === after) return { name: names.join(" · "), before: written(change.before), after: written(change.after) };
  const areBoth = change.before !== undefined && change.after !== undefined;
  const [was, is] = areBoth ? excerpts(before, after) : [before, after];
  return { name: names.join(" · "), before: was, after: is };
}

/** As it stands in the text, where two different values have the same words. */
function written(value: Json | undefined): string {
  return value === undefined ? t("not_set") : JSON.stringify(value);
}

const KINDS: ReadonlySet<string> = new Set(["step_type", "container_type"]);

/** The names of a value as the form says them, and its field there; what has no field goes by its own name. */
function named(path: readonly string[], fields: readonly Field[]): [string[], Field | null] {
  const [name, ...rest] = path as [string, ...string[]];
  if (KINDS.has(name)) return [[t("kind_of_step")], null];
  if (name === ASIDE) return [[t("put_aside"), ...rest], null];
  const field = fields.find((each) => each.name === name || each.covers?.includes(name)) ?? null;
  const word = field?.word ?? name;
  if (rest.length === 0) return [[word], field];
  if (field?.type === "rows" || field?.type === "steps") return inRow(word, rest, field.of ?? []);
  const [inner, last] = named(rest, field?.of ?? []);
  return [[word, ...inner], last];
}

/** A value in a row, which goes by its number; or a whole row. */
function inRow(word: string, path: readonly string[], fields: readonly Field[]): [string[], Field | null] {
  const [number, ...rest] = path;
  const [inner, last] = rest.length ? named(rest, fields) : [[], null];
  return [[`${word} ${number}`, ...inner], last];
}

function valueWords(value: Json | undefined, path: readonly string[], field: Field | null, tree: Tree, catalogue: Catalogue): string {
  if (value === undefined || value === null || value === "") return t("not_set");
  if (typeof value === "boolean") return t(value ? "jump_yes" : "jump_no");
  const choice = isText(value) && field?.choices?.find((each) => each.value === value);
  if (choice) return choice.word;
  if (isText(value) && KINDS.has(path[0]!)) return get(catalogue.kinds.by_name as unknown as Json, value) ? catalogue.kinds.by_name[value]!.word : value;
  const special = field && specialWords(value, field.type, tree, catalogue);
  if (special) return special;
  return isText(value) ? value : JSON.stringify(value);
}

function specialWords(value: Json, type: string, tree: Tree, catalogue: Catalogue): string {
  switch (type) {
    case "function": case "agent": case "flow": case "person": return titleOf(referencePath(value), catalogue);
    case "milliseconds": return typeof value === "number" ? duration(value) : "";
    case "seconds": return typeof value === "number" ? duration(value * 1000) : "";
    case "duration": return isText(value) && parsed(value) !== null ? duration(parsed(value)!) : "";
    case "step": case "child": {
      const target = isText(value) ? tree.byId.get(value) : undefined;
      return target ? displayName(target, catalogue) : value === END ? t("the_end") : "";
    }
    default: return "";
  }
}

/** Where a step stood that is elsewhere now. */
export function stoodWords(place: Place, tree: Tree, catalogue: Catalogue): string {
  const around = place.parent ? displayName(place.parent, catalogue) : t("this_flow");
  const row = siblings(tree, place);
  const previous = row[row.indexOf(place) - 1];
  return previous ? t("stood_after", { around, name: displayName(previous, catalogue) }) : t("stood_first", { around });
}
