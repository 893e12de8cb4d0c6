// Kinds as the server's catalogue describes them, with fewer settings.

import type { Kind } from "../src/model/commands";
import type { Obj } from "../src/model/json";
import { CONTAINER, STEP } from "../src/model/tree";

const SHARED = ["error_edge", "on_error", "retry", "continue_on_fail", "when", "note", "undo"];

function kind(name: string, template: Obj, own: readonly string[], unoffered: readonly string[] = []): Kind {
  const offers = ["action", ...own, ...SHARED];
  return { name, word: name.toUpperCase(), template, offers: new Set(offers), settings: new Map([...offers, ...unoffered].map((each) => [each, each.toUpperCase()])) };
}

const OF_CALLS = ["timeout_ms", "on_unknown", "reconcile", "idempotency_key", "compensation_when"];
const step = (name: string, properties: Obj, ...own: string[]): Kind => kind(name, { node_type: STEP, properties: { action: name, ...properties } }, [...own, "timeout_edge", "disabled"], OF_CALLS);
const container = (name: string, more: Obj, ...own: string[]): Kind => kind(name, { node_type: CONTAINER, container_type: name, ...more, children: [] }, own, ["timeout_ms", "timeout_edge"]);

export const STEPS: readonly Kind[] = [
  step("function", {}, "function_ref", "arguments", "compensation_ref", ...OF_CALLS),
  step("human_task", { step_type: "human_task", assignee: "", task_type: "approval", options: [{ value: "yes" }] }, "task_type", "assignee", "options", "input_schema", "data"),
  kind("decision", { node_type: STEP, properties: { action: "Decision", step_type: "decision", condition: "" } }, ["condition", "yes_branch", "no_branch", "disabled"], [...OF_CALLS, "timeout_edge"]),
  step("wait", { step_type: "wait", wait_type: "delay", duration: "1d" }, "wait_type", "duration", "until", "event_type", "timeout", "cron"),
  step("sub_flow", { step_type: "sub_flow" }, "flow_ref", "input_mapping"),
  kind("stop", { node_type: STEP, properties: { action: "Stop", step_type: "stop" } }, ["reason", "disabled"], [...OF_CALLS, "timeout_edge"]),
  step("ai_agent", { step_type: "ai_agent" }, "agent_ref", "prompt", "timeout_ms", "response_format"),
  step("chat", { step_type: "chat", chat_config: {} }, "chat_config"),
];

export const CONTAINERS: readonly Kind[] = [
  container("and", {}),
  container("or", { rules: [] }, "rules", "router"),
  container("parallel", {}, "merge_strategy", "fan_out", "timeout_ms", "timeout_edge"),
  container("loop", { loop: { over: "" } }, "loop", "timeout_ms", "timeout_edge"),
];

/** Old definitions have agents that work with tools as steps. */
const OTHERS: readonly Kind[] = [step("ai_sequence", {}, "agent_ref", "prompt", "ai_config"), container("competition", { referee: {} }, "referee", "prompt")];

export function kindNamed(name: string): Kind {
  return [...STEPS, ...CONTAINERS, ...OTHERS].find((each) => each.name === name) ?? { name, word: name, settings: new Map(), offers: new Set(), template: {} };
}
