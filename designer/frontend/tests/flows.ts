// Flows for tests: the demo's and random ones, among them such as no canvas would make: ids twice or missing, unknown keys.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parse, parseAllDocuments } from "yaml";
import { applied, type Command } from "./play";
import { isObj, type Json, type Obj } from "../src/model/json";
import { CONTAINER, STEP } from "../src/model/tree";

if (process.env.CI) fc.configureGlobal({ seed: 20 }); // the same examples every time; elsewhere new ones

const ROOT = join(import.meta.dirname, "../../..");
const CONFORMANCE = "tests/conformance/flows";

function files(folder: string, isOne: (name: string) => boolean): [string, string][] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".yaml") && isOne(name));
  return names.map((name) => [`${folder}/${name}`, readFileSync(join(ROOT, folder, name), "utf8")]);
}

const isFlow = (name: string): boolean => !name.endsWith(".scenarios.yaml");
export const demoTexts = files("demo/flows", isFlow);

/** The flows that lie in files of their own: the demo's, and those that the engine's tests play. */
export const flowTexts = [...demoTexts, ...files(CONFORMANCE, isFlow)];

export interface Played {
  readonly name: string;
  /** How many scenarios the file has. */
  readonly scenarios: number;
  readonly definitions: readonly Obj[];
}

/** The flows inside scenario files, as the engine's tests play them. */
export function scenarioFiles(): Played[] {
  const all = [...files("tests/conformance/scenarios", () => true), ...files(CONFORMANCE, (name) => !isFlow(name))];
  return all.map(([name, text]) => {
    const definitions: Obj[] = [];
    const visit = (value: Json): void => {
      if (Array.isArray(value)) value.forEach(visit);
      else if (value && typeof value === "object") {
        if (Array.isArray(value.nodes)) definitions.push(value);
        else Object.values(value).forEach(visit);
      }
    };
    const documents = parseAllDocuments(text, { merge: true }).map((each) => each.toJS({ maxAliasCount: -1 }) as Json);
    documents.forEach(visit);
    return { name, scenarios: documents.filter((each) => isObj(each) && "scenario" in each).length, definitions };
  });
}

export const demo = (name: string): Obj => parse(demoTexts.find(([file]) => file.endsWith(`/${name}.yaml`))![1]) as Obj;

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
    agent_ref: fc.constant("/agents/a"),
    task_type: fc.constant("approval"),
    timeout_ms: fc.nat(9),
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
    name: fc.constantFrom("insert", "remove", "move", "moveBy", "duplicate", "paste", "rename", "setField", "setJump", "wrap", "unwrap", "disable", "changeKind", "setFlowField"),
    a: fc.nat(1000),
    b: fc.nat(1000),
    c: fc.nat(1000),
    id,
    text,
  }) as fc.Arbitrary<Command>,
  { maxLength: 12 },
);

export { applied };
