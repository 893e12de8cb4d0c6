import { expect, test } from "vitest";
import { sceneOf, type Inside, type Scene } from "../src/app/scene";
import * as commands from "../src/model/commands";
import type { Obj } from "../src/model/json";
import { layoutOf, type Layout } from "../src/model/layout";
import { treeOf } from "../src/model/tree";
import fc from "fast-check";
import { anyCommands, anyFlow, applied, box, flow, step } from "./flows";

const laid = (document: Obj): Layout => layoutOf(treeOf(document), { collapsed: new Set(), rows: () => 0 });
const drawn = (document: Obj, before?: Inside): Inside => {
  const tree = treeOf(document);
  return sceneOf(tree, laid(document), new Map(tree.places.map((place) => [place.key, []])), before);
};
const after = (document: Obj, parent: string | null, index: number): Obj => {
  const made = commands.insert(document, { mode: "in", parent, index }, { node_type: "raisin:FlowStep", properties: { action: "New" } });
  if (!made.ok) throw new Error(made.reason.word);
  return made.document;
};
const named = (inside: Inside, id: string): Scene => inside.steps.find((each) => each.place.id === id)!;

const START = flow([box("and", "first", [step("a"), step("b")]), box("parallel", "second", [step("c"), box("loop", "inner", [step("d")])]), step("last")]);

test("a step put into one container leaves what is inside the others the same objects", () => {
  const before = drawn(START);
  const now = drawn(after(START, "first", 1), before);
  expect(named(now, "second").box.y).toBeGreaterThan(named(before, "second").box.y);
  expect(named(now, "second").inside).toBe(named(before, "second").inside);
  expect(named(now, "first").inside).not.toBe(named(before, "first").inside);
  expect(named(now.steps[0]!.inside, "a").inside).toBe(named(before.steps[0]!.inside, "a").inside);
});

test("a document that looks the same is the same scene", () => {
  const before = drawn(START);
  expect(drawn(structuredClone(START), before).steps[0]!.box).toEqual(before.steps[0]!.box);
  expect(drawn(START, before)).toBe(before);
});

test("whatever is done, what was kept from before is what would be drawn from nothing", () => {
  const look = ({ steps, wires, slots, rules }: Inside): unknown => ({
    steps: steps.map(({ place, inside, ...rest }) => ({ ...rest, key: place.key, node: place.node, depth: place.depth, inside: look(inside) })),
    wires,
    slots,
    rules,
  });
  fc.assert(
    fc.property(anyFlow, anyCommands, (start, played) => {
      let document = start;
      let scene = drawn(start);
      for (const command of played) {
        const outcome = applied(document, command);
        if (!outcome.ok) continue;
        document = outcome.document;
        scene = drawn(document, scene);
        expect(look(scene)).toEqual(look(drawn(document)));
      }
    }),
    { numRuns: 100 },
  );
});
