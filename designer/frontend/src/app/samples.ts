// Values of the last run, as the server answers them: asked for when an expression is first written, and again after a while.

import { expressionsIn } from "../model/expressions";
import { sampleAt } from "../model/completion";
import { isObj, isText, type Json, type Obj } from "../model/json";
import { ancestors, setting, type Place } from "../model/tree";

export interface Samples {
  readonly run: { readonly url: string; readonly is_test: boolean; readonly at: string | null } | null;
  readonly values: Obj;
}

export interface Tried {
  readonly type?: string;
  readonly value?: string;
  readonly error?: { readonly kind: "parse" | "evaluation"; readonly message: string; readonly line: number; readonly column: number; readonly within: readonly (string | number)[] };
}

export const NONE: Samples = { run: null, values: {} };
const FRESH_MS = 30_000;

/** Keeps an answer for a while; several fields ask once. */
export class SampleStore {
  private asked = 0;
  private answer: Promise<Samples> | null = null;

  constructor(private readonly fetch: () => Promise<Samples | null>) {}

  get(): Promise<Samples> {
    if (!this.answer || Date.now() - this.asked > FRESH_MS) {
      this.asked = Date.now();
      this.answer = this.fetch().then((found) => found ?? NONE);
    }
    return this.answer;
  }
}

/** The containers around a step that give it names, outermost first, as the server's preview takes them. */
export function loopsAround(place: Place | null): Obj[] {
  const found: Obj[] = [];
  for (const around of place ? ancestors(place) : []) {
    const loop = setting(around.node, "loop");
    const fan = setting(around.node, "fan_out");
    if (around.kind === "parallel" && isObj(fan)) found.unshift({ over: fan.over ?? null, is_fan_out: true });
    else if (around.kind === "loop" && isObj(loop)) found.unshift({ over: loop.over ?? null, item: loop.item ?? null, index: loop.index ?? null });
  }
  return found;
}

/** `values` with the names that the loops around a step give, as in their first round. */
export function inLoops(values: Obj, loops: readonly Obj[]): Obj {
  let made = values;
  for (const { over, item, index, is_fan_out } of loops) {
    if (over === null || over === undefined) {
      made = { ...made, iteration: 0, index: 0 };
      continue;
    }
    const first = firstOf(made, over);
    if (first === undefined) continue;
    if (is_fan_out) made = { ...made, input: { ...(isObj(made.input) ? made.input : {}), item: first, index: 0 } };
    else made = { ...made, [isText(item) && item ? item : "item"]: first, ...(isText(index) && index ? { [index]: 0 } : {}) };
  }
  return made;
}

function firstOf(values: Obj, over: Json): Json | undefined {
  const [expression] = isText(over) ? expressionsIn(over) : [];
  const list = Array.isArray(over) ? over : expression !== undefined ? sampleAt(values, expression.trim()) : undefined;
  return Array.isArray(list) ? list[0] : undefined;
}
