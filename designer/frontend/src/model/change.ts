// What a command answers: a new document with what to say about it, or why it is refused. Nothing is ever changed in place.

import { newTroubles, type Trouble } from "./checks";
import type { Obj } from "./json";
import { treeOf } from "./tree";

/** A sentence of the page: the name of its words and what they are about. */
export interface Said {
  readonly word: string;
  readonly about: Readonly<Record<string, string | number>>;
}

export interface Change {
  readonly ok: true;
  readonly document: Obj;
  /** Keys to be selected afterwards. */
  readonly select: readonly string[];
  /** The name of the step in the history: "Undo: Move Charge card". */
  readonly label: Said;
  /** What else had to happen, or is wrong now. */
  readonly notices: readonly Said[];
  readonly troubles: readonly Trouble[];
  /** Changes in a row with the same mark are one entry of the history: a burst of typing. */
  readonly burst?: string;
  /** It completes the change before it of the same burst, however long ago that was. */
  readonly completes?: true;
}

export interface Refusal {
  readonly ok: false;
  readonly reason: Said;
}

export type Outcome = Change | Refusal;

export function said(word: string, about: Said["about"] = {}): Said {
  return { word, about };
}

export function refused(word: string, about: Said["about"] = {}): Refusal {
  return { ok: false, reason: said(word, about) };
}

export interface Made {
  readonly document: Obj;
  readonly select?: readonly string[];
  readonly notices?: readonly Said[];
  readonly burst?: string;
}

/** The change from `before`, with every trouble it brings reported. */
export function changed(before: Obj, label: Said, made: Made): Change {
  return {
    ok: true,
    label,
    document: made.document,
    select: made.select ?? [],
    notices: made.notices ?? [],
    troubles: newTroubles(treeOf(before), treeOf(made.document)),
    burst: made.burst,
  };
}
