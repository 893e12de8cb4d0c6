// Plain JSON values. A document is never changed in place: every edit makes new values along one path and shares the rest.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Obj = { [key: string]: Json };
export type Path = readonly (string | number)[];

export function isObj(value: unknown): value is Obj {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A member of an object that is its own; names such as `constructor` are names like any other. */
export function get(value: Json | undefined, key: string | number): Json | undefined {
  if (Array.isArray(value)) return typeof key === "number" ? value[key] : undefined;
  if (!isObj(value) || !Object.hasOwn(value, key)) return undefined;
  return value[key];
}

export function getAt(value: Json | undefined, path: Path): Json | undefined {
  let found = value;
  for (const part of path) {
    found = get(found, part);
    if (found === undefined) return undefined;
  }
  return found;
}

/** `value` with `next` at `path`; `undefined` takes the member away. Objects that are missing on the way are made. */
export function setAt(value: Json | undefined, path: Path, next: Json | undefined): Json {
  if (path.length === 0) return next === undefined ? null : next;
  const [head, ...rest] = path as [string | number, ...(string | number)[]];
  if (typeof head === "number") return setItem(Array.isArray(value) ? value : [], head, rest, next);
  const members = isObj(value) ? value : {};
  if (rest.length === 0 && next === undefined) return without(members, head);
  const inner = rest.length === 0 ? (next as Json) : setAt(get(members, head), rest, next);
  return withMember(members, head, inner);
}

function setItem(items: Json[], at: number, rest: Path, next: Json | undefined): Json[] {
  const copy = items.slice();
  if (rest.length === 0 && next === undefined) copy.splice(at, 1);
  else copy[at] = rest.length === 0 ? (next as Json) : setAt(copy[at], rest, next);
  return copy;
}

/** Members as given, `__proto__` included: an assignment would set the prototype instead. */
export function fromPairs(pairs: Iterable<readonly [string, Json]>): Obj {
  return Object.fromEntries(pairs) as Obj;
}

export function withMember(members: Obj, key: string, value: Json): Obj {
  return { ...members, ...fromPairs([[key, value]]) };
}

export function without(members: Obj, key: string): Obj {
  return fromPairs(Object.entries(members).filter(([name]) => name !== key));
}

export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((each, at) => equal(each, b[at]));
  if (!isObj(a) || !isObj(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]));
}
