// What can stand at the cursor in an expression: values that exist there, their members, methods and filters by type.
// The language is reference/expressions.md; its words come from the server (designer/catalogue/language.py).

import { get, isObj, isText, type Json, type Obj } from "./json";

/** A value that can be read, as app/offers.ts finds it; `type` is a type of JSON Schema, or empty. */
export interface Known {
  readonly group: string;
  readonly word: string;
  readonly expression: string;
  readonly type: string;
}

export interface LanguageWord {
  readonly name: string;
  readonly help: string;
  /** Types it works on. */
  readonly on: readonly string[];
  readonly gives: string;
  /** What stands between its brackets; null where none are written. */
  readonly arguments: string | null;
}

export interface Language {
  readonly methods: readonly LanguageWord[];
  readonly filters: readonly LanguageWord[];
}

export interface Suggestion {
  readonly text: string;
  /** What is put in place of what was typed. */
  readonly insert: string;
  /** How far before the end of `insert` the cursor goes: between brackets that want an argument. */
  readonly back: number;
  readonly kind: "value" | "method" | "filter";
  readonly help: string;
  readonly type: string;
  readonly sample: Json | undefined;
}

export interface Completion {
  readonly from: number;
  readonly to: number;
  readonly suggestions: readonly Suggestion[];
}

const MOST = 50;
const NAME = /^[A-Za-z_]\w*$/;
const SEGMENT = /\.([A-Za-z_]\w*)(?:\([^()]*\))?|\[(\d+)\]|\['([^'\\]*)'\]|\["([^"\\]*)"\]/y;
const FILTER = /(?:^|[^|])\|\s*([A-Za-z_]\w*)?$/;
const TAIL = /(?:^|[^\w.\])'"])((?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*(?:\([^()]*\))?|\[(?:\d+|'[^'\\]*'|"[^"\\]*")\])*\.)?)([A-Za-z_]\w*)?$/;

/** The part of the expression around `cursor` that stands before it, and where it begins; null outside of one. */
export function before(text: string, cursor: number, kind: "template" | "condition"): { readonly start: number; readonly text: string } | null {
  const open = openMarker(text, cursor);
  if (open === null && (kind === "template" || /^\s*(\{\{|\$\{)/.test(text))) return null;
  const start = open ?? 0;
  const found = text.slice(start, cursor);
  return isInText(found) ? null : { start, text: found };
}

/** Where the marker that is open at `cursor` begins. `${` ends at the brace that balances it, `{{` at the first `}}`. */
function openMarker(text: string, cursor: number): number | null {
  let at = 0;
  while (at < cursor - 1) {
    const curly = text.startsWith("{{", at);
    if (!curly && !text.startsWith("${", at)) {
      at += 1;
      continue;
    }
    const end = curly ? text.indexOf("}}", at + 2) : balanced(text, at + 1);
    if (end < 0 || end >= cursor) return at + 2;
    at = end + (curly ? 2 : 1);
  }
  return null;
}

function balanced(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    else if (text[at] === "}" && (depth -= 1) === 0) return at;
  }
  return -1;
}

function isInText(expression: string): boolean {
  let quote = "";
  for (let at = 0; at < expression.length; at += 1) {
    const char = expression[at]!;
    if (quote && char === "\\") at += 1;
    else if (quote) quote = char === quote ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
  }
  return quote !== "";
}

interface Part {
  readonly name: string | number;
  readonly isCall: boolean;
}

/** `steps.a['b'][0].trim()` as its parts; null where it is no such chain. */
export function parts(expression: string): Part[] | null {
  const root = /^[A-Za-z_]\w*/.exec(expression);
  if (!root) return null;
  const found: Part[] = [{ name: root[0], isCall: false }];
  let at = root[0].length;
  while (at < expression.length) {
    SEGMENT.lastIndex = at;
    const next = SEGMENT.exec(expression);
    if (!next) return null;
    found.push({ name: next[2] !== undefined ? Number(next[2]) : (next[1] ?? next[3] ?? next[4]!), isCall: next[0].endsWith(")") });
    at = SEGMENT.lastIndex;
  }
  return found;
}

/** The sample at `expression`; undefined where there is none, or where a method is called on the way. */
export function sampleAt(values: Obj, expression: string): Json | undefined {
  const chain = parts(expression);
  if (!chain || chain.some((part) => part.isCall)) return undefined;
  let at: Json | undefined = values;
  for (const { name } of chain) at = Array.isArray(at) ? (typeof name === "number" ? at[name] : undefined) : typeof name === "string" ? get(at, name) : undefined;
  return at;
}

/** The language's word for a value's type; empty for null, which may become anything. */
export function typeOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "float";
  return typeof value === "object" ? "object" : typeof value;
}

/** `name` behind `root`: with a dot where the language allows it. */
export function member(root: string, name: string): string {
  if (NAME.test(name)) return `${root}.${name}`;
  return `${root}['${name.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`;
}

/** Values that only a sample tells of: the members of what no schema describes. */
export function withSamples(known: readonly Known[], values: Obj, depth = 2): Known[] {
  const there = new Set(known.map((each) => each.expression));
  const inside = (each: Known, left: number): Known[] => {
    const sample = sampleAt(values, each.expression);
    if (left === 0 || !isObj(sample)) return [];
    return Object.keys(sample).flatMap((name) => {
      const made = { group: each.group, word: name, expression: member(each.expression, name), type: typeOf(sample[name]) };
      return there.has(made.expression) ? [] : (there.add(made.expression), [made, ...inside(made, left - 1)]);
    });
  };
  return known.flatMap((each) => [each, ...inside(each, depth)]);
}

/** What fits at `cursor`. Nothing typed yet brings up everything only at the beginning of an expression, or `isAsked`. */
export function completion(text: string, cursor: number, kind: "template" | "condition", known: readonly Known[], values: Obj, language: Language, isAsked = false): Completion | null {
  const around = before(text, cursor, kind);
  if (!around) return null;
  const filter = FILTER.exec(around.text);
  const tail = filter ? null : TAIL.exec(around.text);
  if (!filter && !tail) return null;
  const typed = (filter ? filter[1] : tail![2]) ?? "";
  const base = filter ? null : tail![1]!.slice(0, -1);
  const all = withSamples(known, values);
  const isBeginning = around.text.trim() === "" && around.start > 0;
  const found = filter ? filters(language, typed) : base ? behind(base, typed, all, values, language) : typed || isBeginning || isAsked ? values_(typed, all, values) : [];
  const suggestions = found.filter((each) => each.insert !== typed).slice(0, MOST);
  // a name that is spelled in full needs no help, unless it goes on
  const isDone = found.some((each) => each.insert === typed) && suggestions.length === 0;
  return suggestions.length === 0 || isDone ? null : { from: cursor - typed.length, to: cursor, suggestions };
}

function values_(typed: string, known: readonly Known[], values: Obj): Suggestion[] {
  const low = typed.toLowerCase();
  const rank = (each: Known): number => {
    const expression = each.expression.toLowerCase();
    if (expression.startsWith(low)) return 0;
    if (expression.split(/[.[\]']+/).some((part) => part.startsWith(low))) return 1;
    return `${each.group} ${each.word}`.toLowerCase().includes(low) ? 2 : 3;
  };
  return known
    .map((each) => ({ each, at: rank(each) }))
    .filter(({ at }) => at < 3)
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => value(each.expression, each.expression, `${each.group}: ${each.word}`, each.type, sampleAt(values, each.expression)));
}

/** Members of `base`, then the methods that work on it. */
function behind(base: string, typed: string, known: readonly Known[], values: Obj, language: Language): Suggestion[] {
  const sample = sampleAt(values, base);
  const told = known.find((each) => each.expression === base)?.type ?? "";
  const type = typeOf(sample) || (told === "number" ? "float" : told) || givenBy(base, language);
  const low = typed.toLowerCase();
  const starts = (name: string): boolean => name.toLowerCase().startsWith(low);
  const members = new Map<string, Suggestion>();
  for (const each of known) {
    if (!each.expression.startsWith(`${base}.`)) continue;
    const name = /^\w+/.exec(each.expression.slice(base.length + 1))?.[0];
    if (!name || members.has(name)) continue;
    const isWhole = each.expression === `${base}.${name}`;
    members.set(name, value(name, name, isWhole ? each.word : each.group, isWhole ? each.type : "", sampleAt(values, `${base}.${name}`)));
  }
  const isData = type === "object" || members.size > 0;
  const methods = base === "steps" ? [] : language.methods.filter((each) => !type ? !isData : each.on.includes(type));
  return [...members.values(), ...methods.map((each) => called(each, "method"))].filter((each) => starts(each.text));
}

/** The type that the method at the end of `base` gives. */
function givenBy(base: string, language: Language): string {
  const last = parts(base)?.at(-1);
  return last?.isCall ? (language.methods.find((each) => each.name === last.name)?.gives ?? "") : "";
}

function filters(language: Language, typed: string): Suggestion[] {
  return language.filters.filter((each) => each.name.startsWith(typed.toLowerCase())).map((each) => called(each, "filter"));
}

function value(text: string, insert: string, help: string, type: string, sample: Json | undefined): Suggestion {
  return { text, insert, back: 0, kind: "value", help, type: type || typeOf(sample), sample };
}

function called(word: LanguageWord, kind: "method" | "filter"): Suggestion {
  const inside = word.arguments;
  const insert = inside === null ? word.name : `${word.name}(${inside})`;
  const back = !inside ? 0 : /^'.*'$/.test(inside) ? 2 : inside.length + 1;
  return { text: word.name, insert, back, kind, help: word.help, type: word.gives, sample: undefined };
}

/** The text with a suggestion taken, and where the cursor stands then. */
export function taken(text: string, { from, to }: Completion, suggestion: Suggestion): { readonly text: string; readonly cursor: number } {
  return { text: text.slice(0, from) + suggestion.insert + text.slice(to), cursor: from + suggestion.insert.length - suggestion.back };
}

/** A sample as one short line. */
export function shortly(sample: Json | undefined): string {
  if (sample === undefined) return "";
  const text = isText(sample) ? sample : JSON.stringify(sample);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
