import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { troublesOf } from "../src/model/checks";
import * as commands from "../src/model/commands";
import type { Change, Outcome } from "../src/model/change";
import { EMPTY, recorded, redone, undone, type History } from "../src/model/history";
import type { Obj } from "../src/model/json";
import { treeOf } from "../src/model/tree";
import { anyCommands, anyFlow, applied, box, flow, step } from "./flows";

const done = (outcome: Outcome): Change => {
  if (!outcome.ok) throw new Error(`refused: ${outcome.reason.word}`);
  return outcome;
};
const ids = (document: Obj): string[] => treeOf(document).places.map((place) => place.id);
const propertiesOf = (document: Obj, id: string): Obj => treeOf(document).byId.get(id)!.node.properties as Obj;

describe("whatever is done", () => {
  test("every command undone gives the same document back, and redone the same again", () => {
    fc.assert(
      fc.property(anyFlow, anyCommands, (start, played) => {
        const before = structuredClone(start);
        let history: History = EMPTY;
        let document = start;
        const seen = [start];
        for (const command of played) {
          const outcome = applied(document, command);
          if (!outcome.ok) continue;
          history = recorded(history, document, [], outcome, 0);
          document = outcome.document;
        }
        const last = structuredClone(document);
        for (let back = undone(history); back; back = undone(history)) [history, document] = [back.history, back.document];
        expect(document).toEqual(before);
        for (let on = redone(history); on; on = redone(history)) [history, document] = [on.history, on.document];
        expect(document).toEqual(last);
        expect(seen[0]).toEqual(before);
      }),
      { numRuns: 400 },
    );
  });

  test("no command makes a duplicate id, and none a dangling reference without reporting it", () => {
    fc.assert(
      fc.property(anyFlow, anyCommands, (start, played) => {
        let document = start;
        for (const command of played) {
          const outcome = applied(document, command);
          if (!outcome.ok) continue;
          const known = new Set([...troublesOf(treeOf(document)), ...outcome.troubles].map((each) => JSON.stringify(each)));
          for (const trouble of troublesOf(treeOf(outcome.document))) expect(known).toContain(JSON.stringify(trouble));
          const twice = (of: Obj): number => ids(of).filter(Boolean).length - new Set(ids(of).filter(Boolean)).size;
          expect(twice(outcome.document)).toBeLessThanOrEqual(twice(document));
          document = outcome.document;
        }
      }),
      { numRuns: 400 },
    );
  });

  test("what is selected afterwards exists", () => {
    fc.assert(
      fc.property(anyFlow, anyCommands, (start, played) => {
        let document = start;
        for (const command of played) {
          const outcome = applied(document, command);
          if (!outcome.ok) continue;
          document = outcome.document;
          if (new Set(ids(document).filter(Boolean)).size === ids(document).length) for (const key of outcome.select) expect(treeOf(document).byKey.has(key)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("insert", () => {
  test("makes its id once, from its words, unlike every other", () => {
    const start = flow([step("charge_card")]);
    const made = done(commands.insert(start, { mode: "in", parent: null, index: 1 }, { node_type: "raisin:FlowStep", properties: { action: "Charge card" } }));
    expect(ids(made.document)).toEqual(["charge_card", "charge_card_2"]);
    expect(made.select).toEqual(["charge_card_2"]);
  });

  test("beside a step makes both parallel, behind a branch's only step a sequence", () => {
    const template = { node_type: "raisin:FlowStep", properties: { action: "New" } };
    const beside = done(commands.insert(flow([step("a")]), { mode: "beside", key: "a", side: "left" }, template)).document;
    expect(ids(beside)).toEqual(["side_by_side", "new", "a"]);
    const after = done(commands.insert(beside, { mode: "after", key: "a" }, template)).document;
    expect(ids(after)).toEqual(["side_by_side", "new", "steps_in_order", "a", "new_2"]);
  });

  test("into an `or` brings a rule, and a branch that becomes a sequence keeps its own", () => {
    const start = flow([box("or", "o", [step("a")], { rules: [{ condition: "x", next_step: "a" }] })]);
    const made = done(commands.insert(start, { mode: "in", parent: "o", index: 1 }, { node_type: "raisin:FlowStep", properties: { action: "New" } })).document;
    expect(treeOf(made).byId.get("o")!.node.rules).toEqual([{ condition: "x", next_step: "a" }, { condition: "", next_step: "new" }]);
    const after = done(commands.insert(made, { mode: "after", key: "a" }, { node_type: "raisin:FlowStep", properties: { action: "B" } })).document;
    expect(treeOf(after).byId.get("o")!.node.rules).toContainEqual({ condition: "x", next_step: "steps_in_order" });
  });
});

describe("delete", () => {
  test("reports each kind of jump that leads nowhere now", () => {
    const start = flow([step("a", { error_edge: "z" }), step("b", { timeout_edge: "z" }), step("c", { step_type: "decision", condition: "steps.z.ok", yes_branch: "z", no_branch: "z" }), step("z")]);
    const made = done(commands.remove(start, ["z"]));
    expect(made.troubles.map((each) => each.code).sort()).toEqual(["dangling", "dangling", "dangling", "dangling", "unknown-read"]);
  });

  test("takes a rule along and says which condition went", () => {
    const start = flow([box("or", "o", [step("a"), step("b")], { rules: [{ condition: "input.x > 5", next_step: "a" }, { condition: "true", next_step: "b" }] })]);
    const made = done(commands.remove(start, ["a"]));
    expect(made.notices).toEqual([{ word: "rule_removed", about: { condition: "input.x > 5" } }]);
    expect(made.troubles).toEqual([]);
  });
});

describe("move", () => {
  test("into a parallel branch says which jump may not cross, keeps it, and moving back makes it whole", () => {
    const start = flow([step("a", { error_edge: "refund", timeout_edge: "refund" }), box("parallel", "p", [step("b")]), step("refund")]);
    const moved = done(commands.move(start, ["a"], { mode: "in", parent: "p", index: 1 }));
    expect(moved.troubles.map((each) => each.code)).toEqual(["crossing", "crossing"]);
    expect(propertiesOf(moved.document, "a").error_edge).toBe("refund");
    const back = done(commands.move(moved.document, ["a"], { mode: "in", parent: null, index: 0 }));
    expect(back.document).toEqual(start);
    expect(back.troubles).toEqual([]);
  });

  test("into itself is refused with the reason", () => {
    const start = flow([box("and", "p", [box("and", "q", [step("b")])])]);
    const outcome = commands.move(start, ["p"], { mode: "in", parent: "q", index: 0 });
    expect(outcome).toEqual({ ok: false, reason: { word: "not_into_itself", about: { name: "P" } } });
  });

  test("by keyboard goes past siblings, then out of the container", () => {
    const start = flow([step("a"), box("loop", "l", [step("b"), step("c")])]);
    const up = done(commands.moveBy(start, ["c"], -1)).document;
    expect(ids(up)).toEqual(["a", "l", "c", "b"]);
    const out = done(commands.moveBy(up, ["c"], -1)).document;
    expect(ids(out)).toEqual(["a", "c", "l", "b"]);
    expect(commands.moveBy(out, ["a"], -1).ok).toBe(false);
  });
});

describe("copies", () => {
  test("of a loop read their own steps; the original can go", () => {
    const start = flow([box("loop", "each", [step("a"), step("b", { arguments: { x: "${steps.a.value}" }, error_edge: "a" })], { loop: { times: 2, until: "steps.b.done" } })]);
    const twice = done(commands.duplicate(start, ["each"])).document;
    const copy = treeOf(twice).byId.get("each_2")!.node as Obj;
    expect((copy.loop as Obj).until).toBe("steps.b_2.done");
    expect(propertiesOf(twice, "b_2")).toMatchObject({ arguments: { x: "${steps.a_2.value}" }, error_edge: "a_2" });
    expect(done(commands.remove(twice, ["each"])).troubles).toEqual([]);
  });

  test("of a router choose among their own steps", () => {
    const start = flow([box("or", "o", [step("a"), step("b")], { rules: [{ condition: "true", next_step: "a" }], router: { agent_ref: "/agents/x", default_branch: "b" } })]);
    const copy = treeOf(done(commands.duplicate(start, ["o"])).document).byId.get("o_2")!.node as Obj;
    expect(copy.rules).toEqual([{ condition: "true", next_step: "a_2" }]);
    expect((copy.router as Obj).default_branch).toBe("b_2");
  });

  test("pasted into another flow keep the ids that are free there", () => {
    const made = done(commands.paste(flow([step("a")]), { mode: "in", parent: null, index: 1 }, [step("a"), step("b", { error_edge: "a" })])).document;
    expect(ids(made)).toEqual(["a", "a_2", "b"]);
    expect(propertiesOf(made, "b").error_edge).toBe("a_2");
  });
});

describe("rename", () => {
  const reads = { arguments: { one: "${steps.set.x}", two: "{{ steps['set'].x }} and steps.set", three: "${steps.set1.x}" }, condition: "visits.set == 1 && 'steps.set' != steps.set1.y" };

  test("rewrites what names the step and nothing that only looks like it", () => {
    const start = flow([step("set"), step("set1"), step("user", { ...reads, error_edge: "set" })]);
    const made = propertiesOf(done(commands.rename(start, "set", "put")).document, "user");
    expect(made).toMatchObject({
      arguments: { one: "${steps.put.x}", two: "{{ steps['put'].x }} and steps.set", three: "${steps.set1.x}" },
      condition: "visits.put == 1 && 'steps.set' != steps.set1.y",
      error_edge: "put",
    });
  });

  test.each(["constructor", "toString", "hasOwnProperty"])("to %s works like any other name", (name) => {
    const start = flow([step("a"), step("b", { arguments: { x: "${steps.a.y}" }, error_edge: "a" })]);
    const made = done(commands.rename(start, "a", name));
    expect(made.troubles).toEqual([]);
    expect(propertiesOf(made.document, "b")).toMatchObject({ arguments: { x: `\${steps.${name}.y}` }, error_edge: name });
  });

  test("to a name with a hyphen writes brackets", () => {
    const start = flow([step("a"), step("b", { arguments: { x: "${steps.a.y}" } })]);
    expect(propertiesOf(done(commands.rename(start, "a", "x-y")).document, "b")).toMatchObject({ arguments: { x: "${steps['x-y'].y}" } });
  });

  test.each([["b", "id_is_taken"], ["end", "id_is_reserved"], ["__x", "id_is_reserved"], ["a b", "id_has_wrong_letters"]])("to %s is refused: %s", (name, word) => {
    expect(commands.rename(flow([step("a"), step("b")]), "a", name)).toMatchObject({ ok: false, reason: { word } });
  });

  test("of a loop reaches the expressions of the flow around it", () => {
    const start = flow([box("loop", "l", [step("a")]), step("b", { when: "steps.l.count > 0" })], { recovery: { notify: "{{ steps.l.count }}" } });
    const made = done(commands.rename(start, "l", "each")).document;
    expect(propertiesOf(made, "b").when).toBe("steps.each.count > 0");
  });
});

test("a container around steps and away again leaves the flow as it was", () => {
  const start = flow([step("a"), step("b", { error_edge: "a" }), step("c")]);
  const wrapped = done(commands.wrap(start, ["a", "b"], { node_type: "raisin:FlowContainer", container_type: "loop", loop: { times: 2 } }));
  expect(ids(wrapped.document)).toEqual(["repeat", "a", "b", "c"]);
  const made = done(commands.unwrap(wrapped.document, "repeat"));
  expect(made.document).toEqual(start);
  expect(made.notices.map((notice) => notice.word)).toEqual(["container_settings_lost"]);
});

test("a burst of typing is one entry, and a refused move leaves redo alone", () => {
  let document = flow([step("a")]);
  let history = EMPTY;
  for (const text of ["H", "He", "Hel"]) {
    const change = done(commands.setField(document, "a", ["action"], text));
    history = recorded(history, document, [], change, 100);
    document = change.document;
  }
  expect(history.past).toHaveLength(1);
  const back = undone(history)!;
  expect(commands.moveBy(back.document, ["a"], 1).ok).toBe(false);
  expect(redone(back.history)!.document).toEqual(document);
});
