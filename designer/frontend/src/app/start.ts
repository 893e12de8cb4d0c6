// What the page starts with (designer/presenters/design.py), and the words in the reader's language.

import type { Json, Obj } from "../model/json";
import type { Said } from "../model/change";
import type { Language } from "../model/completion";

export interface Choice {
  readonly value: string;
  readonly word: string;
}

/** A field of a form, as designer/catalogue/field.py describes it. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly word: string;
  readonly section: string;
  readonly help?: string;
  readonly default?: Json;
  readonly choices?: readonly Choice[];
  readonly of?: readonly Field[];
  readonly of_function?: string;
  readonly of_result?: string;
  readonly covers?: readonly string[];
  readonly only?: Readonly<Record<string, readonly string[]>>;
  readonly rests?: boolean;
}

export interface Kind {
  readonly word: string;
  readonly icon: string;
  readonly is_container: boolean;
  readonly fields: readonly Field[];
}

export interface Entry {
  readonly name: string;
  readonly kind: string;
  readonly word: string;
  readonly icon: string;
  readonly help: string;
  readonly template: Obj;
}

export interface Callable {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly group?: string;
  readonly effect?: string;
  readonly idempotent?: boolean;
  readonly input_schema?: Json;
  readonly output_schema?: Json;
  readonly compensation?: Obj;
}

export interface Catalogue {
  readonly sections: readonly { name: string; word: string; is_open: boolean }[];
  readonly kinds: { readonly by_name: Readonly<Record<string, Kind>>; readonly palette: readonly Entry[] };
  readonly flow: readonly Field[];
  readonly language: Language;
  readonly functions: readonly Callable[];
  readonly agents: readonly Callable[];
  readonly people: readonly { path: string; title: string; is_group: boolean }[];
  readonly flows: readonly Callable[];
  readonly targets: readonly { name: string; description: string; kind: string }[];
}

export interface Finding {
  readonly code: string;
  readonly severity: "error" | "warning" | "suggestion";
  readonly node: string;
  readonly field: string;
  readonly message: string;
  readonly line: number | null;
}

export interface VersionLine {
  readonly number: number;
  readonly note: string;
  readonly by: string;
  readonly at: string | null;
  readonly is_draft: boolean;
}

export interface ServerState {
  readonly title: string;
  readonly revision: number;
  readonly text: string;
  readonly content: Obj;
  readonly findings: readonly Finding[];
  readonly changed_by: string;
  readonly changed_at: string | null;
  readonly enabled: boolean;
  readonly versions: readonly VersionLine[];
}

export interface Start {
  readonly path: string;
  readonly language: string;
  readonly words: Readonly<Record<string, string>>;
  readonly icons: string;
  readonly urls: Readonly<Record<"draft" | "check" | "samples" | "preview" | "editing" | "publish" | "version" | "compare" | "page" | "run" | "export" | "sign_in" | "if_it_fails", string>>;
  readonly can: { readonly change: boolean; readonly publish: boolean; readonly run: boolean };
  readonly catalogue: Catalogue;
  readonly state: ServerState;
  readonly published_ids: readonly string[];
}

let words: Readonly<Record<string, string>> = {};
let sprite = "";
let language = "en";

export function setWords(start: Pick<Start, "words" | "icons" | "language">): void {
  words = start.words;
  sprite = start.icons;
  language = start.language;
}

/** The sentence called `name`; `{n}` in it stands for `about.n`, and `name_one` is taken where n is 1. */
export function t(name: string, about: Readonly<Record<string, string | number>> = {}): string {
  const singular = about.n === 1 ? words[`${name}_one`] : undefined;
  const sentence = singular ?? words[name] ?? name;
  return sentence.replace(/\{(\w+)\}/g, (whole, key: string) => (Object.hasOwn(about, key) ? String(about[key]) : whole));
}

/** A type of JSON Schema or of the language, in words. */
export function typeWord(type: string): string {
  return type ? t(`type_${type === "float" ? "number" : type}`) : "";
}

export function sentence({ word, about }: Said): string {
  return t(word, about);
}

export function iconAddress(name: string): string {
  return `${sprite}#${name}`;
}

/** "2 days", "1 minute 30 seconds": the two largest units; short ones as "1 min 30 s". */
export function duration(ms: number, { isShort = false } = {}): string {
  const sizes: [string, number][] = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1000]];
  const parts: string[] = [];
  let left = ms;
  for (const [unit, size] of sizes) {
    const amount = Math.floor(left / size);
    if (amount && parts.length < 2) parts.push(isShort ? t(`short_${unit}`, { n: amount }) : t(`unit_${unit}`, { n: amount }));
    left -= amount * size;
  }
  return parts.length ? parts.join(" ") : t("unit_ms", { n: Math.round(ms) });
}

export function moment(text: string | null): string {
  return text ? new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(text)) : "";
}
