import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CHOICE_ROW, layoutOf, type Box, type Layout } from "../src/model/layout";
import type { Obj } from "../src/model/json";
import { ancestors, isBeside, treeOf } from "../src/model/tree";
import { anyFlow, box, demo, flow, step } from "./flows";

const laid = (document: Obj, collapsed: string[] = []): Layout => layoutOf(treeOf(document), { collapsed: new Set(collapsed), rows: () => 1 });
const apart = (a: Box, b: Box): boolean => a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
const holds = (outer: Box, inner: Box): boolean =>
  outer.x <= inner.x && outer.y <= inner.y && outer.x + outer.width >= inner.x + inner.width && outer.y + outer.height >= inner.y + inner.height;

describe("any flow", () => {
  test("has every step once, apart from its neighbours, inside its container, in list order", () => {
    fc.assert(
      fc.property(anyFlow, (document) => {
        const tree = treeOf(document);
        const { boxes, width, height } = laid(document);
        expect(boxes.size).toBe(tree.places.length);
        for (const place of tree.places) {
          const own = boxes.get(place.key)!;
          expect(own.x >= 0 && own.y >= 0 && own.x + own.width <= width && own.y + own.height <= height).toBe(true);
          if (place.parent) expect(holds(boxes.get(place.parent.key)!, own)).toBe(true);
          const row = place.parent ? place.parent.children : tree.roots;
          for (const other of row) {
            if (other === place) continue;
            const next = boxes.get(other.key)!;
            expect(apart(own, next)).toBe(true);
            const isBefore = place.parent && isBeside(place.parent) ? own.x < next.x : own.y < next.y;
            expect(isBefore).toBe(place.index < other.index);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test("has a slot for every place in every list", () => {
    fc.assert(
      fc.property(anyFlow, (document) => {
        const tree = treeOf(document);
        const slots = new Set(laid(document).slots.map((each) => each.id));
        for (const place of tree.places) {
          expect(slots).toContain(`${place.parent?.key ?? ""}/${place.index}`);
          if (place.isContainer && place.children.length === 0) expect(slots).toContain(`${place.key}/0`);
        }
      }),
      { numRuns: 100 },
    );
  });
});

test("jumps that overlap run in lanes of their own, right of what they pass", () => {
  const document = flow([step("a", { error_edge: "d" }), step("b", { error_edge: "d", timeout_edge: "c" }), step("c"), step("d")]);
  const { jumps, boxes } = laid(document);
  expect(jumps.map((jump) => jump.id)).toEqual(["a:error", "b:error", "b:timeout"]);
  const lane = (path: string): number => Math.max(...[...path.matchAll(/[HQ] (\d+)/g)].map((found) => Number(found[1])));
  const lanes = jumps.map((jump) => lane(jump.path));
  expect(new Set(lanes).size).toBe(3);
  const right = Math.max(...[...boxes.values()].map((each) => each.x + each.width));
  expect(Math.min(...lanes)).toBeGreaterThan(right);
});

test("a jump stays inside the container that holds both ends", () => {
  const { jumps, boxes } = laid(flow([box("and", "p", [step("a", { error_edge: "b" }), step("b")])]));
  const around = boxes.get("p")!;
  for (const found of jumps[0]!.path.matchAll(/[MHQ] (\d+)/g)) expect(Number(found[1])).toBeLessThanOrEqual(around.x + around.width);
});

test("a collapsed container is one card, and jumps out of it begin there", () => {
  const { boxes, jumps } = laid(demo("order-fulfilment"), ["risk_check"]);
  expect(boxes.has("risk_review")).toBe(false);
  expect(jumps.find((jump) => jump.kind === "timeout")!.from).toBe("risk_check");
  expect(ancestors(treeOf(demo("order-fulfilment")).byId.get("risk_review")!).map((place) => place.id)).toEqual(["risk_check"]);
});

test("500 nested steps are laid out", () => {
  let nodes: Obj[] = [];
  for (let at = 0; at < 100; at += 1) nodes.push(box(["and", "or", "parallel", "loop"][at % 4]!, `c${at}`, [0, 1, 2, 3].map((n) => step(`s${at}_${n}`, n ? {} : { error_edge: `s${at}_3` }))));
  expect(laid(flow(nodes)).boxes.size).toBe(500);
});

describe("a run", () => {
  const START = flow([box("loop", "turns", [step("a"), box("parallel", "fork", [step("b")])]), step("c")]);
  const within = (choices: string[]): Layout => layoutOf(treeOf(START), { collapsed: new Set(), rows: () => 0, choices: new Set(choices) });

  test("makes room below the heads of the containers where something can be chosen, and nowhere else", () => {
    const [before, now] = [within([]), within(["turns"])];
    const moved = (id: string): number => now.boxes.get(id)!.y - before.boxes.get(id)!.y;
    expect([moved("turns"), moved("a"), moved("b"), moved("c")]).toEqual([0, CHOICE_ROW, CHOICE_ROW, CHOICE_ROW]);
    expect(now.boxes.get("fork")!.height).toBe(before.boxes.get("fork")!.height);
  });

  test("makes room above the start where a round of the flow can be chosen", () => {
    expect(within([""]).start.y - within([]).start.y).toBe(CHOICE_ROW);
  });

  test("finds every way by the name that the server gives it", () => {
    const names = within([]).wires.map((wire) => wire.id);
    expect(new Set(names)).toEqual(new Set(["turns:in", "a:in", "fork:in", "b:fan", "b:join", "turns:out", "turns:back", "c:in", ":out"]));
  });

  test("says how often a way was gone on the way itself", () => {
    const { wires, boxes } = within(["turns"]);
    const back = wires.find((wire) => wire.id === "turns:back")!;
    const frame = boxes.get("turns")!;
    expect(back.label.x).toBeGreaterThan(0);
    expect(back.label.y).toBeGreaterThan(CHOICE_ROW);
    expect(back.label.y).toBeLessThan(frame.height);
  });
});
