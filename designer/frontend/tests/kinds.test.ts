import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Change, Outcome } from "../src/model/change";
import * as commands from "../src/model/commands";
import { isObj, type Json, type Obj } from "../src/model/json";
import { ASIDE } from "../src/model/references";
import { properties, treeOf } from "../src/model/tree";
import { anyFlow, box, flow, step } from "./flows";
import { CONTAINERS, kindNamed, STEPS } from "./kinds";

const done = (outcome: Outcome): Change => {
  if (!outcome.ok) throw new Error(`refused: ${outcome.reason.word}`);
  return outcome;
};
const became = (document: Obj, key: string, kind: string): Change => done(commands.changeKind(document, key, kind, kindNamed));
const through = (document: Obj, key: string, ...kinds: string[]): Obj => kinds.reduce((made, kind) => became(made, key, kind).document, document);
const of = (document: Obj, key: string): Obj => properties(treeOf(document).byKey.get(key)!.node);

const charge = step("charge", { function_ref: "/lib/charge", arguments: { of: "${steps.order.total}" }, timeout_ms: 5000, compensation_ref: "/lib/refund", error_edge: "z", timeout_edge: "z", odd: { kept: true } });
const charged = flow([step("order"), charge, step("z")]);

describe("a step of another kind", () => {
  test("keeps id, name and ways, and says what is put aside", () => {
    const made = became(charged, "charge", "human_task");
    expect(of(made.document, "charge")).toMatchObject({ action: "charge", error_edge: "z", timeout_edge: "z", odd: { kept: true }, step_type: "human_task", task_type: "approval" });
    expect(of(made.document, "charge")).not.toHaveProperty("function_ref");
    expect(made.notices).toEqual([{ word: "settings_put_aside", about: { kind: "FUNCTION", fields: "FUNCTION_REF, ARGUMENTS, TIMEOUT_MS, COMPENSATION_REF" } }]);
    expect(made.select).toEqual(["charge"]);
  });

  test("has its settings again when it is changed back, without undo", () => {
    for (const kind of STEPS.filter((each) => each.name !== "function")) expect(through(charged, "charge", kind.name, "function")).toEqual(charged);
  });

  test("keeps what it was given as another kind for when it is that again", () => {
    const asked = done(commands.setField(through(charged, "charge", "human_task"), "charge", ["assignee"], "/users/ben")).document;
    const back = through(asked, "charge", "function");
    expect(of(back, "charge")).toMatchObject({ function_ref: "/lib/charge", [ASIDE]: { human_task: { assignee: "/users/ben" } } });
    expect(through(back, "charge", "wait", "human_task", "stop", "human_task")).toEqual(asked);
  });

  test("has no way that nothing can take: a decision has no deadline", () => {
    const made = through(charged, "charge", "decision");
    expect(of(made, "charge")).toMatchObject({ error_edge: "z", [ASIDE]: { function: { timeout_edge: "z" } } });
    expect(of(made, "charge")).not.toHaveProperty("timeout_edge");
  });

  test("keeps the rule by which its container takes it", () => {
    const start = flow([box("or", "o", [step("a", { function_ref: "/a", condition: "input.x" }), step("b")])]);
    for (const kind of STEPS.filter((each) => each.name !== "function")) expect(of(through(start, "a", kind.name), "a").condition).toBe("input.x");
    expect(through(start, "a", "decision", "wait", "function")).toEqual(start);
    const bare = flow([box("or", "o", [step("a", { condition: "input.x" })])]);
    expect(through(bare, "a", "wait", "function", "decision")).toEqual(bare);
  });

  test("takes along what it last said as any kind, where that means something to the new one", () => {
    const agent = through(charged, "charge", "wait", "ai_agent");
    expect(of(agent, "charge")).toMatchObject({ step_type: "ai_agent", timeout_ms: 5000, timeout_edge: "z" });
    expect(through(agent, "charge", "decision", "function")).toEqual(charged);
  });

  test("of an old kind that the palette does not have can be that again", () => {
    const start = flow([step("a", { agent_ref: "/agents/x", prompt: "Do it" })]);
    expect(through(start, "a", "ai_agent", "wait", "ai_sequence")).toEqual(start);
  });

  test("reports a way back that leads nowhere by then", () => {
    const start = flow([step("a", { step_type: "decision", condition: "steps.z.ok", yes_branch: "z" }), step("z")]);
    const gone = done(commands.remove(through(start, "a", "wait"), ["z"]));
    expect(gone.troubles).toEqual([]);
    expect(became(gone.document, "a", "decision").troubles.map((each) => each.code)).toEqual(["dangling", "unknown-read"]);
  });

  test("is refused where what is put aside cannot be kept with the rest", () => {
    const start = flow([step("a", { [ASIDE]: "of old" })]);
    expect(commands.changeKind(start, "a", "wait", kindNamed)).toMatchObject({ ok: false, reason: { word: "put_aside_is_no_map" } });
  });
});

describe("what is put aside", () => {
  test("follows the ids that it names", () => {
    const start = flow([step("a", { step_type: "decision", condition: "steps.z.ok && steps.z1.ok", yes_branch: "z" }), step("z"), step("z1")]);
    const renamed = done(commands.rename(through(start, "a", "wait"), "z", "last")).document;
    expect(of(through(renamed, "a", "decision"), "a")).toMatchObject({ condition: "steps.last.ok && steps.z1.ok", yes_branch: "last" });
  });

  test("keeps the ids of its steps from being given to others, and its copy has its own", () => {
    const probe: Obj = { id: "look_up", node_type: "raisin:FlowStep", properties: { arguments: { of: "${steps.look_up.x}" } } };
    const start = flow([step("a", { function_ref: "/a", reconcile: { steps: [probe], outcome: "steps.look_up.ok" } })]);
    const aside = through(start, "a", "stop");
    expect(commands.rename(aside, "a", "look_up")).toMatchObject({ ok: false, reason: { word: "id_is_taken" } });
    const copied = through(done(commands.duplicate(aside, ["a"])).document, "a_2", "function");
    expect(of(copied, "a_2").reconcile).toEqual({ steps: [{ ...probe, id: "look_up_2", properties: { arguments: { of: "${steps.look_up_2.x}" } } }], outcome: "steps.look_up_2.ok" });
  });
});

describe("a container of another kind", () => {
  test("and back is what it was, wherever its settings stand", () => {
    const start = flow([box("loop", "l", [step("a")], { loop: { over: "${input.x}" }, on_error: "continue", properties: { timeout_ms: 5, odd: 1 } })]);
    for (const { name } of CONTAINERS.filter((each) => each.name !== "loop")) expect(through(start, "l", name, "loop")).toEqual(start);
    expect(treeOf(through(start, "l", "and")).byId.get("l")!.node).not.toHaveProperty("loop");
  });

  test("that chooses begins with a rule for each child, and has its own again later", () => {
    const start = flow([box("and", "o", [step("a"), step("b")])]);
    const or = through(start, "o", "or");
    expect(treeOf(or).byId.get("o")!.node.rules).toEqual([{ condition: "", next_step: "a" }, { condition: "", next_step: "b" }]);
    expect(through(or, "o", "and")).toEqual(start);
    const ruled = done(commands.setField(or, "o", ["rules"], [{ condition: "true", next_step: "b" }])).document;
    const renamed = done(commands.rename(through(ruled, "o", "loop"), "b", "c")).document;
    expect(treeOf(through(renamed, "o", "or")).byId.get("o")!.node.rules).toEqual([{ condition: "true", next_step: "c" }]);
  });
});

/** Every setting of a node, those put aside among them. */
function settings(node: Obj): { now: Obj; aside: [string, Json][] } {
  const { properties: inner, [ASIDE]: own, children: _children, ...rest } = node;
  const { [ASIDE]: inside, ...now } = isObj(inner) ? inner : {};
  const aside = [own, inside].flatMap((each) => (isObj(each) ? Object.values(each) : [])).flatMap((each) => Object.entries(each as Obj));
  return { now: { ...now, ...rest }, aside };
}

test("whatever the flow and the kinds in between, a node is what it was when it is of its kind again, and nothing is lost", () => {
  const some = fc.array(fc.nat(1000), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(anyFlow, fc.nat(1000), some, (start, at, turns) => {
      const { places } = treeOf(start);
      const place = places[at % Math.max(places.length, 1)];
      if (!place || places.some((each) => each !== place && each.key === place.key)) return;
      const kinds = (place.isContainer ? CONTAINERS : STEPS).map((each) => each.name);
      let document = start;
      for (const name of [...turns.map((turn) => kinds[turn % kinds.length]!), place.kind]) {
        const before = treeOf(document).byKey.get(place.key)!;
        if (name === before.kind) continue;
        document = became(document, place.key, name).document;
        expect(treeOf(document).byKey.get(place.key)!.kind).toBe(name);
      }
      const before = settings(place.node).now;
      const { now, aside } = settings(treeOf(document).byKey.get(place.key)!.node);
      const own = kindNamed(place.kind).offers;
      for (const [name, value] of Object.entries(now)) expect(value).toEqual(before[name]);
      for (const [name, value] of Object.entries(before)) {
        if (Object.hasOwn(now, name)) continue;
        expect(own.has(name)).toBe(false); // it meant nothing to this kind, and another one has it now
        expect(aside).toContainEqual([name, value]);
      }
    }),
    { numRuns: 400 },
  );
});
