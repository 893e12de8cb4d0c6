import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as commands from "../src/model/commands";
import { compared, excerpts, type Comparison, type Difference } from "../src/model/compare";
import { equal, type Obj } from "../src/model/json";
import { treeOf, workflowData } from "../src/model/tree";
import { anyCommands, anyFlow, applied, box, flow, step } from "./flows";

const START = flow([step("a"), box("parallel", "p", [step("b"), step("c")]), step("d")]);
const words = ({ byKey }: Comparison): Record<string, string> => Object.fromEntries([...byKey].map(([key, each]) => [key, each.kinds.join(" ")]));
const keys = (document: Obj): string[] => treeOf(document).places.map((place) => place.key);

describe("the differences", () => {
  test("of a flow and itself are none", () => {
    expect(compared(START, structuredClone(START))).toMatchObject({ steps: [], flow: [] });
  });

  test("name each value that is another, inside maps too", () => {
    const other = flow([step("a", { arguments: { to: "x", subject: "same" } }), step("d", { when: "true" })]);
    const now = flow([step("a", { arguments: { to: "y", subject: "same" } }), step("d")]);
    const [a, d] = compared(other, now).steps;
    expect(a!.fields).toEqual([{ path: ["arguments", "to"], before: "x", after: "y" }]);
    expect(d!.fields).toEqual([{ path: ["when"], before: "true", after: undefined }]);
  });

  test("do not count where a value of a step is written", () => {
    expect(compared(flow([step("a", { error_edge: "d" })]), flow([{ ...step("a"), error_edge: "d" }])).steps).toEqual([]);
  });

  test("say what is moved with as few steps as explain it", () => {
    const abc = [step("a"), step("b"), step("c")];
    expect(words(compared(flow(abc), flow([abc[2]!, abc[0]!, abc[1]!])))).toEqual({ c: "moved" });
    expect(words(compared(START, flow([box("parallel", "p", [step("b"), step("c"), step("a")]), step("d")])))).toEqual({ a: "moved" });
  });

  test("of a step that is moved and changed are both", () => {
    const now = flow([box("parallel", "p", [step("b"), step("c"), step("a", { when: "true" })]), step("d")]);
    expect(words(compared(START, now))).toEqual({ a: "changed moved" });
  });

  test("of the flow itself stand apart", () => {
    const now = flow([...(workflowData(START).nodes as Obj[])], { on_failure: "keep" });
    expect(compared(START, now)).toMatchObject({ steps: [], flow: [{ path: ["on_failure"], before: undefined, after: "keep" }] });
  });
});

describe("both versions as one flow", () => {
  test("have removed steps where they stood", () => {
    const made = compared(START, flow([box("parallel", "p", [step("new"), step("c")]), step("d")]));
    expect(keys(made.document)).toEqual(["a", "p", "b", "new", "c", "d"]);
    expect(words(made)).toEqual({ a: "removed", b: "removed", new: "added" });
  });

  test("have of a removed container what went with it, and not what was taken out of it", () => {
    const made = compared(START, flow([step("a"), step("c"), step("d")]));
    expect(keys(made.document)).toEqual(["a", "p", "b", "c", "d"]);
    expect(words(made)).toEqual({ p: "removed", b: "removed", c: "moved" });
  });

  test("have the rule of a removed alternative", () => {
    const rules = [{ condition: "input.x", next_step: "b" }, { condition: "true", next_step: "a" }];
    const made = compared(flow([box("or", "o", [step("a"), step("b")], { rules })]), flow([box("or", "o", [step("a")], { rules: rules.slice(1) })]));
    expect(treeOf(made.document).byId.get("o")!.node.rules).toEqual([rules[1], rules[0]]);
  });

  test("draw steps whose ids are missing or used twice", () => {
    const made = compared(flow([step("a"), step("a", { when: "1" }), step("")]), flow([step("a"), step("x"), step("a"), step("")]));
    expect(treeOf(made.document).places).toHaveLength(6);
    expect([...made.byKey.values()].filter((each) => each.kinds.includes("removed"))).toHaveLength(2);
  });
});

test("whatever was done, every step of both versions is drawn once and without its differences they are the same", () => {
  const isNew = (each: Difference | undefined): boolean => each?.kinds[0] === "added";
  const isGone = (each: Difference | undefined): boolean => each?.kinds[0] === "removed";
  fc.assert(
    fc.property(anyFlow, anyCommands, (start, played) => {
      let now = start;
      for (const command of played) {
        const outcome = applied(now, command);
        if (outcome.ok) now = outcome.document;
      }
      const made = compared(start, now);
      const drawn = treeOf(made.document).places;
      const marked = drawn.map((place) => made.byKey.get(place.key));
      expect(marked.filter((each) => !isGone(each))).toHaveLength(treeOf(now).places.length);
      expect(marked.filter((each) => !isNew(each))).toHaveLength(treeOf(start).places.length);
      expect(drawn.filter((_place, at) => !isGone(marked[at])).map((place) => place.id)).toEqual(treeOf(now).places.map((place) => place.id));
    }),
    { numRuns: 300 },
  );
});

test("whatever a command changes is found, and the way back as well", () => {
  const isNothing = ({ steps, flow: fields }: Comparison): boolean => steps.length + fields.length === 0;
  fc.assert(
    fc.property(anyFlow, anyCommands, (start, played) => {
      expect(isNothing(compared(start, structuredClone(start)))).toBe(true);
      let document = start;
      for (const command of played) {
        const outcome = applied(document, command);
        if (!outcome.ok || equal(outcome.document, document)) continue;
        expect(isNothing(compared(document, outcome.document))).toBe(false);
        expect(isNothing(compared(outcome.document, document))).toBe(false);
        document = outcome.document;
      }
    }),
    { numRuns: 150 },
  );
});

test("one step that is moved is one difference, wherever it goes", () => {
  const names = ["a", "b", "c", "d", "e"];
  const start = flow([...names.map((name) => step(name)), box("and", "in", [step("x"), step("y")])]);
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.constantFrom(null, "in"), fc.nat(6), (key, parent, at) => {
      const outcome = commands.move(start, [key], { mode: "in", parent, index: Math.min(at, parent ? 2 : 6) });
      if (outcome.ok) expect(compared(start, outcome.document).steps.map((each) => each.kinds)).toEqual([["moved"]]);
    }),
  );
});

test("lists that differ, differ in some row", () => {
  const rows = fc.array(fc.dictionary(fc.constantFrom("a", "b"), fc.nat(2), { maxKeys: 2 }), { maxLength: 4 });
  const of = (odd: Obj[]): Obj => flow([step("a", { odd })]);
  fc.assert(fc.property(rows, rows, (was, is) => void expect(compared(of(was), of(is)).steps).toHaveLength(equal(was, is) ? 0 : 1)));
});

test("a value on the node that is null hides none in its properties", () => {
  const of = (when: string): Obj => flow([{ ...step("a", { when }), when: null }]);
  expect(compared(of("x"), of("y")).steps[0]!.fields).toEqual([{ path: ["when"], before: "x", after: "y" }]);
});

test("what was undone is no difference", () => {
  const made = commands.setField(START, "b", ["when"], "true");
  const back = made.ok ? commands.setField(made.document, "b", ["when"], undefined) : made;
  expect(back.ok && compared(START, back.document).steps).toEqual([]);
});

test("long texts are cut to what differs in them", () => {
  const long = "x".repeat(200);
  expect(excerpts(`${long} a ${long}`, `${long} b ${long}`, 5)).toEqual(["…xxxx a xxxx…", "…xxxx b xxxx…"]);
  expect(excerpts("short a", "short b")).toEqual(["short a", "short b"]);
  expect(excerpts("", "new")).toEqual(["", "new"]);
});
