import fc from "fast-check";
import { expect, test } from "vitest";
import { layoutOf } from "../src/model/layout";
import { svgOf, type Words } from "../src/model/svg";
import { nameOf, treeOf } from "../src/model/tree";
import { anyFlow, flow, step } from "./flows";

const words: Words = { name: nameOf, under: () => "a & b", chips: () => ["<i>"], rule: () => "if x < 1", start: "Start", end: "End" };
const drawn = (document: Parameters<typeof treeOf>[0]): string => svgOf(layoutOf(treeOf(document), { collapsed: new Set(), rows: () => 1 }), words);

test("what people wrote is text in the picture", () => {
  const picture = drawn(flow([step("a", { action: '<script>alert("x")</script>' })]));
  expect(picture).toContain("&lt;script&gt;alert(&quot;x&quot;)");
  expect(picture).not.toContain("<script");
});

test("any flow gives a picture whose tags are closed, without numbers that are none", () => {
  fc.assert(
    fc.property(anyFlow, (document) => {
      const picture = drawn(document);
      expect(picture).not.toMatch(/NaN|undefined|Infinity/);
      const opened = [...picture.matchAll(/<(\w+)[^>]*?(\/?)>/g)].filter((found) => found[2] === "").length;
      expect([...picture.matchAll(/<\/\w+>/g)]).toHaveLength(opened);
    }),
    { numRuns: 100 },
  );
});
