// Every flow there is: opened and saved it is the same document, and so it is after 200 random commands that were undone.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { EMPTY, recorded, undone, type History } from "../src/model/history";
import type { Obj } from "../src/model/json";
import { fresh, written } from "../src/model/text";
import { treeOf } from "../src/model/tree";
import { anyCommands, applied, flowTexts, scenarioFiles } from "./flows";
import type { Command } from "./play";

const COMMANDS = 200;
const read = (text: string): Obj => parse(text, { maxAliasCount: -1 }) as Obj;
const plays = Array.from({ length: 12 }, (_, seed): Command[] => fc.sample(anyCommands, { seed, numRuns: COMMANDS }).flat().slice(0, COMMANDS));

function opens(text: string, content: Obj): void {
  expect(read(text)).toEqual(content);
  expect(treeOf(content).places.length).toBeGreaterThan(0);
  expect(written(text, content, structuredClone(content))).toBe(text);
}

/** 200 commands, each in the history; answers the last document, and the one after everything was undone. */
function edited(start: Obj, seed: number): { last: Obj; back: Obj } {
  let history: History = EMPTY;
  let document = start;
  for (const command of plays[seed % plays.length]!) {
    const outcome = applied(document, command);
    if (!outcome.ok) continue;
    history = recorded(history, document, [], outcome, 0);
    document = outcome.document;
  }
  const last = document;
  for (let step = undone(history); step; step = undone(history)) ({ history, document } = step);
  return { last, back: document };
}

function comesBack(text: string, seed: number): void {
  const start = read(text);
  const { last, back } = edited(start, seed);
  expect(back).toEqual(read(text)); // nothing was changed in place on the way
  expect(written(text, start, back)).toBe(text);
  const saved = written(text, start, last);
  expect(read(saved)).toEqual(last);
  expect(read(written(saved, last, back))).toEqual(start); // undone after it was saved
}

test("all eight flows of the conformance suite are among them, and those of the demo", () => {
  const names = ["employee-onboarding", "event-tickets", "nightly-report", "order-fulfilment", "purchase-approval", "refund-triage", "shift-cover", "supplier-quotes"];
  const files = flowTexts.map(([file]) => file);
  for (const folder of ["tests/conformance/flows", "demo/flows"]) expect(files).toEqual(expect.arrayContaining(names.map((name) => `${folder}/${name}.yaml`)));
});

describe.each(flowTexts)("%s", (_name, text) => {
  test("opens, and saved unchanged is the same text", () => opens(text, read(text)));
  test("edited by 200 random commands and undone is the same text", () => comesBack(text, 7));
});

describe.each(scenarioFiles())("$name", ({ scenarios, definitions }) => {
  test("has a flow in every scenario", () => {
    expect(scenarios).toBeGreaterThan(0);
    expect(definitions.length).toBeGreaterThanOrEqual(scenarios);
  });

  test("opens, and saved unchanged each flow is the same text", () => {
    for (const definition of definitions) opens(fresh(definition), definition);
  });

  test("edited by 200 random commands and undone each flow is the same text", () => {
    const texts = new Set(definitions.map(fresh)); // some scenarios play one flow in several ways
    [...texts].forEach(comesBack);
  });
});
