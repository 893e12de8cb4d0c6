// The document as text. What the canvas did not touch keeps its comments, quotes and layout; see docs/decisions/0010.

import { Document, isMap, isScalar, isSeq, parseDocument, Scalar, stringify, type Node, type Pair, type YAMLMap, type YAMLSeq } from "yaml";
import { equal, get, isObj, isText, type Json, type Obj } from "./json";

const OPTIONS = { lineWidth: 0, version: "1.2" } as const;

/** `content` as text, starting from `text`, which says `before`. The same content gives the same text, byte by byte. */
export function written(text: string, before: Obj, content: Obj): string {
  if (equal(before, content)) return text;
  if (text.trimStart().startsWith("{")) return `${JSON.stringify(content, null, 2)}\n`;
  const parsed = parseDocument(text, { ...OPTIONS, keepSourceTokens: false });
  if (parsed.errors.length || !isMap(parsed.contents) || /(^|\s)[&*][A-Za-z0-9]/m.test(text)) return fresh(content);
  updateMap(parsed as Document, parsed.contents as YAMLMap, before, content);
  return parsed.toString(OPTIONS);
}

export function fresh(content: Json): string {
  return stringify(content, OPTIONS);
}

function updateMap(document: Document, map: YAMLMap, before: Obj, after: Obj): void {
  const order = Object.keys(after);
  map.items = map.items.filter((pair) => Object.hasOwn(after, nameOf(pair)));
  for (const [name, value] of Object.entries(after)) {
    const pair = map.items.find((each) => nameOf(each) === name);
    if (pair) pair.value = updated(document, pair.value as Node | null, get(before, name), value);
    else map.items.push(document.createPair(name, value) as Pair);
  }
  map.items.sort((a, b) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)));
}

function nameOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.source ?? pair.key.value) : String(pair.key);
}

/** The node that says `after` where `node` says `before`; the same node wherever that is possible. */
function updated(document: Document, node: Node | null, before: Json | undefined, after: Json): Node | null {
  if (equal(before, after) && node) return node;
  if (isMap(node) && isObj(before) && isObj(after)) {
    updateMap(document, node as YAMLMap, before, after);
    return node;
  }
  if (isSeq(node) && Array.isArray(before) && Array.isArray(after)) {
    updateList(document, node as YAMLSeq, before, after);
    return node;
  }
  const made = document.createNode(after) as Node;
  if (isScalar(node) && isScalar(made)) {
    made.comment = node.comment;
    made.commentBefore = node.commentBefore;
    if (isText(after) && isText(before)) made.type = fits(node, after) ? node.type : undefined;
  }
  return made;
}

/** A quoted text stays quoted and a block stays a block. */
function fits(node: Scalar, text: string): boolean {
  if (node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE) return true;
  return (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED) && text.includes("\n");
}

/** Items go with their values: what moved keeps its comments. Steps are known by their ids, all else by what it says. */
function updateList(document: Document, list: YAMLSeq, before: readonly Json[], after: readonly Json[]): void {
  const old = list.items as (Node | null)[];
  const free = new Set(before.keys());
  const take = (fits: (value: Json) => boolean): number => {
    for (const at of free) if (fits(before[at]!)) return free.delete(at), at;
    return -1;
  };
  const sources = after.map((value) => take((each) => each === value));
  after.forEach((value, at) => {
    if (sources[at] === -1) sources[at] = take((each) => sameStep(each, value) || equal(each, value));
  });
  if (before.length === after.length) {
    after.forEach((value, at) => {
      if (sources[at] === -1 && free.has(at) && isObj(before[at]) === isObj(value)) free.delete(at), (sources[at] = at);
    });
  }
  list.items = after.map((value, at) => {
    const from = sources[at]!;
    return from === -1 ? (document.createNode(value) as Node) : updated(document, old[from] ?? null, before[from], value);
  });
}

function sameStep(a: Json, b: Json): boolean {
  const id = get(a, "id");
  return isText(id) && id !== "" && id === get(b, "id");
}
