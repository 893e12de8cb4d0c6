import { expect, test } from "vitest";
import { wayMarksOf } from "../src/app/differences";
import { compared } from "../src/model/compare";
import type { Obj } from "../src/model/json";
import { layoutOf } from "../src/model/layout";
import { treeOf } from "../src/model/tree";
import { flow, step } from "./flows";

/** Every way of both versions, with what is said of it. */
function drawn(before: Obj, after: Obj): string[] {
  const { document, byKey } = compared(before, after);
  const { gone, marks } = wayMarksOf(byKey);
  const { jumps } = layoutOf(treeOf(document), { collapsed: new Set(), rows: () => 0, gone });
  return jumps.map((jump) => `${jump.from} ${jump.kind} ${jump.to ?? "end"} ${marks[jump.id]?.status ?? "same"}`).sort();
}

const of = (a: Obj, ...more: Obj[]): Obj => flow([step("a", a), step("b"), step("c", { timeout_edge: "a" }), ...more]);

test("a way that leads elsewhere is drawn where it led and where it leads", () => {
  expect(drawn(of({ error_edge: "b" }), of({ error_edge: "c" }))).toEqual(["a error b removed", "a error c changed", "c timeout a same"]);
});

test("ways that came or went have their words", () => {
  expect(drawn(of({}), of({ error_edge: "end" }))).toEqual(["a error end added", "c timeout a same"]);
  expect(drawn(of({ error_edge: "b" }), of({}))).toEqual(["a error b removed", "c timeout a same"]);
});

test("new and removed steps have new and removed ways", () => {
  const d = step("d", { error_edge: "b" });
  expect(drawn(of({}, d), of({}))).toEqual(["c timeout a same", "d error b removed"]);
  expect(drawn(of({}), of({}, d))).toEqual(["c timeout a same", "d error b added"]);
});

test("where a way led to nothing, or to a step that is gone, is no trouble", () => {
  expect(drawn(of({ error_edge: "nowhere" }), of({ error_edge: "c" }))).toEqual(["a error c changed", "c timeout a same"]);
  expect(drawn(of({ error_edge: "d" }, step("d")), of({}))).toEqual(["a error d removed", "c timeout a same"]);
});

test("a step that only moves keeps its ways as they are", () => {
  const moved = flow([step("b"), step("c", { timeout_edge: "a" }), step("a", { error_edge: "b" })]);
  expect(drawn(of({ error_edge: "b" }), moved)).toEqual(["a error b same", "c timeout a same"]);
});
