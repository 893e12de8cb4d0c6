// Keeps a part of the page as the server has it:
//   <div data-live="/its/own/address" data-events="/a/stream" data-seen="41" data-word-gone="…" data-word-signed-out="…">
//   <div data-live="/its/own/address" data-poll data-word-gone="…" data-word-signed-out="…">    asked for every few seconds
// Server-sent events say that something happened, the part is then fetched again as a whole. Where the stream cannot be
// had, the part is asked for every few seconds. A page that comes back from sleep looks at once, and so does one whose script
// changed the address and says so by the event live:look.

import { refresh } from "./app.js";
import { refreshLazy } from "./lazy.js";
import { morph } from "./morph.js";
import { toast } from "./toasts.js";
import "./countdown.js";

const SOON = 80; // milliseconds between an event and the look it causes: a step's events come together
const PAUSE = 500; // between two looks
const POLL = 3000;
const TRY_STREAM_AGAIN = 30_000;

class Live {
  constructor(part) {
    this.part = part;
    this.lastLook = 0;
    this.listen();
    for (const name of ["online", "pageshow"]) addEventListener(name, () => this.wakeUp());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.wakeUp());
    addEventListener("pagehide", () => this.hangUp());
    part.addEventListener("live:look", () => this.look());
  }

  get isOver() {
    return !this.part.dataset.events && !this.isPolled;
  }

  get isPolled() {
    return "poll" in this.part.dataset;
  }

  listen() {
    clearTimeout(this.retry);
    if (this.isPolled) return this.poll();
    if (this.isOver || this.stream) return;
    this.stream = new EventSource(`${this.part.dataset.events}?tree=1&last_event_id=${this.part.dataset.seen}`);
    this.stream.addEventListener("open", () => clearInterval(this.polling));
    this.stream.addEventListener("flow-event", () => this.lookSoon());
    this.stream.addEventListener("error", () => {
      this.lookSoon();
      if (this.stream?.readyState !== EventSource.CLOSED) return this.poll(); // it tries again by itself
      this.hangUp();
      this.poll();
      this.retry = setTimeout(() => this.listen(), TRY_STREAM_AGAIN);
    });
  }

  hangUp() {
    this.stream?.close();
    this.stream = undefined;
  }

  poll() {
    clearInterval(this.polling);
    if (!this.isOver) this.polling = setInterval(() => this.lookSoon(), POLL);
  }

  wakeUp() {
    if (this.isOver) return;
    this.lookSoon();
    this.listen();
  }

  lookSoon() {
    if (this.waiting) return;
    const pause = Math.max(SOON, this.lastLook + PAUSE - Date.now());
    this.waiting = setTimeout(() => this.look(), pause);
  }

  async look() {
    // never under somebody's hands: an open question or menu keeps what it is about
    if (document.querySelector("dialog[open], details.menu[open]")) {
      this.waiting = setTimeout(() => this.look(), PAUSE);
      return;
    }
    clearTimeout(this.waiting);
    this.waiting = undefined;
    this.lastLook = Date.now();
    const address = this.part.dataset.live;
    const answer = await this.ask(address);
    if (address !== this.part.dataset.live) return; // something else is wanted by now, and was asked for
    if (answer) this.show(answer);
    if (this.isOver) this.stop();
  }

  async ask(address) {
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" } });
      if (answer.redirected) return this.giveUp(this.part.dataset.wordSignedOut);
      if (answer.status === 404) return this.giveUp(this.part.dataset.wordGone);
      if (answer.ok) return await answer.text();
    } catch {
      // offline for a moment: the next look comes by itself
    }
    return this.poll();
  }

  show(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html").body.firstElementChild;
    if (!fresh) return;
    morph(this.part, document.adoptNode(fresh));
    refresh(this.part);
    refreshLazy(this.part);
    this.part.dispatchEvent(new CustomEvent("live:shown", { bubbles: true }));
  }

  giveUp(words) {
    delete this.part.dataset.events;
    delete this.part.dataset.poll;
    this.stop();
    toast(words, "warning");
  }

  stop() {
    clearInterval(this.polling);
    clearTimeout(this.retry);
    this.hangUp();
  }
}

document.querySelectorAll("[data-live]").forEach((part) => new Live(part));
