// The keys of the tree, canvas and outline alike: arrows walk, Alt with arrows moves, the rest is what one expects.

import { clipboardText, stepsIn } from "../model/clipboard";
import { copyOf, duplicate, moveBy, outermost, paste, remove, toggleDisabled, type Slot } from "../model/commands";
import type { Layout } from "../model/layout";
import { isBeside, type Place } from "../model/tree";
import type { App } from "./hooks";

const FOLDS: ReadonlySet<string> = new Set(["ArrowLeft", "ArrowRight"]);

export function onTreeKey(event: React.KeyboardEvent, app: App, layout: Pick<Layout, "boxes"> | null): void {
  const target = event.target as HTMLElement;
  if (target.getAttribute("role") !== "treeitem") return;
  const { session } = app;
  const place = session.tree.byKey.get(target.dataset.key ?? "");
  const control = event.ctrlKey || event.metaKey;
  const done = (): void => {
    event.preventDefault();
    event.stopPropagation();
  };
  if (!control && (event.key === "+" || event.key === "Insert")) {
    done();
    const box = (target.querySelector(".card-step, .outline-card") ?? target).getBoundingClientRect();
    app.openInsert({ slot: slotBehind(place ?? null), x: box.left + box.width / 2, y: Math.min(box.bottom, window.innerHeight - 200) + 6 });
    return;
  }
  if (!place) return;
  if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    done();
    if (session.run(moveBy(session.state.document, [place.key], event.key === "ArrowUp" ? -1 : 1))) session.reveal(session.state.selection[0] ?? place.key);
    return;
  }
  if (!control && !event.altKey && isWalk(event.key)) {
    done();
    const next = walk(session.tree.roots, place, event.key, (each) => layout === null || (layout.boxes.get(each.key)?.isOpen ?? false));
    if (next === "open") session.setCollapsed(place.key, false);
    else if (next === "close") session.setCollapsed(place.key, true);
    else if (next && event.shiftKey) {
      const { selection } = session.state;
      session.reveal(next.key);
      session.select([...new Set([...selection, next.key])]);
    } else if (next) session.reveal(next.key);
    if (next && typeof next !== "string") focusItem(target, next.key);
    return;
  }
  if (event.key === "Enter" && !control) {
    done();
    session.reveal(place.key, "*");
  } else if (event.key === "F2") {
    done();
    session.reveal(place.key, "action");
  } else if (event.key === "Delete" || event.key === "Backspace") {
    if (control) return;
    done();
    session.run(remove(session.state.document, session.state.selection));
    focusItem(target, session.state.selection[0]);
  } else if (event.key === "Escape") {
    session.select([place.key]);
  } else if (control && event.key.toLowerCase() === "d") {
    done();
    if (session.run(duplicate(session.state.document, session.state.selection))) session.reveal(session.state.selection[0]!);
  } else if (!control && event.key.toLowerCase() === "x" && event.shiftKey) {
    done();
    session.run(toggleDisabled(session.state.document, session.state.selection));
  }
}

/** The element may only be there after the next drawing. */
function focusItem(from: HTMLElement, key: string | undefined): void {
  if (key === undefined) return;
  const tree = from.closest("[role=tree]");
  requestAnimationFrame(() => tree?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: tree.classList.contains("steps") }));
}

function isWalk(key: string): boolean {
  return FOLDS.has(key) || key === "ArrowUp" || key === "ArrowDown" || key === "Home" || key === "End";
}

/** Up and down among siblings and on into what is beside them; right into a container, left out of it. */
function walk(roots: readonly Place[], place: Place, key: string, isOpen: (place: Place) => boolean): Place | "open" | "close" | null {
  const visible: Place[] = [];
  const add = (each: Place): void => {
    visible.push(each);
    if (each.isContainer && isOpen(each)) each.children.forEach(add);
  };
  roots.forEach(add);
  const at = visible.indexOf(place);
  switch (key) {
    case "Home": return visible[0] ?? null;
    case "End": return visible[visible.length - 1] ?? null;
    case "ArrowRight":
      if (!place.isContainer || place.children.length === 0) return place.parent && isBeside(place.parent) ? (place.parent.children[place.parent.children.indexOf(place) + 1] ?? null) : null;
      return isOpen(place) ? place.children[0]! : "open";
    case "ArrowLeft":
      if (place.isContainer && place.children.length && isOpen(place) && !place.parent) return "close";
      return place.parent;
    case "ArrowUp": return visible[at - 1] ?? null;
    default: return visible[at + 1] ?? null;
  }
}

/** Where `+` puts a step: behind the one chosen, or into a container that is empty. */
export function slotBehind(place: Place | null): Slot {
  if (!place) return { mode: "in", parent: null, index: 0 };
  if (place.isContainer && place.children.length === 0) return { mode: "in", parent: place.key, index: 0 };
  if (!place.isContainer && place.parent && isBeside(place.parent)) return { mode: "after", key: place.key };
  return { mode: "in", parent: place.parent?.key ?? null, index: place.index + 1 };
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);
}

/** Keys and clipboard of the whole page, never while somebody types. Answers how to stop. */
export function listen(app: App, find: () => void): () => void {
  const { session, saving } = app;
  const onKey = (event: KeyboardEvent): void => {
    const control = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (control && key === "s") {
      event.preventDefault();
      void saving.save();
    }
    if (control && key === "f" && session.state.view !== "yaml") {
      event.preventDefault();
      find();
    }
    if (document.querySelector("dialog[open]")) return;
    if (control && event.shiftKey && key === "d" && session.selected) {
      event.preventDefault();
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); // a name that is being typed is done
      if (session.run(duplicate(session.state.document, session.state.selection))) session.reveal(session.state.selection[0]!, "action");
    }
    if (event.key === "Escape" && event.target instanceof HTMLElement && event.target.closest(".panel")) {
      document.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus({ preventScroll: true });
    }
    if (isTyping(event.target)) return;
    if (control && key === "z") {
      event.preventDefault();
      if (event.shiftKey) session.redo();
      else session.undo();
    } else if (control && key === "y") {
      event.preventDefault();
      session.redo();
    }
  };
  const onCopy = (event: ClipboardEvent): void => {
    const { selection, document: current } = session.state;
    if (isTyping(event.target) || selection.length === 0 || String(window.getSelection() ?? "")) return;
    event.preventDefault();
    event.clipboardData?.setData("text/plain", clipboardText(copyOf(current, selection)));
    if (event.type === "cut") session.run(remove(current, selection));
    else session.say({ word: "copied_steps", about: { n: outermost(session.tree, selection).length } }, false);
  };
  const onPaste = (event: ClipboardEvent): void => {
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const steps = stepsIn(event.clipboardData?.getData("text/plain") ?? "");
    if (!steps) return session.say({ word: "nothing_to_paste", about: {} }, true);
    event.preventDefault();
    if (session.run(paste(session.state.document, slotBehind(session.selected), steps))) session.reveal(session.state.selection[0]!);
  };
  document.addEventListener("keydown", onKey);
  document.addEventListener("copy", onCopy);
  document.addEventListener("cut", onCopy);
  document.addEventListener("paste", onPaste);
  return () => {
    document.removeEventListener("keydown", onKey);
    document.removeEventListener("copy", onCopy);
    document.removeEventListener("cut", onCopy);
    document.removeEventListener("paste", onPaste);
  };
}
