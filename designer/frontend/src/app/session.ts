// One person editing one flow: the document, its history, what is selected, what the doctor said, and how saving stands.
// Knows no React and no server: views subscribe, saving is done by app/saving.ts.

import type { Outcome, Said } from "../model/change";
import { followName } from "../model/commands";
import { said } from "../model/change";
import { EMPTY, recorded, redone, undone, type History, type Step } from "../model/history";
import type { Obj } from "../model/json";
import type { GoneWays } from "../model/lanes";
import { ancestors, treeOf, type Place, type Tree } from "../model/tree";
import type { Typed } from "./typed";
import { sentence, type Finding, type ServerState, type Start, type VersionLine } from "./start";

export type SaveState = "saved" | "unsaved" | "saving" | "offline" | "signed-out" | "conflict" | "refused" | "paused";
export type View = "canvas" | "outline" | "yaml";

/** How something fared in a run, as the run's page says it: a word, a shape and a hue. */
export interface Look {
  readonly status: string;
  readonly word: string;
  readonly icon: string;
  readonly tone: string;
}

/** How a step fares in a run. */
export interface Mark extends Look {
  /** The moment it waits for. */
  readonly due?: string;
  /** Which try again, of how many, comes or is made. */
  readonly retry?: readonly [number, number];
}

/** Of a container in a run: which of its turns or branches is shown (from 1), and of how many. */
export interface Choice {
  readonly kind: "turn" | "branch" | "round";
  readonly at: number;
  readonly count: number;
  /** How many there will be, as far as that is known. */
  readonly of: number;
  readonly failed: readonly number[];
  readonly look: Look;
}

/** A run on the canvas: how often each way was gone along, what can be chosen, and by how much the server's clock is ahead. */
export interface Shown {
  readonly ways: Readonly<Record<string, number>>;
  readonly choices: Readonly<Record<string, Choice>>;
  readonly ahead: number;
}

export type Marks = Readonly<Record<string, Mark>>;

/** Of two versions on one canvas: jumps that only the older one has, and what is said of jumps, by their ids in the layout. */
export interface WayMarks {
  readonly gone: GoneWays;
  readonly marks: Marks;
}

export interface State {
  readonly document: Obj;
  readonly history: History;
  readonly selection: readonly string[];
  readonly collapsed: ReadonlySet<string>;
  readonly findings: readonly Finding[];
  readonly save: SaveState;
  readonly saveMessage: string;
  readonly versions: readonly VersionLine[];
  readonly view: View;
  readonly showsAllJumps: boolean;
  /** Said to screen readers, and shown for a moment. */
  readonly message: { readonly text: string; readonly id: number; readonly isProblem: boolean };
  /** A step to be brought into view, and a field of its form to get the cursor; the number tells requests apart. */
  readonly reveal: { readonly key: string; readonly field: string | null; readonly id: number } | null;
  readonly theirs: ServerState | null;
  /** A text that is typed and not yet, or not at all, a flow. */
  readonly typed: Typed | null;
  /** Somebody wants to look at their work before they settle a conflict. */
  readonly isConflictPutOff: boolean;
  readonly hoveredJump: string | null;
  readonly marks: Marks;
  /** The run that is looked at; null where there is none. */
  readonly shown: Shown | null;
  /** Names of the others who have this draft open to change it. */
  readonly others: readonly string[];
}

type Listener = () => void;

export class Session {
  private current: State;
  private readonly listeners = new Set<Listener>();
  private count = 0;
  /** Ids that published versions have. */
  private readonly published: Set<string>;
  /** Keys that steps had before their ids followed their names, by the keys they have now. */
  private readonly formerKeys = new Map<string, string>();
  readonly canChange: boolean;

  constructor(
    readonly start: Start,
    marks: Marks = {},
    readonly wayMarks: WayMarks | null = null,
  ) {
    this.canChange = start.can.change && !treeOf(start.state.content).isRuntime;
    this.published = new Set(start.published_ids);
    this.current = {
      document: start.state.content,
      history: EMPTY,
      selection: [],
      collapsed: new Set(),
      findings: start.state.findings,
      save: "saved",
      saveMessage: "",
      versions: start.state.versions,
      view: window.matchMedia("(max-width: 720px)").matches ? "outline" : "canvas",
      showsAllJumps: false,
      message: { text: "", id: 0, isProblem: false },
      reveal: null,
      theirs: null,
      typed: null,
      isConflictPutOff: false,
      hoveredJump: null,
      marks,
      shown: null,
      others: [],
    };
  }

  get state(): State {
    return this.current;
  }

  get tree(): Tree {
    return treeOf(this.current.document);
  }

  readonly subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  update(part: Partial<State>): void {
    this.current = { ...this.current, ...part };
    for (const listener of this.listeners) listener();
  }

  /** Take what a command made, or say why it was refused. Answers whether something changed. */
  run(outcome: Outcome): boolean {
    if (!this.canChange) return false;
    if (!outcome.ok) {
      if (outcome.reason.word !== "unchanged") this.say(outcome.reason, true);
      return false;
    }
    const { document, history, selection, save } = this.current;
    const tree = treeOf(outcome.document);
    const kept = outcome.select.length ? outcome.select : selection;
    this.update({
      document: outcome.document,
      history: recorded(history, document, selection, outcome, Date.now()),
      selection: kept.filter((key) => tree.byKey.has(key)),
      save: save === "conflict" || save === "paused" ? save : "unsaved",
    });
    // half a name, while somebody types it, is no step that is gone; the doctor will tell
    const troubles = outcome.troubles.filter((each) => outcome.burst === undefined || each.code !== "unknown-read");
    const problems = [...outcome.notices.map(sentence), ...troubles.map((trouble) => this.troubleWords(trouble))];
    if (problems.length) this.message([sentence(outcome.label), ...problems].join(" "), true);
    else if (outcome.burst === undefined) this.message(sentence(outcome.label), false);
    return true;
  }

  private troubleWords(trouble: { code: string; key: string } & Record<string, string>): string {
    return sentence(said(`trouble_${trouble.code.replace("-", "_")}`, { name: this.nameOf(trouble.key), target: this.nameOf(trouble.target ?? trouble.id ?? "") }));
  }

  nameOf(key: string): string {
    const place = this.tree.byKey.get(key);
    const action = place && (place.node.properties as Obj | undefined)?.action;
    return typeof action === "string" && action ? action : key;
  }

  undo(): void {
    this.step(undone(this.current.history), "undone");
  }

  redo(): void {
    this.step(redone(this.current.history), "redone");
  }

  private step(step: Step | null, word: string): void {
    if (!step || !this.canChange) return;
    const tree = treeOf(step.document);
    const selection = step.select.filter((key) => tree.byKey.has(key));
    this.update({ document: step.document, history: step.history, selection, save: this.current.save === "conflict" ? "conflict" : "unsaved" });
    this.message(sentence(said(word, { what: sentence(step.label) })), false);
    if (selection[0]) this.reveal(selection[0]);
  }

  say(what: Said, isProblem: boolean): void {
    this.message(sentence(what), isProblem);
  }

  message(text: string, isProblem: boolean): void {
    this.count += 1;
    this.update({ message: { text, id: this.count, isProblem } });
  }

  select(keys: readonly string[]): void {
    this.update({ selection: keys });
  }

  toggle(key: string): void {
    const { selection } = this.current;
    this.select(selection.includes(key) ? selection.filter((each) => each !== key) : [...selection, key]);
  }

  /** Somebody has typed a step's name: its id follows, where it may (model/commands/naming.ts). */
  followName(key: string, before: string): void {
    const outcome = followName(this.current.document, key, before, this.published);
    if (!outcome.ok) return;
    const id = outcome.select[0]!;
    const moved = (each: string): string => (each === key ? id : each);
    this.formerKeys.set(id, this.formKey(key));
    this.update({ collapsed: new Set([...this.current.collapsed].map(moved)) });
    this.run({ ...outcome, select: this.current.selection.map(moved) });
  }

  /** What a step's form is kept by while its id follows its name: a form that is made anew would lose the cursor. */
  formKey(key: string): string {
    const former = this.formerKeys.get(key);
    return former === undefined || this.tree.byKey.has(former) ? key : former;
  }

  /** Everything in the document is in a published version now. */
  notePublished(): void {
    for (const id of this.tree.byId.keys()) this.published.add(id);
  }

  /** Select a step, open the containers around it, bring it into view; `field` gets the cursor. */
  reveal(key: string, field: string | null = null): void {
    const place = this.tree.byKey.get(key);
    if (!place) return;
    this.count += 1;
    const closed = ancestors(place).filter((around) => this.current.collapsed.has(around.key));
    const collapsed = closed.length ? new Set(this.current.collapsed) : this.current.collapsed; // the same set: nothing to lay out again
    for (const around of closed) (collapsed as Set<string>).delete(around.key);
    this.update({ selection: [key], collapsed, reveal: { key, field, id: this.count } });
  }

  setCollapsed(key: string, isCollapsed: boolean): void {
    const collapsed = new Set(this.current.collapsed);
    if (isCollapsed) collapsed.add(key);
    else collapsed.delete(key);
    this.update({ collapsed });
  }

  collapseAll(isCollapsed: boolean): void {
    const keys = this.tree.places.filter((place) => place.isContainer && place.children.length).map((place) => place.key);
    this.update({ collapsed: new Set(isCollapsed ? keys : []) });
  }

  /** A document from elsewhere: the YAML view, a version, an import, a merge. One entry of the history. */
  replace(document: Obj, label: Said): void {
    this.run({ ok: true, document, label, select: [], notices: [], troubles: [] });
  }

  get selected(): Place | null {
    const [key] = this.current.selection;
    return key === undefined ? null : (this.tree.byKey.get(key) ?? null);
  }
}
