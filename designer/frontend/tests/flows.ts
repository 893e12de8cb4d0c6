// Flows for tests: the demo's and random ones, among them such as no canvas would make: ids twice or missing, unknown keys.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parse, parseAllDocuments } from "yaml";
import { applied, type Command } from "./play";
import type { Json, Obj } from "../src/model/json";
import { CONTAINER, STEP } from "../src/model/tree";

if (process.env.CI) fc.configureGlobal({ seed: 20 }); // the same examples every time; elsewhere new ones

const FOLDER = join(import.meta.dirname, "../../../demo/flows");

export const demoTexts: [string, string][] = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".yaml") && !name.endsWith(".scenarios.yaml"))
  .map((name) => [name, readFileSync(join(FOLDER, name), "utf8")]);

/** The flows inside scenario files, as the engine's tests play them. */
export function scenarioDefinitions(): [string, Obj][] {
  const folder = join(import.meta.dirname, "../../../tests/conformance/scenarios");
  return readdirSync(folder).flatMap((name) => {
    const found: [string, Obj][] = [];
    const visit = (value: Json): void => {
      if (Array.isArray(value)) value.forEach(visit);
      else if (value && typeof value === "object") {
        if (Array.isArray(value.nodes)) found.push([`${name} ${found.length}`, value]);
        else Object.values(value).forEach(visit);
      }
    };
    for (const each of parseAllDocuments(readFileSync(join(folder, name), "utf8"))) visit(each.toJS({ maxAliasCount: -1 }) as Json);
    return found;
  });
}

export const demo = (name: string): Obj => parse(demoTexts.find(([file]) => file === `${name}.yaml`)![1]) as Obj;

export function step(id: string, properties: Obj = {}): Obj {
  return { id, node_type: STEP, properties: { action: id, ...properties } };
}

export function box(container_type: string, id: string, children: Json[], more: Obj = {}): Obj {
  return { id, node_type: CONTAINER, container_type, ...more, children };
}

export function flow(nodes: Json[], more: Obj = {}): Obj {
  return { node_type: "raisin:Flow", properties: { title: "T", name: "t", workflow_data: { version: 1, ...more, nodes } } };
}

const id = fc.constantFrom("a", "b", "c", "set", "set1", "constructor", "toString", "x-y", "step_2", "step", "__proto__", "ä", "");
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  id.map((name) => `\${steps.${name}.value}`),
  id.map((name) => `Say {{ steps['${name.replaceAll("'", "\\'")}'].x }} steps.${name}`),
);
const properties = fc.record(
  {
    action: text,
    error_edge: id,
    timeout_edge: id,
    condition: id.map((name) => `steps.${name}.x == "steps.a" && visits.set1 > 1`),
    step_type: fc.constantFrom("decision", "human_task", "wait"),
    yes_branch: id,
    function_ref: fc.constant("/lib/a"),
    disabled: fc.boolean(),
    arguments: fc.dictionary(fc.constantFrom("a", "b", "__proto__", "constructor"), text),
    reconcile: id.map((name): Obj => ({ steps: [{ id: name, node_type: STEP, properties: {} }], outcome: `steps.${name}.ok` })),
    odd: fc.jsonValue() as fc.Arbitrary<Json>,
  },
  { requiredKeys: [] },
) as unknown as fc.Arbitrary<Obj>;

const { node } = fc.letrec<{ node: Obj; step: Obj; container: Obj }>((tie) => ({
  node: fc.oneof({ depthSize: "small", withCrossShrink: true }, { weight: 3, arbitrary: tie("step") }, { weight: 2, arbitrary: tie("container") }),
  step: fc.tuple(id, properties).map(([own, found]) => ({ id: own, node_type: STEP, properties: found })),
  container: fc
    .tuple(id, fc.constantFrom("and", "or", "parallel", "loop", "competition"), fc.array(tie("node"), { maxLength: 3 }), fc.array(id, { maxLength: 2 }))
    .map(([own, kind, children, rules]) => box(kind, own, children, kind === "or" ? { rules: rules.map((to) => ({ condition: "true", next_step: to })) } : {})),
}));

/** Any flow, in its node or bare. */
export const anyFlow: fc.Arbitrary<Obj> = fc
  .tuple(fc.array(node, { maxLength: 5 }), fc.boolean())
  .map(([nodes, bare]) => (bare ? { version: 1, nodes, odd: true } : flow(nodes)));

export const anyCommands: fc.Arbitrary<Command[]> = fc.array(
  fc.record({
    name: fc.constantFrom("insert", "remove", "move", "moveBy", "duplicate", "paste", "rename", "setField", "setJump", "wrap", "unwrap", "disable", "changeContainer", "setFlowField"),
    a: fc.nat(1000),
    b: fc.nat(1000),
    c: fc.nat(1000),
    id,
    text,
  }) as fc.Arbitrary<Command>,
  { maxLength: 12 },
);

export { applied };
