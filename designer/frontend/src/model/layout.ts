// Where everything stands. Order in the list is the meaning: sequences go downwards, branches and alternatives side by side in list order.
// Two passes over the tree: sizes from the leaves up, positions from the root down. Jumps run in lanes at the right of what they cross.
// What a container holds knows its container, so that a view can move all of it at once.

import { jumpPaths, lanesOf, type GoneWays, type JumpPath } from "./lanes";
import { isBeside, type Place, type Tree } from "./tree";
import type { Slot } from "./commands/places";

export const CARD_WIDTH = 256;
export const CARD_HEIGHT = 60;
export const CHIP_ROW = 25;
export const HEAD = 38;
export const GAP = 40;
const PAD = 20;
const EDGE_GAP = 30;
const COLUMN_GAP = 40;
const FAN = 38;
const RULE = 28;
const EMPTY = { width: 216, height: 76 };
const LOOP_LANE = 18;
export const CHOICE_ROW = 34;
export const LANE = 14;
const MARGIN = 24;

export interface Box {
  readonly place: Place;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** A container that is drawn with what it holds. */
  readonly isOpen: boolean;
}

export interface SlotBox {
  readonly id: string;
  /** The key of the container in whose frame it lies; null for the flow itself. */
  readonly around: string | null;
  readonly slot: Slot;
  /** The middle. */
  readonly x: number;
  readonly y: number;
  readonly look: "line" | "column" | "edge" | "empty";
}

export interface Wire {
  readonly id: string;
  readonly around: string | null;
  /** Counted from `x` and `y`, the corner of the container. */
  readonly path: string;
  readonly x: number;
  readonly y: number;
  readonly hasArrow: boolean;
  /** Where it can say how often it was gone along, counted as `path` is. */
  readonly label: { readonly x: number; readonly y: number };
}

/** The words under which an alternative is taken, above its column. */
export interface RuleBox {
  readonly place: Place;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface Layout {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly slots: readonly SlotBox[];
  readonly wires: readonly Wire[];
  readonly rules: readonly RuleBox[];
  readonly jumps: readonly JumpPath[];
  readonly start: { x: number; y: number };
  readonly end: { x: number; y: number };
  readonly width: number;
  readonly height: number;
}

export interface Options {
  readonly collapsed: ReadonlySet<string>;
  /** How many rows of chips a step shows. */
  readonly rows: (place: Place) => number;
  /** Ids of containers with room below their head for what can be chosen there; empty for the flow, which has it above its start. */
  readonly choices?: ReadonlySet<string>;
  readonly gone?: GoneWays;
}

interface Size {
  /** How far it reaches left and right of its middle line. */
  readonly left: number;
  readonly right: number;
  readonly height: number;
  readonly gutter: number;
}

export function layoutOf(tree: Tree, options: Options): Layout {
  const isOpen = (place: Place): boolean => place.isContainer && !options.collapsed.has(place.key);
  const lanes = lanesOf(tree, isOpen, options.gone);
  const sizes = new Map<Place, Size>();
  const head = (place: Place): number => HEAD + (options.choices?.has(place.id) ? CHOICE_ROW : 0);
  measureAll(tree, options, isOpen, (place) => lanes.gutterOf(place), head, sizes);
  const rootGutter = lanes.gutterOf(null);
  const left = Math.max(CARD_WIDTH / 2, ...tree.roots.map((place) => sizes.get(place)!.left)) + MARGIN;
  const draw = new Drawing(sizes, isOpen, head);
  const startY = MARGIN + 14 + (options.choices?.has("") ? CHOICE_ROW : 0);
  const bottom = draw.column(tree.roots, null, left, startY + 14, GAP);
  const right = Math.max(CARD_WIDTH / 2, ...tree.roots.map((place) => sizes.get(place)!.right));
  const jumps = jumpPaths(lanes, draw.boxes, { rootRight: left + right + 10, end: { x: left, y: bottom + 14 } });
  return {
    boxes: draw.boxes,
    slots: draw.slots,
    wires: draw.wires,
    rules: draw.rules,
    jumps,
    start: { x: left, y: startY },
    end: { x: left, y: bottom + 14 },
    width: left + right + rootGutter + MARGIN,
    height: bottom + 28 + MARGIN,
  };
}

function measureAll(tree: Tree, options: Options, isOpen: (place: Place) => boolean, gutterOf: (place: Place) => number, head: (place: Place) => number, sizes: Map<Place, Size>): void {
  for (const place of [...tree.places].reverse()) {
    sizes.set(place, isOpen(place) ? measureContainer(place, gutterOf(place), head(place), sizes) : card(options.rows(place)));
  }
}

function card(rows: number): Size {
  return { left: CARD_WIDTH / 2, right: CARD_WIDTH / 2, height: CARD_HEIGHT + rows * CHIP_ROW, gutter: 0 };
}

function measureContainer(place: Place, gutter: number, head: number, sizes: Map<Place, Size>): Size {
  const children = place.children.map((child) => sizes.get(child)!);
  const least = CARD_WIDTH / 2 + PAD;
  if (children.length === 0) return { left: least, right: least + gutter, height: head + EMPTY.height + PAD, gutter };
  if (!isBeside(place)) {
    const loop = place.kind === "loop" ? LOOP_LANE : 0;
    const left = Math.max(...children.map((size) => size.left)) + PAD + loop;
    const right = Math.max(...children.map((size) => size.right)) + PAD + gutter;
    const height = head + EDGE_GAP + sum(children.map((size) => size.height)) + GAP * (children.length - 1) + EDGE_GAP + 8;
    return { left: Math.max(least, left), right: Math.max(least + gutter, right), height, gutter };
  }
  const width = sum(children.map((size) => size.left + size.right)) + COLUMN_GAP * (children.length - 1);
  const tallest = Math.max(...children.map((size, at) => size.height + tail(place.children[at]!)));
  const height = head + fanOf(place) + tallest + FAN;
  return { left: Math.max(least, width / 2 + PAD), right: Math.max(least, width / 2 + PAD + COLUMN_GAP) + gutter, height, gutter };
}

/** Room below a branch's only step for what may follow it. */
function tail(place: Place): number {
  return place.isContainer ? 0 : 26;
}

function fanOf(place: Place): number {
  return FAN + (place.kind === "or" ? RULE : 0);
}

function sum(values: number[]): number {
  return values.reduce((total, each) => total + each, 0);
}

class Drawing {
  readonly boxes = new Map<string, Box>();
  readonly slots: SlotBox[] = [];
  readonly wires: Wire[] = [];
  readonly rules: RuleBox[] = [];
  private around: { readonly key: string | null; readonly x: number; readonly y: number } = { key: null, x: 0, y: 0 };

  constructor(
    private readonly sizes: Map<Place, Size>,
    private readonly isOpen: (place: Place) => boolean,
    private readonly head: (place: Place) => number,
  ) {}

  /** Steps below each other from `y` on, `x` being their middle line; answers where the last wire ends. */
  column(places: Place[], parent: Place | null, x: number, y: number, gap: number): number {
    const key = parent?.key ?? null;
    if (places.length === 0) {
      this.line(`${key ?? ""}:empty`, x, y, x, y + gap);
      this.slot(key, 0, x, y + gap / 2, "line");
      return y + gap;
    }
    places.forEach((place, at) => {
      const before = at === 0 ? gap : GAP;
      this.line(`${place.key}:in`, x, y, x, y + before);
      this.slot(key, place.index, x, y + before / 2, "line");
      y = this.put(place, x, y + before);
    });
    this.line(`${key ?? ""}:out`, x, y, x, y + gap, parent === null);
    this.slot(key, places[places.length - 1]!.index + 1, x, y + gap / 2, "line");
    return y + gap;
  }

  private put(place: Place, x: number, y: number): number {
    const size = this.sizes.get(place)!;
    const isOpen = this.isOpen(place);
    this.boxes.set(place.key, { place, x: x - size.left, y, width: size.left + size.right, height: size.height, isOpen });
    if (isOpen) {
      const outside = this.around;
      this.around = { key: place.key, x: x - size.left, y };
      this.inside(place, size, x, y);
      this.around = outside;
    }
    return y + size.height;
  }

  private inside(place: Place, size: Size, x: number, y: number): void {
    const top = y + this.head(place);
    if (place.children.length === 0) {
      this.slot(place.key, 0, x, top + EMPTY.height / 2, "empty");
    } else if (isBeside(place)) {
      this.columns(place, size, x, top, y + size.height);
    } else {
      this.column(place.children, place, x, top, EDGE_GAP);
      if (place.kind === "loop") this.back(place, x, top + 6, y + size.height - 10, x - size.left + 14);
    }
  }

  private columns(place: Place, size: Size, x: number, top: number, bottom: number): void {
    const width = sum(place.children.map((child) => this.sizes.get(child)!.left + this.sizes.get(child)!.right)) + COLUMN_GAP * (place.children.length - 1);
    let from = x - width / 2;
    const bar = top + FAN / 2 - 2;
    const end = bottom - FAN / 2 + 4;
    place.children.forEach((child) => {
      const own = this.sizes.get(child)!;
      const middle = from + own.left;
      const start = top + fanOf(place);
      this.elbow(`${child.key}:fan`, x, top, bar, middle, start - 3, true);
      if (place.kind === "or") this.rules.push({ place: child, x: middle, y: top + FAN - 3, width: Math.min(own.left + own.right, 300) });
      const below = this.put(child, middle, start);
      this.elbow(`${child.key}:join`, middle, below, end, x, bottom, false);
      this.slot(place.key, child.index, from - COLUMN_GAP / 2, start + 26, "column");
      if (!child.isContainer) this.slots.push({ id: `${child.key}:after`, around: place.key, slot: { mode: "after", key: child.key }, x: middle, y: below + 22, look: "line" });
      from += own.left + own.right + COLUMN_GAP;
    });
    const last = place.children[place.children.length - 1]!;
    this.slot(place.key, last.index + 1, x - size.left + (size.left + size.right) - size.gutter - PAD - 4, top + fanOf(place) + 26, "edge");
  }

  private back(place: Place, x: number, top: number, bottom: number, lane: number): void {
    const [from, to, up, down] = [x - this.around.x, lane - this.around.x, top - this.around.y, bottom - this.around.y];
    const path = `M ${from} ${down} H ${to + 8} Q ${to} ${down} ${to} ${down - 8} V ${up + 8} Q ${to} ${up} ${to + 8} ${up} H ${from - 5}`;
    this.wire(`${place.key}:back`, path, true, { x: to, y: (up + down) / 2 });
  }

  private line(id: string, x: number, y: number, toX: number, toY: number, hasArrow = true): void {
    const { x: left, y: top } = this.around;
    this.wire(id, `M ${x - left} ${y - top} L ${toX - left} ${toY - top - (hasArrow ? 3 : 0)}`, hasArrow, { x: x - left, y: (y + toY) / 2 - top });
  }

  private elbow(id: string, x: number, y: number, bar: number, toX: number, toY: number, hasArrow: boolean): void {
    const { x: left, y: top } = this.around;
    const label = hasArrow ? { x: toX - left, y: (bar + toY) / 2 - top } : { x: x - left, y: (y + bar) / 2 - top };
    this.wire(id, elbow(x - left, y - top, bar - top, toX - left, toY - top), hasArrow, label);
  }

  private wire(id: string, path: string, hasArrow: boolean, label: Wire["label"]): void {
    const { key, x, y } = this.around;
    this.wires.push({ id, around: key, path, x, y, hasArrow, label });
  }

  private slot(parent: string | null, index: number, x: number, y: number, look: SlotBox["look"]): void {
    this.slots.push({ id: `${parent ?? ""}/${index}`, around: parent, slot: { mode: "in", parent, index }, x, y, look });
  }
}

/** Down, across at `bar`, down again, with round corners. */
function elbow(x: number, y: number, bar: number, toX: number, toY: number): string {
  if (Math.abs(toX - x) < 1) return `M ${x} ${y} V ${toY}`;
  const r = Math.min(8, Math.abs(toX - x) / 2, Math.max(0, bar - y), Math.max(0, toY - bar));
  const side = toX > x ? 1 : -1;
  return `M ${x} ${y} V ${bar - r} Q ${x} ${bar} ${x + side * r} ${bar} H ${toX - side * r} Q ${toX} ${bar} ${toX} ${bar + r} V ${toY}`;
}
