// Ids are made once, inside the command that needs one: from words, in letters, digits and underscores, unlike every other.

import { hiddenIds } from "./references";
import type { Tree } from "./tree";

const RESERVED: ReadonlySet<string> = new Set(["start", "end"]);
const PLAIN: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss", æ: "ae", ø: "o", å: "a" };

export function takenIds(tree: Tree): Set<string> {
  const taken = new Set<string>(tree.byId.keys());
  for (const place of tree.places) for (const id of hiddenIds(place.node)) taken.add(id);
  return taken;
}

/** "Charge {{ input.total }}" as `charge_total`. */
export function slug(words: string): string {
  const plain = words.toLowerCase().replace(/[äöüßæøå]/g, (found) => PLAIN[found]!);
  const made = plain.normalize("NFKD").replace(/[̀-ͯ]/g, "").replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 40).replace(/_+$/, "");
  return /^[0-9]/.test(made) ? `step_${made}` : made;
}

export function isReserved(id: string): boolean {
  return RESERVED.has(id) || id.startsWith("__");
}

function baseOf(wanted: string): string {
  return wanted && !isReserved(wanted) ? wanted : `step${wanted ? `_${wanted.replace(/^_+/, "")}` : ""}`;
}

/** Whether the designer made this id from these words. */
export function isMadeFrom(id: string, words: string): boolean {
  const base = baseOf(slug(words));
  return id === base || (id.startsWith(`${base}_`) && /^\d+$/.test(id.slice(base.length + 1)));
}

/** An id close to `wanted` that is not in `taken`, and is put there. */
export function freshId(wanted: string, taken: Set<string>): string {
  const base = baseOf(wanted);
  let id = base;
  for (let number = 2; taken.has(id); number += 1) id = `${base}_${number}`;
  taken.add(id);
  return id;
}
