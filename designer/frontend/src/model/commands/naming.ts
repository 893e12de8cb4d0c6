// An id that the designer made from a step's name follows the name: as long as nothing refers to it, or no published version has it.

import { refused, type Outcome, said } from "../change";
import { freshId, isMadeFrom, slug, takenIds } from "../ids";
import { jumpsOf, readsOf } from "../references";
import { actionOf, nameOf, treeOf, workflowData, type Tree } from "../tree";
import { rename } from "./fields";

/** The step's id made anew from the name it has now, references along; `before` is the name it had when somebody began to type. */
export function followName(document: Parameters<typeof rename>[0], key: string, before: string, published: ReadonlySet<string>): Outcome {
  const tree = treeOf(document);
  const place = tree.byKey.get(key);
  if (!place) return refused("place_is_gone");
  const action = actionOf(place.node);
  const wanted = slug(action);
  if (!wanted || !isMadeFrom(place.id, before) || isMadeFrom(place.id, action)) return refused("unchanged");
  if (published.has(place.id) && namedIds(tree).has(place.id)) return refused("unchanged");
  const taken = new Set([...takenIds(tree), ...namedIds(tree)]); // what leads nowhere must not come to lead here
  taken.delete(place.id);
  const outcome = rename(document, key, freshId(wanted, taken));
  if (!outcome.ok) return outcome;
  // one entry of the history with the typing before it; what was wrong with the step before is no news under its new key
  return { ...outcome, troubles: [], label: said("change_field", { name: nameOf(place), field: "action" }), burst: `${key}:action`, completes: true };
}

/** The ids to which jumps lead and which expressions name, those of the flow itself included. */
function namedIds(tree: Tree): Set<string> {
  const { nodes: _nodes, ...flow } = workflowData(tree.document);
  const found = new Set(readsOf(flow));
  for (const place of tree.places) {
    for (const id of readsOf(place.node)) found.add(id);
    for (const jump of jumpsOf(place.node)) found.add(jump.target);
  }
  return found;
}
