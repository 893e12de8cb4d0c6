// Undo and redo for the whole session: each entry is the document before and after, with its name. Documents share what did not change.

import type { Change, Said } from "./change";
import type { Obj } from "./json";

interface Entry {
  readonly label: Said;
  readonly before: Obj;
  readonly after: Obj;
  readonly selectBefore: readonly string[];
  readonly selectAfter: readonly string[];
  readonly burst?: string;
  readonly at: number;
}

/** Typing with pauses below this is one entry. */
const BURST_MS = 1500;

export interface History {
  readonly past: readonly Entry[];
  readonly future: readonly Entry[];
}

export const EMPTY: History = { past: [], future: [] };

/** A change that was refused never gets here, so it neither fills the past nor wipes the future. */
export function recorded(history: History, before: Obj, selected: readonly string[], change: Change, now: number): History {
  const last = history.past[history.past.length - 1];
  const inTime = last && (change.completes || now - last.at < BURST_MS);
  const goesOn = last && inTime && change.burst !== undefined && last.burst === change.burst && last.after === before && history.future.length === 0;
  const entry: Entry = {
    label: change.label,
    before: goesOn ? last.before : before,
    after: change.document,
    selectBefore: goesOn ? last.selectBefore : selected,
    selectAfter: change.select,
    burst: change.burst,
    at: now,
  };
  return { past: [...(goesOn ? history.past.slice(0, -1) : history.past), entry], future: [] };
}

export interface Step {
  readonly history: History;
  readonly document: Obj;
  readonly select: readonly string[];
  readonly label: Said;
}

export function undone(history: History): Step | null {
  const entry = history.past[history.past.length - 1];
  if (!entry) return null;
  return { history: { past: history.past.slice(0, -1), future: [entry, ...history.future] }, document: entry.before, select: entry.selectBefore, label: entry.label };
}

export function redone(history: History): Step | null {
  const entry = history.future[0];
  if (!entry) return null;
  return { history: { past: [...history.past, entry], future: history.future.slice(1) }, document: entry.after, select: entry.selectAfter, label: entry.label };
}
