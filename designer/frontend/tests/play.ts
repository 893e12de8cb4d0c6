// Random numbers as commands on whatever the document holds at that moment.

import { CONTAINERS, kindNamed, STEPS } from "./kinds";
import type { Outcome } from "../src/model/change";
import * as commands from "../src/model/commands";
import type { Slot } from "../src/model/commands";
import type { Obj } from "../src/model/json";
import type { JumpKind } from "../src/model/references";
import { CONTAINER, listOf, STEP, treeOf } from "../src/model/tree";

export interface Command {
  name: string;
  a: number;
  b: number;
  c: number;
  id: string;
  text: string;
}

const TEMPLATE: Obj = { node_type: STEP, properties: { action: "Charge card" } };

export function applied(document: Obj, command: Command): Outcome {
  const tree = treeOf(document);
  const keys = tree.places.map((place) => place.key);
  const key = keys.length ? keys[command.a % keys.length]! : "none";
  const other = keys.length ? keys[command.b % keys.length]! : "none";
  const slot = slotOf(document, command);
  const box: Obj = { node_type: CONTAINER, container_type: ["and", "or", "parallel", "loop"][command.c % 4]! };
  switch (command.name) {
    case "insert": return commands.insert(document, slot, command.b % 3 ? TEMPLATE : { ...box, children: [] });
    case "remove": return commands.remove(document, [key, other].slice(command.c % 2));
    case "move": return commands.move(document, [key, other].slice(command.b % 2), slot);
    case "moveBy": return commands.moveBy(document, [key], command.b % 2 ? 1 : -1);
    case "duplicate": return commands.duplicate(document, [key, other].slice(command.c % 2));
    case "paste": return commands.paste(document, slot, commands.copyOf(document, [key, other]));
    case "rename": return commands.rename(document, key, command.id || "fresh");
    case "setField": return commands.setField(document, key, ["action"], command.text);
    case "setJump": return commands.setJump(document, key, (["error", "timeout", "yes", "no"] as JumpKind[])[command.c % 4]!, command.b % 3 ? command.id || null : null);
    case "wrap": return commands.wrap(document, [key], box);
    case "unwrap": return commands.unwrap(document, key);
    case "disable": return commands.toggleDisabled(document, [key, other]);
    case "changeKind": return changedKind(document, key, command.c);
    default: return commands.setFlowField(document, ["on_failure"], command.b % 2 ? "keep" : undefined);
  }
}

function changedKind(document: Obj, key: string, number: number): Outcome {
  const place = treeOf(document).byKey.get(key);
  const kinds = place?.isContainer ? CONTAINERS : STEPS;
  return commands.changeKind(document, key, kinds[number % kinds.length]!.name, kindNamed);
}

function slotOf(document: Obj, { b, c }: Command): Slot {
  const tree = treeOf(document);
  const place = tree.places.length ? tree.places[b % tree.places.length]! : null;
  if (place && c % 5 === 0) return { mode: "beside", key: place.key, side: c % 2 ? "left" : "right" };
  if (place && c % 5 === 1) return { mode: "after", key: place.key };
  const parent = place?.isContainer ? place : (place?.parent ?? null);
  return { mode: "in", parent: parent?.key ?? null, index: c % (listOf(document, parent).length + 1) };
}
