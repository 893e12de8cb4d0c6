import fc from "fast-check";
import { expect, test } from "vitest";
import { before, completion, sampleAt, taken, typeOf, withSamples, type Known, type Language } from "../src/model/completion";
import type { Obj } from "../src/model/json";

const LANGUAGE: Language = {
  methods: [
    { name: "trim", help: "", on: ["string"], gives: "string", arguments: "" },
    { name: "contains", help: "", on: ["string", "array"], gives: "boolean", arguments: "''" },
    { name: "first", help: "", on: ["array"], gives: "", arguments: "" },
    { name: "length", help: "", on: ["string", "array", "object"], gives: "integer", arguments: "" },
  ],
  filters: [
    { name: "default", help: "", on: ["string"], gives: "", arguments: "''" },
    { name: "upper", help: "", on: ["string"], gives: "string", arguments: null },
  ],
};
const KNOWN: Known[] = [
  { group: "Input", word: "Total", expression: "input.total", type: "number" },
  { group: "Input", word: "Customer", expression: "input.customer", type: "string" },
  { group: "Charge card", word: "The whole result", expression: "steps.charge", type: "" },
];
const VALUES: Obj = { input: { total: 12, customer: "Tim" }, steps: { charge: { id: "c-1", "odd name": 2, lines: [{ sku: "lamp" }] }, later: { x: 1 } } };

/** What is offered at `|`, which marks the cursor. */
function at(marked: string, kind: "template" | "condition" = "condition", isAsked = false) {
  const cursor = marked.indexOf("¦");
  return completion(marked.replace("¦", ""), cursor, kind, KNOWN, VALUES, LANGUAGE, isAsked);
}
const names = (marked: string, kind: "template" | "condition" = "condition"): string[] => at(marked, kind)?.suggestions.map((each) => each.text) ?? [];

test("names are found by their beginning, by a part of them and by their words", () => {
  expect(names("inp¦")).toEqual(["input.total", "input.customer"]);
  expect(names("cust¦")).toEqual(["input.customer"]);
  expect(names("input.total > 5 && card¦")).toContain("steps.charge");
});

test("behind a dot stand the members and the methods of the value's type, samples among them", () => {
  expect(names("input.¦")).toEqual(["total", "customer", "length"]);
  expect(names("input.customer.¦")).toEqual(["trim", "contains", "length"]);
  expect(names("input.customer.tr¦")).toEqual(["trim"]);
  expect(names("input.total.¦")).toEqual([]);
  expect(names("steps.charge.¦")).toEqual(["id", "lines", "length"]);
  expect(names("steps.charge.lines.¦")).toEqual(["contains", "first", "length"]);
  expect(names("input.customer.trim().¦")).toEqual(["trim", "contains", "length"]);
});

test("a step that does not exist at this point is not offered, though the last run knew it", () => {
  expect(names("steps.¦")).toEqual(["charge"]);
});

test("behind a bar stand the filters, behind two the values", () => {
  expect(names("input.customer | ¦")).toEqual(["default", "upper"]);
  expect(names("(input.customer | up¦")).toEqual(["upper"]);
  expect(names("input.paid || inp¦")).toEqual(["input.total", "input.customer"]);
});

test("in a template only a marker is an expression, and an open one counts", () => {
  expect(names("inp¦", "template")).toEqual([]);
  expect(names("Hello {{ inp¦", "template")).toEqual(["input.total", "input.customer"]);
  expect(names("Hello {{ inp¦ }} and", "template")).toEqual(["input.total", "input.customer"]);
  expect(names("{{ input.total }} inp¦", "template")).toEqual([]);
  expect(names("${ {a: 1}.a + inp¦ }", "template")).toEqual(["input.total", "input.customer"]);
  expect(names("{{ ¦", "template")).toContain("input.total");
});

test("a text in quotes is no expression", () => {
  expect(names("input.customer == 'inp¦")).toEqual([]);
  expect(names("'it\\'s inp¦")).toEqual([]);
});

test("a name that is spelled in full is left alone, and an empty condition until asked", () => {
  expect(at("input.total¦")).toBeNull();
  expect(at("¦")).toBeNull();
  expect(at("¦", "condition", true)?.suggestions.length).toBeGreaterThan(2);
});

test("what is taken replaces what was typed, with the cursor between brackets that want something", () => {
  const found = at("input.customer.con¦ && true")!;
  expect(taken("input.customer.con && true", found, found.suggestions[0]!)).toEqual({ text: "input.customer.contains('') && true", cursor: 25 });
  const plain = at("{{ tot¦ }}", "template")!;
  expect(taken("{{ tot }}", plain, plain.suggestions[0]!)).toEqual({ text: "{{ input.total }}", cursor: 14 });
});

test("samples tell the types and values of what no schema describes", () => {
  const known = withSamples(KNOWN, VALUES);
  expect(known.map((each) => each.expression)).toContain("steps.charge['odd name']");
  expect(sampleAt(VALUES, "steps.charge['odd name']")).toBe(2);
  expect(sampleAt(VALUES, "steps.charge.lines[0].sku")).toBe("lamp");
  expect(sampleAt(VALUES, "steps.charge.trim()")).toBeUndefined();
  expect(sampleAt(VALUES, "input.constructor")).toBeUndefined();
  expect([null, 1, 1.5, "", [], {}, true].map(typeOf)).toEqual(["", "integer", "float", "string", "array", "object", "boolean"]);
});

test("whatever is typed, completion answers, and only inside what stands before the cursor", () => {
  const piece = fc.constantFrom("{{", "}}", "${", "}", "'", '"', "input", ".", "total", " | ", " || ", "steps['a']", "[0]", "(", ")", " ", "\\");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(60), fc.constantFrom("template" as const, "condition" as const), (pieces, wanted, kind) => {
      const text = pieces.join("");
      const cursor = Math.min(wanted, text.length);
      const part = before(text, cursor, kind);
      if (part) expect(text.slice(part.start, cursor)).toBe(part.text);
      const found = completion(text, cursor, kind, KNOWN, VALUES, LANGUAGE, true);
      if (found) expect(found.from >= part!.start && found.to === cursor).toBe(true);
    }),
  );
});
