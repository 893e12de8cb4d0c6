import fc from "fast-check";
import { expect, test } from "vitest";
import { asText, OPERATORS, shown, understood, written } from "../src/model/conditions";

test.each([
  ["input.total > 800", "&&", 1],
  ['steps.a.action == "refuse" || visits.review == 1', "||", 2],
  ["steps['x-y'].n >= 2 && input.ok == true && a.b != null", "&&", 3],
  ['input.text == "a && b || c"', "&&", 1],
  ["", "&&", 0],
])("%s is said in words", (text, join, count) => {
  const found = understood(text)!;
  expect([found.join, found.parts.length]).toEqual([join, count]);
  expect(understood(asText(found))).toEqual(found);
});

test.each(["a > 1 && b > 2 || c > 3", "!a", "a.contains('x')", "(a == 1)", "true", 'a == "x', "a == 'it\\'s'", "a + 1 > 2", "a > 1 &&"])("%s stays text", (text) => {
  expect(understood(text)).toBeNull();
});

test("whatever is typed is one comparison with what was typed", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...OPERATORS), (typed, operator) => {
      const right = written(typed, new Set());
      const found = understood(`input.x ${operator} ${right}`);
      expect(found?.parts).toEqual([{ left: "input.x", operator, right }]);
      if (!/["'\\]/.test(typed)) expect(shown(right)).toBe(typed.trim());
    }),
  );
});
