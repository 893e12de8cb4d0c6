// The flow as somebody types it. A text that says no flow is saved nowhere and changes nothing: it stays as it was typed, on this
// page, in the browser and over a reload, until it can be read or is given up.

import { get, isObj, type Obj } from "../model/json";
import { workflowData } from "../model/tree";
import type { Saving } from "./saving";
import type { Session } from "./session";
import { t } from "./start";

const PAUSE_MS = 500;
const AGAIN_MS = 5000;

export interface Typed {
  readonly text: string;
  /** Why it is not saved; null as long as nobody knows. */
  readonly fault: { readonly message: string; readonly line: number | null } | null;
  readonly isChecking: boolean;
}

interface Kept {
  readonly text: string;
  /** The document when somebody began to type. */
  readonly base: Obj;
}

export class TypedText {
  private base: Obj;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly session: Session,
    private readonly saving: Saving,
  ) {
    this.base = session.state.document;
    window.addEventListener("beforeunload", (event) => {
      if (session.state.typed && !this.keep()) event.preventDefault();
    });
  }

  take(text: string): void {
    const { typed, document } = this.session.state;
    if (!typed) this.base = document;
    this.session.update({ typed: { text, fault: typed?.fault ?? null, isChecking: false } });
    this.keep();
    this.soon(PAUSE_MS);
  }

  private soon(after: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.check(), after);
  }

  /** Whether there is no text left that is not on the canvas; asks at once. */
  async isRead(): Promise<boolean> {
    clearTimeout(this.timer);
    await this.check();
    return this.session.state.typed === null;
  }

  private async check(): Promise<void> {
    const { typed } = this.session.state;
    if (!typed) return;
    const { text } = typed;
    this.session.update({ typed: { ...typed, isChecking: true } });
    const answer = await this.saving.check(text);
    if (this.session.state.typed?.text !== text) return;
    if (answer.ok && hasSteps(answer.body.content)) return this.adopt(text, answer.body.content);
    const fault = answer.ok ? { message: t("no_list_of_steps"), line: null } : { message: answer.body.message, line: lineIn(text, answer.body.line ?? null) };
    this.session.update({ typed: { text, fault, isChecking: false } });
    const isTextsFault = answer.ok || (answer.status >= 400 && answer.status < 500 && answer.status !== 401);
    if (!isTextsFault) this.soon(AGAIN_MS);
  }

  private adopt(text: string, content: Obj): void {
    this.giveUp();
    this.saving.adopt(text, content, this.base);
  }

  /** Back to the text of what is on the canvas. */
  giveUp(): void {
    clearTimeout(this.timer);
    localStorage.removeItem(this.name);
    this.session.update({ typed: null });
  }

  private get name(): string {
    return `sultana-text:${this.session.start.path}`;
  }

  private keep(): boolean {
    const kept: Kept = { text: this.session.state.typed!.text, base: this.base };
    try {
      localStorage.setItem(this.name, JSON.stringify(kept));
      return true;
    } catch {
      return false; // full or forbidden: the browser will ask before it leaves the page
    }
  }

  /** A text that an earlier page could not read is there again; one that can be read by now is taken. */
  restore(): void {
    let kept: Kept | null = null;
    try {
      kept = JSON.parse(localStorage.getItem(this.name) ?? "null") as Kept | null;
    } catch {
      localStorage.removeItem(this.name);
    }
    if (!kept || !this.session.canChange) return;
    this.base = kept.base;
    this.session.update({ typed: { text: kept.text, fault: null, isChecking: false } });
    this.session.message(t("text_is_back"), true);
    this.soon(0);
  }
}

/** A text that ends too soon is at fault behind its last line, which nobody sees. */
function lineIn(text: string, line: number | null): number | null {
  return line === null ? null : Math.min(line, text.split("\n").length);
}

/** A map without a list of steps, or with a list of something else, would take every step off the canvas. */
function hasSteps(content: Obj): boolean {
  const nodes = get(workflowData(content), "nodes");
  return Array.isArray(nodes) && (nodes.length === 0 || nodes.some(isObj));
}
