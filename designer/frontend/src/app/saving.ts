// Autosave: a moment after the last change the draft is saved, with the revision it changes. Nothing is lost on the way: what
// could not be saved stays in the browser and is offered again, signed out, offline or after a crash.

import { said } from "../model/change";
import { equal, type Obj } from "../model/json";
import { merged } from "../model/merge";
import { written } from "../model/text";
import { SampleStore, type Samples, type Tried } from "./samples";
import type { Session } from "./session";
import { t, type Finding, type ServerState, type VersionLine } from "./start";
import { TypedText } from "./typed";

const PAUSE_MS = 700;
const AGAIN_MS = 5000;

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly line?: number | null;
  readonly now?: ServerState;
  readonly findings?: readonly Finding[];
}

export interface Way {
  readonly how: string;
  readonly heading: string;
  readonly lines: readonly { readonly icon: string; readonly node: string; readonly words: string; readonly undo: readonly string[] }[];
}

type Answer<Body> = { ok: true; body: Body } | { ok: false; status: number; body: Refusal };

function csrf(): string {
  return /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";
}

/** JSON there and back. Status 0: the server was not reached. `keepalive` outlives the page. */
async function ask<Body>(url: string, body?: unknown, keepalive = false): Promise<Answer<Body>> {
  try {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(url, { ...sent, headers: { "Content-Type": "application/json", "X-CSRFToken": csrf() }, credentials: "same-origin", keepalive });
    const isJson = response.headers.get("Content-Type")?.includes("json") ?? false;
    if (isJson && response.ok) return { ok: true, body: (await response.json()) as Body };
    const found = isJson ? ((await response.json()) as Refusal) : { code: "refused", message: t("not_saved", { status: response.status }) };
    return { ok: false, status: response.status === 403 && !isJson ? 401 : response.status, body: found };
  } catch {
    return { ok: false, status: 0, body: { code: "offline", message: t("offline") } };
  }
}

interface Kept {
  readonly revision: number;
  readonly content: Obj;
  readonly base: Obj;
  readonly at: number;
}

export class Saving {
  /** What the server has, as far as we know. */
  private base: Obj;
  private baseText: string;
  /** The text to write from, and what it says: the server's, or what somebody typed since. */
  private source: { text: string; content: Obj };
  private revision: number;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private busy = false;
  readonly samples = new SampleStore(async () => {
    const answer = await ask<Samples>(this.session.start.urls.samples);
    return answer.ok ? answer.body : null;
  });

  readonly typed: TypedText;

  constructor(private readonly session: Session) {
    this.typed = new TypedText(session, this);
    const { state } = session.start;
    this.base = state.content;
    this.baseText = state.text;
    this.source = { text: state.text, content: state.content };
    this.revision = state.revision;
    let seen = session.state.document;
    session.subscribe(() => {
      if (session.state.document === seen) return;
      seen = session.state.document;
      this.keep();
      this.soon();
    });
    window.addEventListener("online", () => void this.save());
    window.addEventListener("focus", () => {
      if (["signed-out", "offline"].includes(session.state.save)) void this.save();
    });
    window.addEventListener("beforeunload", (event) => {
      if (this.isDirty && !this.keep()) event.preventDefault();
    });
  }

  get isDirty(): boolean {
    return !equal(this.base, this.session.state.document) || this.text !== this.baseText;
  }

  /** The document as text, comments kept. */
  get text(): string {
    return written(this.source.text, this.source.content, this.session.state.document);
  }

  private soon(after = PAUSE_MS): void {
    clearTimeout(this.timer);
    if (this.session.state.save !== "paused" && this.session.state.save !== "conflict") this.timer = setTimeout(() => void this.save(), after);
  }

  pause(isPaused: boolean): void {
    this.session.update({ save: isPaused ? "paused" : this.isDirty ? "unsaved" : "saved" });
    if (!isPaused) void this.save();
  }

  /** Save now. Answers whether the server has what is on the screen. */
  async save(): Promise<boolean> {
    const { session } = this;
    clearTimeout(this.timer);
    if (!session.canChange || session.state.save === "conflict") return !this.isDirty;
    if (this.busy) return this.soon(), false;
    if (!this.isDirty) {
      this.forget();
      if (session.state.save !== "paused") session.update({ save: "saved" });
      return true;
    }
    this.busy = true;
    const content = session.state.document;
    if (session.state.save !== "paused") session.update({ save: "saving" });
    const text = this.text;
    const answer = await ask<ServerState>(session.start.urls.draft, { revision: this.revision, text, content });
    this.busy = false;
    return answer.ok ? this.saved(content, text, answer.body) : this.notSaved(answer.status, answer.body);
  }

  private saved(content: Obj, sent: string, now: ServerState): boolean {
    this.base = content;
    this.baseText = now.text;
    if (this.session.state.document === content || now.text !== sent) this.source = { text: now.text, content };
    this.revision = now.revision;
    const isCurrent = this.session.state.document === content;
    const save = this.session.state.save === "paused" ? "paused" : isCurrent ? "saved" : "unsaved";
    this.session.update({ save, saveMessage: "", versions: now.versions, findings: now.findings });
    if (isCurrent) this.forget();
    else this.soon();
    return isCurrent;
  }

  private notSaved(status: number, refusal: Refusal): boolean {
    const { session } = this;
    if (status === 409 && refusal.now) this.meet(refusal.now);
    else if (status === 401) session.update({ save: "signed-out", saveMessage: refusal.message });
    else if (status === 0 || status >= 500) {
      session.update({ save: "offline", saveMessage: refusal.message });
      this.timer = setTimeout(() => void this.save(), AGAIN_MS);
    } else session.update({ save: "refused", saveMessage: refusal.message });
    return false;
  }

  /** Somebody else saved. Steps that only one of us changed go together; else a person decides. */
  private meet(theirs: ServerState): void {
    const { session } = this;
    const { document, conflicts } = merged(this.base, session.state.document, theirs.content);
    if (conflicts.length) {
      session.update({ save: "conflict", isConflictPutOff: false, theirs, saveMessage: t("conflict_about", { steps: conflicts.map((id) => session.nameOf(id)).join(", ") }) });
      return;
    }
    this.take(theirs);
    session.replace(document, said("merged", { who: theirs.changed_by }));
    session.message(t("merged", { who: theirs.changed_by }), false);
    this.soon(0);
  }

  private take(theirs: ServerState): void {
    this.base = theirs.content;
    this.baseText = theirs.text;
    this.source = { text: theirs.text, content: theirs.content };
    this.revision = theirs.revision;
    this.session.update({ save: "unsaved", theirs: null, versions: theirs.versions });
  }

  /** How a person settles a conflict: with everything of mine where both changed something, or with what is stored. */
  settle(whose: "mine" | "theirs"): void {
    const theirs = this.session.state.theirs;
    if (!theirs) return;
    const mine = merged(this.base, this.session.state.document, theirs.content).document;
    this.take(theirs);
    this.session.replace(whose === "mine" ? mine : theirs.content, said(whose === "mine" ? "kept_mine" : "took_theirs", { who: theirs.changed_by }));
    void this.save();
  }

  // --- what the browser keeps ------------------------------------------------------------------------------------

  private get name(): string {
    return `sultana-draft:${this.session.start.path}`;
  }

  private keep(): boolean {
    const kept: Kept = { revision: this.revision, content: this.session.state.document, base: this.base, at: Date.now() };
    try {
      localStorage.setItem(this.name, JSON.stringify(kept));
      return true;
    } catch {
      return false; // full or forbidden: the browser will ask before it leaves the page
    }
  }

  private forget(): void {
    localStorage.removeItem(this.name);
  }

  /** Work that an earlier page could not save, if what is stored differs from it. */
  restore(): void {
    let kept: Kept;
    try {
      kept = JSON.parse(localStorage.getItem(this.name) ?? "null") as Kept;
    } catch {
      return this.forget();
    }
    if (!kept || !this.session.canChange) return;
    if (equal(kept.content, this.base)) return this.forget();
    const { document, conflicts } = merged(kept.base, kept.content, this.base);
    this.session.replace(conflicts.length ? kept.content : document, said("restored"));
    this.session.message(t("restored"), false);
  }

  // --- other questions -------------------------------------------------------------------------------------------

  check(text: string): Promise<Answer<{ content: Obj; findings: Finding[] }>> {
    return ask(this.session.start.urls.check, { text });
  }

  /** What comes of a failure of this step, as the engine foresees it for the stored draft. */
  ifItFails(step: string): Promise<Answer<{ ways: readonly Way[] }>> {
    return ask(`${this.session.start.urls.if_it_fails}&step=${encodeURIComponent(step)}`);
  }

  /** What a field with expressions gives on the values of the last run; null when the server cannot say. */
  async tried(field: { kind: string; value: string; step: string; loops: readonly Obj[] }): Promise<Tried | null> {
    const answer = await ask<Tried>(this.session.start.urls.preview, field);
    return answer.ok ? answer.body : null;
  }

  /** Say that this page is open, or closes; who else has the draft open, null when the server cannot say. */
  async here(here: boolean): Promise<readonly string[] | null> {
    const answer = await ask<{ others: readonly string[] }>(this.session.start.urls.editing, { here }, !here);
    return answer.ok ? answer.body.others : null;
  }

  version(number: number): Promise<Answer<{ content: Obj; text: string }>> {
    return ask(`${this.session.start.urls.version}${number}`);
  }

  async publish(note: string): Promise<Answer<{ number: number; is_new: boolean; versions: VersionLine[] }>> {
    if (this.isDirty && !(await this.save())) return { ok: false, status: 0, body: { code: "unsaved", message: this.session.state.saveMessage || t("save_first") } };
    const answer = await ask<{ number: number; is_new: boolean; versions: VersionLine[] }>(this.session.start.urls.publish, { revision: this.revision, note });
    if (answer.ok) {
      this.session.update({ versions: answer.body.versions });
      this.session.notePublished();
    } else if (answer.body.findings) this.session.update({ findings: answer.body.findings });
    else if (answer.status === 409 && answer.body.now) this.meet(answer.body.now);
    return answer;
  }

  /** A text from the YAML view, begun on `base`: comments and layout are the author's own from here on. What came to the canvas
   * meanwhile stays, except where the text says something else. */
  adopt(text: string, content: Obj, base: Obj): void {
    this.source = { text, content };
    const { document, conflicts } = merged(base, content, this.session.state.document);
    const steps = conflicts.map((id) => this.session.nameOf(id)).join(", ");
    this.session.replace(document, said("edited_text"));
    if (steps) this.session.message(t("text_won", { steps }), true);
    this.soon(0);
  }
}
