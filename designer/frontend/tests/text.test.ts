import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, parseDocument } from "yaml";
import { clipboardText, stepsIn } from "../src/model/clipboard";
import * as commands from "../src/model/commands";
import type { Obj } from "../src/model/json";
import { fresh, written } from "../src/model/text";
import { treeOf } from "../src/model/tree";
import { anyCommands, anyFlow, applied, demo, flow, step } from "./flows";

const read = (text: string): Obj => parse(text) as Obj;
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)); // YAML has a -0

test("any document after any commands is written as the canvas has it", () => {
  fc.assert(
    fc.property(anyFlow, anyCommands, (start, played) => {
      const text = fresh(start);
      let document = start;
      for (const command of played) {
        const outcome = applied(document, command);
        if (outcome.ok) document = outcome.document;
      }
      const parsed = parseDocument(written(text, start, document));
      expect(parsed.errors).toEqual([]);
      expect(plain(parsed.toJS())).toEqual(plain(document));
    }),
    { numRuns: 200 },
  );
});

describe("comments", () => {
  const text = `# What this flow is for
node_type: raisin:Flow
properties:
  workflow_data:
    nodes:
      # the first
      - id: a # why a
        node_type: raisin:FlowStep
        properties: { action: "First", note: 1 } # in one line
      # the second
      - id: b
        node_type: raisin:FlowStep
        properties:
          action: Second # keep me
          function_ref: /lib/b
`;

  test("stay where the canvas changed something else, and go with a step that moves", () => {
    const before = read(text);
    const renamed = commands.setField(before, "b", ["action"], "Another");
    const moved = commands.move((renamed as { document: Obj }).document, ["b"], { mode: "in", parent: null, index: 0 });
    const made = written(text, before, (moved as { document: Obj }).document);
    expect(made).toContain("# What this flow is for");
    expect(made).toContain("action: Another # keep me");
    expect(made).toContain('properties: { action: "First", note: 1 } # in one line');
    expect(made).toMatch(/# the second\n\s+- id: b/);
    expect(made.indexOf("id: b")).toBeLessThan(made.indexOf("id: a"));
  });
});

test.each(["yes", "on", "0123", "1e3", "~", "null", "2030-01-07", "- x", "a: b", "#x", "'", "{{ x }}", "${a}", "", " ", "!x", "&a", "*a", "0x1f", ".5", "12:30"])("the text %j stays a text", (value) => {
  const made = written("nodes: []\n", { nodes: [] }, { nodes: [step("a", { action: value })] });
  expect((treeOf(read(made)).byId.get("a")!.node.properties as Obj).action).toBe(value);
});

test("the clipboard holds YAML that pastes into another flow", () => {
  const nodes = commands.copyOf(demo("order-fulfilment"), ["verdict"]);
  expect(stepsIn(clipboardText(nodes))).toEqual(nodes);
  expect(stepsIn("Dear all,\nnodes are round")).toBeNull();
  expect(stepsIn(fresh(flow([step("a")])))).toEqual([step("a")]);
});
