// The kinds that a step or container can be changed to, and what the catalogue says of each.

import type { Kind } from "../model/commands";
import { get, isObj, type Json, type Obj } from "../model/json";
import { ASIDE } from "../model/references";
import { setting, type Place } from "../model/tree";
import type { Catalogue, Field } from "./start";

/** Containers that hold steps of any kind, so that one can become another. */
export const AROUND_ANY: readonly string[] = ["and", "or", "parallel", "loop"];

/** Whether a form offers it where it is not set; others the format knows, and they mean nothing to this kind. */
export function isOffered(field: Field): boolean {
  return !Object.values(field.only ?? {}).some((values) => values.length === 0);
}

/** Whether a value of it means nothing beside the others of its form: it is kept for when they change. */
export function isResting(field: Field, members: Obj): boolean {
  return field.rests === true && Object.hasOwn(members, field.name) && !isAsked(field, members);
}

/** Whether the other members are such that this one is asked for. */
export function isAsked(field: Field, members: Obj): boolean {
  return Object.entries(field.only ?? {}).every(([name, wanted]) => {
    const other = get(members, name);
    const said = other === undefined || other === null ? "" : String(other);
    return wanted.some((each) => (each.endsWith("*") ? said.startsWith(each.slice(0, -1)) : each === said));
  });
}

export function kindNamed(name: string, catalogue: Catalogue): Kind {
  const found = Object.hasOwn(catalogue.kinds.by_name, name) ? catalogue.kinds.by_name[name] : undefined;
  const fields = found?.fields ?? [];
  const named = fields.flatMap((field) => [field.name, ...(field.covers ?? [])].map((each) => [each, field] as const));
  return {
    name,
    word: found?.word ?? name,
    settings: new Map(named.map(([each, field]) => [each, field.word])),
    offers: new Set(named.filter(([, field]) => isOffered(field)).map(([each]) => each)),
    template: catalogue.kinds.palette.find((entry) => entry.kind === name)?.template ?? {},
  };
}

/** Names of kinds, its own among them: those of the palette, and those that it has been. */
export function kindsFor(place: Place, catalogue: Catalogue): string[] {
  const { palette, by_name } = catalogue.kinds;
  const all = palette.map((entry) => entry.kind).filter((name) => (place.isContainer ? AROUND_ANY.includes(name) : by_name[name]?.is_container === false));
  const been = Object.keys(asideOf(place.node)).filter((name) => Object.hasOwn(by_name, name));
  return [...new Set([...all, place.kind, ...been])];
}

/** What a node said as other kinds, by kind; nothing where it is written in another way. */
export function asideOf(node: Obj): Readonly<Record<string, Obj>> {
  const found: Json | undefined = setting(node, ASIDE);
  return isObj(found) && Object.values(found).every(isObj) ? (found as Record<string, Obj>) : {};
}
