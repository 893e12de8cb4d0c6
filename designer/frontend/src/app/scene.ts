// The drawing as containers in containers, every part counted from the corner of what holds it. From one document to the next
// whatever still looks the same stays the very same object, so that a view leaves it alone: a step put in redraws what lies around
// it and moves the rest by whole containers.

import { equal, type Json } from "../model/json";
import type { Box, Layout, SlotBox, Wire } from "../model/layout";
import type { Place, Tree } from "../model/tree";
import { ruleWords, type Chip } from "./describe";

export interface Rule {
  readonly key: string;
  readonly words: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** What lies in the frame of a container, or of the whole flow. */
export interface Inside {
  readonly steps: readonly Scene[];
  readonly wires: readonly Wire[];
  readonly slots: readonly SlotBox[];
  readonly rules: readonly Rule[];
}

/** One step or container. Where `place` stands in the document may be out of date; what it says is not. */
export interface Scene {
  readonly place: Place;
  readonly box: Pick<Box, "x" | "y" | "width" | "height" | "isOpen">;
  readonly chips: readonly Chip[];
  /** Which one of how many it is among its siblings, from 1. */
  readonly position: number;
  readonly count: number;
  readonly inside: Inside;
}

const NOTHING: Inside = { steps: [], wires: [], slots: [], rules: [] };

export function sceneOf(tree: Tree, layout: Layout, chips: ReadonlyMap<string, readonly Chip[]>, before: Inside = NOTHING): Inside {
  const slots = grouped(layout.slots);
  const wires = grouped(layout.wires);
  const rules = grouped(layout.rules.map((rule) => ({ ...rule, around: rule.place.parent!.key })));

  const inside = (key: string | null, places: readonly Place[], left: number, top: number, old: Inside): Inside => {
    const known = new Map(old.steps.map((step) => [step.place.key, step]));
    const made: Inside = {
      steps: kept(old.steps, places.map((place, at) => step(place, at + 1, places.length, left, top, known.get(place.key))), same),
      wires: kept(old.wires, (wires.get(key) ?? []).map((wire) => ({ ...wire, x: 0, y: 0 }))),
      slots: kept(old.slots, (slots.get(key) ?? []).map((slot) => ({ ...slot, x: slot.x - left, y: slot.y - top }))),
      rules: kept(old.rules, (rules.get(key) ?? []).map(({ place, x, y, width }) => ({ key: place.key, words: ruleWords(place), x: x - left, y: y - top, width }))),
    };
    return (Object.keys(made) as (keyof Inside)[]).every((part) => made[part] === old[part]) ? old : made;
  };

  const step = (place: Place, position: number, count: number, left: number, top: number, old: Scene | undefined): Scene => {
    const { x, y, width, height, isOpen } = layout.boxes.get(place.key)!;
    const made: Scene = {
      place,
      position,
      count,
      box: { x: x - left, y: y - top, width, height, isOpen },
      chips: old && alike(old.chips, chips.get(place.key)!) ? old.chips : chips.get(place.key)!,
      inside: isOpen ? inside(place.key, place.children, x, y, old?.inside ?? NOTHING) : NOTHING,
    };
    return old && looksLike(old, made) ? old : made;
  };
  return inside(null, tree.roots, 0, 0, before);
}

function looksLike(old: Scene, made: Scene): boolean {
  const isSame = old.place.node === made.place.node && old.place.depth === made.place.depth && old.inside === made.inside && old.chips === made.chips;
  return isSame && old.position === made.position && old.count === made.count && alike(old.box, made.box);
}

function grouped<Part extends { readonly around: string | null }>(parts: readonly Part[]): Map<string | null, Part[]> {
  const found = new Map<string | null, Part[]>();
  for (const part of parts) {
    const own = found.get(part.around);
    if (own) own.push(part);
    else found.set(part.around, [part]);
  }
  return found;
}

function kept<Part>(old: readonly Part[], made: readonly Part[], isSame: (a: Part, b: Part) => boolean = alike): readonly Part[] {
  return old.length === made.length && made.every((part, at) => isSame(old[at]!, part)) ? old : made;
}

function same<Part>(a: Part, b: Part): boolean {
  return a === b;
}

function alike(a: unknown, b: unknown): boolean {
  return equal(a as Json, b as Json);
}
