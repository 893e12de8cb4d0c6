// What a command must not do in silence: two nodes with one id, a jump or an expression that leads nowhere, a jump across branches.

import { graphOf, hiddenIds, jumpsOf, readsOf } from "./references";
import { END, type Place, type Tree } from "./tree";

export type Trouble =
  | { readonly code: "duplicate"; readonly key: string; readonly id: string }
  | { readonly code: "dangling"; readonly key: string; readonly field: string; readonly target: string }
  | { readonly code: "unknown-read"; readonly key: string; readonly target: string }
  | { readonly code: "crossing"; readonly key: string; readonly field: string; readonly target: string };

const known = new WeakMap<Tree, readonly Trouble[]>();

/** Every trouble of a document, in document order; worked out once. */
export function troublesOf(tree: Tree): readonly Trouble[] {
  const found = known.get(tree) ?? findTroubles(tree);
  known.set(tree, found);
  return found;
}

function findTroubles(tree: Tree): Trouble[] {
  const found: Trouble[] = [];
  for (const place of tree.places) {
    if (place.id && tree.byId.get(place.id) !== place) found.push({ code: "duplicate", key: place.key, id: place.id });
    for (const jump of jumpsOf(place.node)) {
      if (jump.target === END) continue;
      const target = tree.byId.get(jump.target);
      const field = jump.path.join(".");
      if (!target) found.push({ code: "dangling", key: place.key, field, target: jump.target });
      else if (crosses(place, target, jump.kind)) found.push({ code: "crossing", key: place.key, field, target: jump.target });
    }
    const own = hiddenIds(place.node);
    for (const id of readsOf(place.node)) if (!tree.byId.has(id) && !own.includes(id)) found.push({ code: "unknown-read", key: place.key, target: id });
  }
  return found;
}

/** A jump stays in its graph: a parallel branch is a graph of its own. Rules lead to children and are none of these. */
export function crosses(from: Place, to: Place, kind: string): boolean {
  if (kind === "rule" || kind === "default") return to.parent !== from;
  return graphOf(from) !== graphOf(to);
}

/** What `after` has and `before` had not. */
export function newTroubles(before: Tree, after: Tree): Trouble[] {
  const old = new Set(troublesOf(before).map(signature));
  return troublesOf(after).filter((each) => !old.has(signature(each)));
}

function signature(trouble: Trouble): string {
  return JSON.stringify(trouble);
}
