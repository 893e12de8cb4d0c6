// Jumps run in lanes in the gutter right of the innermost container that holds both ends; jumps that overlap get lanes of their own.

import { jumpsOf, type Jump, type JumpKind } from "./references";
import { ancestors, END, type Place, type Tree } from "./tree";
import { LANE, type Box } from "./layout";

export interface JumpPath {
  readonly id: string;
  readonly kind: Exclude<JumpKind, "rule" | "default">;
  readonly from: string;
  /** The key it leads to; null for the end of the flow. */
  readonly to: string | null;
  readonly path: string;
  readonly label: { x: number; y: number };
  readonly head: { x: number; y: number };
}

interface Run {
  readonly id: string;
  readonly kind: JumpPath["kind"];
  readonly from: Place;
  readonly to: Place | null;
  readonly around: Place | null;
  readonly first: number;
  readonly last: number;
  lane: number;
}

/** Jumps that an older version had and this one has not, by the keys of the steps they left; drawn too when versions are compared. */
export type GoneWays = ReadonlyMap<string, readonly Jump[]>;

const NONE_GONE: GoneWays = new Map();

export interface Lanes {
  readonly runs: readonly Run[];
  gutterOf(place: Place | null): number;
}

/** Which lane each jump runs in. Known before anything has a size: only the order of the steps counts. */
export function lanesOf(tree: Tree, isOpen: (place: Place) => boolean, gone: GoneWays = NONE_GONE): Lanes {
  const order = new Map(tree.places.map((place, at) => [place, at]));
  const runs = tree.places.flatMap((place) => [
    ...runsOf(place, jumpsOf(place.node), "", tree, order, isOpen),
    ...runsOf(place, gone.get(place.key) ?? [], ":gone", tree, order, isOpen),
  ]);
  const counts = new Map<Place | null, number>();
  const byContainer = new Map<Place | null, Run[]>();
  for (const run of runs) byContainer.set(run.around, [...(byContainer.get(run.around) ?? []), run]);
  for (const [around, inside] of byContainer) counts.set(around, assign(inside));
  return { runs, gutterOf: (place) => (counts.has(place) ? counts.get(place)! * LANE + 18 : 0) };
}

function runsOf(place: Place, jumps: readonly Jump[], mark: string, tree: Tree, order: ReadonlyMap<Place, number>, isOpen: (place: Place) => boolean): Run[] {
  const from = visible(place, isOpen);
  const found: Run[] = [];
  for (const jump of jumps) {
    if (jump.kind === "rule" || jump.kind === "default") continue;
    const target = jump.target === END ? null : tree.byId.get(jump.target);
    if (target === undefined) continue;
    const to = target && visible(target, isOpen);
    if (to === from) continue;
    const ends = [order.get(from)!, to ? order.get(to)! : tree.places.length];
    const around = to ? commonOf(from, to) : null;
    found.push({ id: `${place.key}:${jump.kind}${mark}`, kind: jump.kind, from, to, around, first: Math.min(...ends), last: Math.max(...ends), lane: 0 });
  }
  return found;
}

/** The place itself, or the collapsed container it is hidden in. */
function visible(place: Place, isOpen: (place: Place) => boolean): Place {
  const closed = ancestors(place).filter((around) => !isOpen(around));
  return closed[closed.length - 1] ?? place;
}

function commonOf(a: Place, b: Place): Place | null {
  const around = new Set(ancestors(a));
  return ancestors(b).find((each) => around.has(each)) ?? null;
}

/** Short jumps run inside, long ones outside. Answers how many lanes there are. */
function assign(runs: Run[]): number {
  const lanes: Run[][] = [];
  for (const run of [...runs].sort((a, b) => a.last - a.first - (b.last - b.first))) {
    let lane = lanes.findIndex((taken) => taken.every((other) => run.last < other.first || run.first > other.last));
    if (lane < 0) lane = lanes.push([]) - 1;
    lanes[lane]!.push(run);
    run.lane = lane;
  }
  return lanes.length;
}

const ROUND = 7;

export function jumpPaths(lanes: Lanes, boxes: ReadonlyMap<string, Box>, flow: { rootRight: number; end: { x: number; y: number } }): JumpPath[] {
  const leaving = new Map<Place, number>();
  const arriving = new Map<Place | null, number>();
  return lanes.runs.flatMap((run) => {
    const from = boxes.get(run.from.key);
    const to = run.to && boxes.get(run.to.key);
    if (!from || (run.to && !to)) return [];
    const around = run.around && boxes.get(run.around.key);
    const start = around ? around.x + around.width - lanes.gutterOf(run.around) : flow.rootRight;
    const lane = start + 8 + run.lane * LANE;
    const out = step(leaving, run.from);
    const into = step(arriving, run.to);
    const y1 = from.y + 18 + Math.min(out * 18, 36);
    const x1 = from.x + from.width;
    const [x2, y2] = to ? [to.x + to.width, to.y + 14 + Math.min(into * 9, 27)] : [flow.end.x + 26, flow.end.y];
    return [{ id: run.id, kind: run.kind, from: run.from.key, to: run.to?.key ?? null, path: route(x1, y1, lane, x2, y2), label: { x: x1 + 6, y: y1 }, head: { x: x2, y: y2 } }];
  });
}

function step(seen: Map<Place | null, number> | Map<Place, number>, place: Place | null): number {
  const counts = seen as Map<Place | null, number>;
  const count = counts.get(place) ?? 0;
  counts.set(place, count + 1);
  return count;
}

function route(x1: number, y1: number, lane: number, x2: number, y2: number): string {
  const down = y2 > y1 ? 1 : -1;
  const r = Math.min(ROUND, Math.abs(y2 - y1) / 2);
  return `M ${x1} ${y1} H ${lane - r} Q ${lane} ${y1} ${lane} ${y1 + down * r} V ${y2 - down * r} Q ${lane} ${y2} ${lane - r} ${y2} H ${x2 + 5}`;
}
