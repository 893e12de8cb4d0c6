import fc from "fast-check";
import { expect, test } from "vitest";
import { followName, setField } from "../src/model/commands";
import type { Outcome } from "../src/model/change";
import { isMadeFrom } from "../src/model/ids";
import { recorded, EMPTY, undone } from "../src/model/history";
import { getAt, type Json, type Obj } from "../src/model/json";
import { isCall, newProbe, renamedProbe } from "../src/model/probes";
import { treeOf, workflowData } from "../src/model/tree";
import { troublesOf } from "../src/model/checks";
import { anyFlow, box, flow, step } from "./flows";

const made = (outcome: Outcome): Obj => {
  if (!outcome.ok) throw new Error(outcome.reason.word);
  return outcome.document;
};
const nodes = (document: Obj): Obj[] => workflowData(document).nodes as Obj[];
const named = (document: Obj, key: string, name: string, published: string[] = []): Outcome => {
  const before = String(getAt(treeOf(document).byKey.get(key)!.node, ["properties", "action"]) ?? "");
  return followName(made(setField(document, key, ["action"], name)), key, before, new Set(published));
};
const approval = { id: "approval", node_type: "raisin:FlowStep", properties: { action: "Approval" } };

test("an id made from the name follows it, and what refers to it follows along", () => {
  const reader = step("tell", { action: "Say {{ steps.approval.action }}", error_edge: "approval", when: "steps['approval'].action == 'steps.approval'" });
  const done = made(named(flow([approval, reader]), "approval", "The boss approves"));
  expect(nodes(done)[0]!.id).toBe("the_boss_approves");
  expect(nodes(done)[1]!.properties).toMatchObject({
    action: "Say {{ steps.the_boss_approves.action }}",
    error_edge: "the_boss_approves",
    when: "steps['the_boss_approves'].action == 'steps.approval'",
  });
});

test("an id of somebody's own stays", () => {
  const own = { ...approval, id: "gate_7" };
  expect(named(flow([own]), "gate_7", "The boss approves").ok).toBe(false);
});

test("a published id that something refers to stays, one that nothing refers to follows", () => {
  const reader = step("tell", { action: "Say {{ steps.approval.action }}" });
  expect(named(flow([approval, reader]), "approval", "Boss", ["approval"]).ok).toBe(false);
  expect(named(flow([approval]), "approval", "Boss", ["approval"]).ok).toBe(true);
  expect(named(flow([step("tell", { timeout_edge: "approval" }), approval]), "approval", "Boss", ["approval"]).ok).toBe(false);
  expect(named(flow([box("or", "either", [approval], { rules: [{ condition: "true", next_step: "approval" }] })]), "approval", "Boss", ["approval"]).ok).toBe(false);
  expect(named(flow([approval, step("tell")]), "approval", "Boss", ["tell"]).ok).toBe(true);
});

test("a number behind it belongs to it, and a taken id gets one", () => {
  const second = { ...approval, id: "approval_2" };
  expect(nodes(made(named(flow([approval, second, step("boss")]), "approval_2", "Boss")))[1]!.id).toBe("boss_2");
  expect(isMadeFrom("approval_2b", "Approval")).toBe(false);
  expect(named(flow([approval, second]), "approval_2", "Approval!").ok).toBe(false);
});

test("a name without letters, or none, changes no id", () => {
  expect(named(flow([approval]), "approval", "…").ok).toBe(false);
  expect(followName(made(setField(flow([approval]), "approval", ["action"], undefined)), "approval", "Approval", new Set()).ok).toBe(false);
});

test("typing a name and its new id are undone together", () => {
  const start = flow([approval]);
  const typed = setField(start, "approval", ["action"], "Boss");
  if (!typed.ok) throw new Error();
  let history = recorded(EMPTY, start, ["approval"], typed, 1000);
  const followed = followName(typed.document, "approval", "Approval", new Set());
  if (!followed.ok) throw new Error();
  history = recorded(history, typed.document, ["approval"], followed, 60_000);
  expect(undone(history)!.document).toEqual(start);
});

test("whatever the flow, following a name makes no id twice and loses no reference", () => {
  fc.assert(
    fc.property(anyFlow, fc.string({ maxLength: 12 }), fc.nat(20), (document, name, at) => {
      const place = treeOf(document).places[at];
      if (!place) return;
      const typed = setField(document, place.key, ["action"], name);
      if (!typed.ok) return;
      const outcome = followName(typed.document, place.key, String(getAt(place.node, ["properties", "action"]) ?? ""), new Set());
      if (!outcome.ok) return;
      expect(troublesOf(treeOf(outcome.document)).length).toBeLessThanOrEqual(troublesOf(treeOf(typed.document)).length);
    }),
  );
});

// --- the steps of a reconcile

const reconcile: Obj = {
  steps: [newProbe(new Set()), { ...newProbe(new Set(["look_up"])), properties: { arguments: { of: "${steps.look_up.id}" } } }],
  outcome: "steps.look_up.status == 'booked' && steps.look_up_2.ok",
  result: { id: "${steps.look_up.id}" },
};

test("a step that looks is renamed with all that names it in there", () => {
  expect(renamedProbe(reconcile, 0, "find")).toEqual({
    steps: [{ id: "find", node_type: "raisin:FlowStep", properties: {} }, { id: "look_up_2", node_type: "raisin:FlowStep", properties: { arguments: { of: "${steps.find.id}" } } }],
    outcome: "steps.find.status == 'booked' && steps.look_up_2.ok",
    result: { id: "${steps.find.id}" },
  });
});

test("an id that two of them have is renamed alone", () => {
  const twice = { ...reconcile, steps: [newProbe(new Set()), newProbe(new Set())] };
  const done = renamedProbe(twice, 1, "find");
  expect(done.outcome).toBe(reconcile.outcome);
  expect((done.steps as Obj[]).map((each) => each.id)).toEqual(["look_up", "find"]);
});

test("a form shows calls; anything else is shown as it is written", () => {
  const others: Json[] = ["x", null, box("and", "a", []), step("w", { step_type: "wait" })];
  expect(others.map(isCall)).toEqual([false, false, false, false]);
  expect(isCall(newProbe(new Set()))).toBe(true);
});

test("reading a step that looks is no trouble, where it is and nowhere else", () => {
  const charge = step("charge", { reconcile });
  expect(troublesOf(treeOf(flow([charge])))).toEqual([]);
  expect(troublesOf(treeOf(flow([charge, step("b", { action: "{{ steps.look_up.id }}" })])))).toHaveLength(1);
});
