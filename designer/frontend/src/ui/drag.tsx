// Dragging by pointer: steps and entries of the palette into slots, the end of a jump onto another step. What will happen is shown
// before the drop, and why something may not.

import { useReactFlow } from "@xyflow/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { sentence, t } from "../app/start";
import { canMove, insert, move, outermost, setJump, type Slot } from "../model/commands";
import { crosses } from "../model/checks";
import type { Obj } from "../model/json";
import type { Box, SlotBox } from "../model/layout";
import type { JumpKind } from "../model/references";
import { isInside } from "../model/tree";
import type { Drawn } from "./Canvas";
import { displayName } from "../app/describe";
import { useApp } from "./hooks";

export interface Target {
  readonly id: string;
  readonly slot: Slot | null;
  readonly box: Box | null;
  /** Why it may not go there. */
  readonly reason: string | null;
  readonly word: string;
}

interface Load {
  readonly kind: "steps" | "template" | "jump";
  readonly keys: readonly string[];
  readonly template?: Obj;
  readonly jump?: JumpKind;
  readonly name: string;
}

export interface DragState {
  readonly load: Load;
  readonly x: number;
  readonly y: number;
  readonly target: Target | null;
}

export interface Drag {
  readonly state: DragState | null;
  readonly onPointerDown: (event: React.PointerEvent) => void;
  readonly beginJump: (event: React.PointerEvent, from: string, kind: JumpKind) => void;
}

const FAR = 6;
const REACH = 110;

/** The palette lies outside the canvas; it hands over what is dragged through this event. */
export const PALETTE_DRAG = "designer-palette-drag";

export function useDrag(drawn: Drawn): Drag {
  const { session } = useApp();
  const flow = useReactFlow();
  const [state, setState] = useState<DragState | null>(null);
  const latest = useRef({ drawn, state });
  latest.current = { drawn, state };

  const begin = useCallback(
    (load: Load, startX: number, startY: number) => {
      let isOn = false;
      const stop = (): void => {
        window.removeEventListener("pointermove", onMove);
        window.removeEventListener("pointerup", onUp);
        window.removeEventListener("pointercancel", stop);
        window.removeEventListener("keydown", onKey, true);
        setState(null);
      };
      const onMove = (event: PointerEvent): void => {
        if (!isOn && Math.hypot(event.clientX - startX, event.clientY - startY) < FAR) return;
        isOn = true;
        event.preventDefault();
        const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }, { snapToGrid: false });
        const over = document.elementFromPoint(event.clientX, event.clientY);
        const inside = over?.closest(".canvas") !== null && over !== null;
        setState({ load, x, y, target: inside ? targetAt(latest.current.drawn, load, x, y) : null });
        nudge(event);
      };
      const nudge = (event: PointerEvent): void => {
        const frame = document.querySelector(".canvas")?.getBoundingClientRect();
        if (!frame) return;
        const dy = event.clientY < frame.top + 40 ? 14 : event.clientY > frame.bottom - 40 ? -14 : 0;
        const dx = event.clientX > frame.left && event.clientX < frame.left + 30 ? 14 : event.clientX > frame.right - 30 && event.clientX < frame.right ? -14 : 0;
        if (!dx && !dy) return;
        const view = flow.getViewport();
        void flow.setViewport({ ...view, x: view.x + dx, y: view.y + dy });
      };
      const onUp = (): void => {
        const target = latest.current.state?.target;
        stop();
        if (isOn) swallowClick();
        if (isOn && target) drop(load, target);
      };
      const onKey = (event: KeyboardEvent): void => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        swallowClick();
        stop();
      };
      window.addEventListener("pointermove", onMove);
      window.addEventListener("pointerup", onUp);
      window.addEventListener("pointercancel", stop);
      window.addEventListener("keydown", onKey, true);
    },
    [flow],
  );

  const drop = (load: Load, target: Target): void => {
    if (target.reason) return session.message(target.reason, true);
    const { document } = session.state;
    if (load.kind === "jump") session.run(setJump(document, load.keys[0]!, load.jump!, target.id));
    else if (load.kind === "template") {
      if (session.run(insert(document, target.slot!, load.template!))) session.reveal(session.state.selection[0]!, "action");
    } else session.run(move(document, load.keys, target.slot!));
  };

  useEffect(() => {
    const onPalette = (event: Event): void => {
      const { template, name, x, y } = (event as CustomEvent<{ template: Obj; name: string; x: number; y: number }>).detail;
      begin({ kind: "template", keys: [], template, name }, x, y);
    };
    window.addEventListener(PALETTE_DRAG, onPalette);
    return () => window.removeEventListener(PALETTE_DRAG, onPalette);
  }, [begin]);

  const onPointerDown = (event: React.PointerEvent): void => {
    const card = (event.target as HTMLElement).closest<HTMLElement>("[data-drag]");
    if (!card || event.button !== 0 || !session.canChange || event.pointerType === "touch") return;
    if ((event.target as HTMLElement).closest(".fold, .step-chip:not(:disabled)")) return;
    const key = card.dataset.drag!;
    const keys = session.state.selection.includes(key) ? session.state.selection : [key];
    const place = session.tree.byKey.get(key)!;
    const name = keys.length > 1 ? t("n_steps", { n: keys.length }) : displayName(place, session.start.catalogue);
    begin({ kind: "steps", keys, name }, event.clientX, event.clientY);
  };
  const beginJump = (event: React.PointerEvent, from: string, kind: JumpKind): void => {
    event.stopPropagation();
    begin({ kind: "jump", keys: [from], jump: kind, name: t(`jump_${kind}`) }, event.clientX, event.clientY);
  };
  return { state, onPointerDown, beginJump };
}

/** A drag that ends over a step is no click on it. */
function swallowClick(): void {
  const swallow = (event: Event): void => event.stopPropagation();
  window.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 50);
}

function targetAt(drawn: Drawn, load: Load, x: number, y: number): Target | null {
  const under = innermost(drawn, x, y);
  if (load.kind === "jump") return under && jumpTarget(drawn, load, under);
  const beside = under && !under.isOpen ? besideOf(under, x) : null;
  if (under && beside) return judged(drawn, load, { id: `${under.place.key}:${beside}`, slot: { mode: "beside", key: under.place.key, side: beside }, box: under, reason: null, word: t("drop_beside") });
  const slot = nearest(drawn, x, y);
  if (!slot) return null;
  const word = slot.slot.mode === "after" ? t("drop_after") : slot.look === "column" || slot.look === "edge" ? t("drop_branch") : t("drop_here");
  return judged(drawn, load, { id: slot.id, slot: slot.slot, box: null, reason: null, word });
}

function judged(drawn: Drawn, load: Load, target: Target): Target {
  if (load.kind !== "steps") return target;
  const refusal = canMove(drawn.tree, load.keys, target.slot!);
  return refusal ? { ...target, reason: sentence(refusal.reason) } : { ...target, word: warning(drawn, load, target.slot!) ?? target.word };
}

/** What the move would make wrong, said before the drop. */
function warning(drawn: Drawn, load: Load, slot: Slot): string | null {
  const moved = outermost(drawn.tree, load.keys);
  const around = slot.mode === "in" ? (slot.parent === null ? null : drawn.tree.byKey.get(slot.parent)!) : drawn.tree.byKey.get(slot.key)!;
  const entersBranch = around !== null && (around.kind === "parallel" || slot.mode === "beside" || around.parent?.kind === "parallel");
  if (!entersBranch || moved.some((place) => place.parent === around)) return null;
  const hasJumps = moved.some((place) => ["error_edge", "timeout_edge"].some((name) => name in place.node || name in ((place.node.properties as Obj | undefined) ?? {})));
  return hasJumps ? t("drop_breaks_jump") : null;
}

function jumpTarget(drawn: Drawn, load: Load, under: Box): Target {
  const from = drawn.tree.byKey.get(load.keys[0]!)!;
  const isSelf = under.place === from;
  const reason = isSelf ? t("jump_to_itself") : crosses(from, under.place, load.jump!) ? t("jump_crosses") : null;
  return { id: under.place.id, slot: null, box: under, reason, word: t("drop_jump", { name: under.place.id }) };
}

function innermost(drawn: Drawn, x: number, y: number): Box | null {
  let found: Box | null = null;
  for (const box of drawn.layout.boxes.values()) {
    const holds = x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
    if (holds && (!found || isInside(box.place, found.place))) found = box;
  }
  return found;
}

function besideOf(box: Box, x: number): "left" | "right" | null {
  const share = (x - box.x) / box.width;
  return share < 0.22 ? "left" : share > 0.78 ? "right" : null;
}

function nearest(drawn: Drawn, x: number, y: number): SlotBox | null {
  let found: SlotBox | null = null;
  let least = REACH;
  for (const slot of drawn.layout.slots) {
    const far = Math.hypot((slot.x - x) * 0.7, slot.y - y);
    if (far < least) [found, least] = [slot, far];
  }
  return found;
}

export function DragLayer({ drag }: { drag: Drag }): React.JSX.Element | null {
  const { state } = drag;
  if (!state) return null;
  const { target } = state;
  const box = target?.box;
  const side = target?.slot?.mode === "beside" ? target.slot.side : null;
  return (
    <>
      {box && (
        <div
          className={`drop-box ${target?.reason ? "drop-refused" : ""} ${side ? `drop-${side}` : ""}`}
          style={{ left: box.x - 6, top: box.y - 6, width: box.width + 12, height: box.height + 12 }}
        />
      )}
      <div className={`ghost ${target?.reason ? "ghost-refused" : ""}`} style={{ left: state.x + 14, top: state.y + 10 }}>
        <strong>{state.load.name}</strong>
        <span>{target ? (target.reason ?? target.word) : t("drop_nowhere")}</span>
      </div>
    </>
  );
}
