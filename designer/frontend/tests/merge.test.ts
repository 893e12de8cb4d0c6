import fc from "fast-check";
import { expect, test } from "vitest";
import * as commands from "../src/model/commands";
import type { Obj } from "../src/model/json";
import { merged } from "../src/model/merge";
import { treeOf } from "../src/model/tree";
import { anyCommands, anyFlow, applied, flow, step } from "./flows";

const base = flow([step("a"), step("b"), step("c")]);
const edited = (id: string, text: string, of: Obj = base): Obj => (commands.setField(of, id, ["action"], text) as { document: Obj }).document;
const ids = (document: Obj): string[] => treeOf(document).places.map((place) => place.id);

test("changes of different steps go together", () => {
  const { document, conflicts } = merged(base, edited("a", "mine"), edited("b", "theirs"));
  expect(conflicts).toEqual([]);
  expect(document).toEqual(edited("b", "theirs", edited("a", "mine")));
});

test("the same field changed twice is a conflict that names the step", () => {
  expect(merged(base, edited("a", "mine"), edited("a", "theirs")).conflicts).toEqual(["a"]);
});

test("a step that one deletes and the other changes is a conflict, and stays", () => {
  const mine = (commands.remove(base, ["a"]) as { document: Obj }).document;
  const { document, conflicts } = merged(base, mine, edited("a", "theirs"));
  expect(conflicts).toEqual(["a"]);
  expect(ids(document)).toContain("a");
});

test("one moves, the other adds", () => {
  const mine = (commands.move(base, ["c"], { mode: "in", parent: null, index: 0 }) as { document: Obj }).document;
  const theirs = (commands.insert(base, { mode: "in", parent: null, index: 1 }, { node_type: "raisin:FlowStep", properties: { action: "New" } }) as { document: Obj }).document;
  const { document, conflicts } = merged(base, mine, theirs);
  expect(conflicts).toEqual([]);
  expect(ids(document)).toEqual(["c", "a", "new", "b"]);
});

test("who changed nothing takes the other's document", () => {
  fc.assert(
    fc.property(anyFlow, anyCommands, (start, played) => {
      let other = start;
      for (const command of played) {
        const outcome = applied(other, command);
        if (outcome.ok) other = outcome.document;
      }
      expect(merged(start, start, other).document).toEqual(other);
      expect(merged(start, other, start).document).toEqual(other);
      expect(merged(start, other, other).conflicts).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
