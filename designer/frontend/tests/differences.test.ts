import { expect, test } from "vitest";
import { fieldWords, wayMarksOf } from "../src/app/differences";
import { setWords, type Catalogue, type Field } from "../src/app/start";
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

const field = (name: string, type: string, word: string, more: Partial<Field> = {}): Field => ({ name, type, word, section: "main", ...more });
const FIELDS = [
  field("timeout_ms", "milliseconds", "Time for one try"),
  field("options", "rows", "Answers", { of: [field("value", "text", "Value"), field("label", "template", "Button")] }),
];
const CATALOGUE = { kinds: { by_name: { human_task: { word: "A task", icon: "x", is_container: false, fields: FIELDS } }, palette: [] }, flow: [], functions: [], agents: [], people: [], flows: [] } as unknown as Catalogue;
setWords({ language: "en", icons: "", words: { unit_day: "{n} days", not_set: "Not set", jump_yes: "yes" } });

const said = (before: Obj, after: Obj): string[] => {
  const [old, now] = [flow([step("a", { step_type: "human_task", ...before })]), flow([step("a", { step_type: "human_task", ...after })])];
  const trees = { before: treeOf(old), after: treeOf(now) };
  return compared(old, now).steps.flatMap((each) => each.fields.map((change) => fieldWords(change, each.after, trees, CATALOGUE))).map((each) => `${each.name}: ${each.before} → ${each.after}`);
};

test("of rows only what differs is said, each under its number", () => {
  const yes = { value: "yes", label: "Yes" };
  expect(said({ options: [yes, { value: "no", label: "No" }] }, { options: [yes, { value: "no", label: "Never" }] })).toEqual(["Answers 2 · Button: No → Never"]);
  expect(said({ options: [yes] }, { options: [{ value: "?", label: "Ask" }, yes] })).toEqual(["Answers 1 · Value: Not set → ?", "Answers 1 · Button: Not set → Ask"]);
  expect(said({ options: [yes] }, { options: [yes, {}] })).toEqual(["Answers 2: Not set → {}"]);
});

test("different values never look the same", () => {
  expect(said({ timeout_ms: 86_400_001 }, { timeout_ms: 86_400_002 })).toEqual(["Time for one try: 86400001 → 86400002"]);
  expect(said({ odd: "1" }, { odd: 1 })).toEqual(['odd: "1" → 1']);
  expect(said({ odd: "" }, {})).toEqual(['odd: "" → Not set']);
});
