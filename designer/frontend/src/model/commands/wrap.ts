// A container around steps, and away again.

import { changed, refused, said, type Outcome } from "../change";
import { freshId, takenIds } from "../ids";
import { getAt, setAt, type Obj } from "../json";
import { jumpsOf } from "../references";
import { isBeside, listOf, nameOf, siblings, treeOf, withList, withNode } from "../tree";
import { container, outermost } from "./places";
import { retargeted, withoutRulesFor, withRulesFor } from "./rules";

/** `template` is the container from the catalogue, without id and children. */
export function wrap(document: Obj, keys: readonly string[], template: Obj): Outcome {
  const tree = treeOf(document);
  if (tree.isRuntime) return refused("runtime_is_read_only");
  const chosen = outermost(tree, keys);
  const first = chosen[0];
  if (!first) return refused("nothing_selected");
  const row = siblings(tree, first);
  const from = row.indexOf(first);
  if (chosen.some((place, at) => row[from + at] !== place)) return refused("wrap_needs_neighbours");
  const type = String(template.container_type ?? "and");
  const id = freshId(idFor(type), takenIds(tree));
  const nodes = chosen.map((place) => place.node);
  const ids = chosen.map((place) => place.id);
  const around = withRulesFor({ ...container(type, id, nodes), ...template, id, children: nodes }, ids);
  const list = listOf(document, first.parent);
  const last = chosen[chosen.length - 1]!;
  let made = withList(document, first.parent, [...list.slice(0, first.index), around, ...list.slice(last.index + 1)]);
  const notices = [];
  if (first.parent?.kind === "or") {
    const parent = getAt(made, first.parent.path) as Obj;
    const freed = withoutRulesFor(retargeted(parent, first.id, id), new Set(ids.slice(1)));
    notices.push(...freed.notices);
    made = withNode(made, first.parent, freed.node);
  }
  return changed(document, said("wrap_steps", { n: chosen.length }), { document: made, select: [id], notices });
}

function idFor(type: string): string {
  return { and: "steps_in_order", or: "choice", parallel: "side_by_side", loop: "repeat" }[type] ?? type;
}

/** A container's children in its place. Jumps to it lead to its first child; what it declared is reported as lost. */
export function unwrap(document: Obj, key: string): Outcome {
  const tree = treeOf(document);
  const place = tree.byKey.get(key);
  if (!place?.isContainer) return refused("only_containers_unwrap");
  if (tree.isRuntime) return refused("runtime_is_read_only");
  const nodes = listOf(document, place);
  if (place.parent && isBeside(place.parent) && nodes.length > 1) return refused("unwrap_would_split_branch");
  const list = listOf(document, place.parent);
  let made = withList(document, place.parent, [...list.slice(0, place.index), ...nodes, ...list.slice(place.index + 1)]);
  const first = place.children[0];
  if (place.id && first?.id) made = retargetJumps(made, place.id, first.id);
  const lost = Object.keys(place.node).filter((name) => !["id", "node_type", "container_type", "children"].includes(name));
  const notices = lost.length ? [said("container_settings_lost", { name: nameOf(place), fields: lost.join(", ") })] : [];
  return changed(document, said("unwrap_container", { name: nameOf(place) }), { document: made, select: place.children.map((child) => child.id), notices });
}

function retargetJumps(document: Obj, from: string, to: string): Obj {
  let made = document;
  for (const place of treeOf(document).places) {
    for (const jump of jumpsOf(place.node)) {
      if (jump.target === from) made = setAt(made, [...place.path, ...jump.path], to) as Obj;
    }
  }
  return made;
}
