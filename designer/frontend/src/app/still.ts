// A session to look at: nothing of it is ever saved.

import type { Obj } from "../model/json";
import { Session, type Marks, type WayMarks } from "./session";
import type { Catalogue, Start } from "./start";

export interface Still extends Pick<Start, "words" | "icons" | "language"> {
  readonly title: string;
  readonly content: Obj;
  readonly catalogue: Catalogue;
}

export function stillSession(data: Still, marks?: Marks, wayMarks?: WayMarks): Session {
  const nothing = { draft: "", check: "", samples: "", preview: "", editing: "", publish: "", version: "", compare: "", page: "", run: "", export: "", sign_in: "", if_it_fails: "" };
  const state = { title: data.title, revision: 0, text: "", content: data.content, findings: [], changed_by: "", changed_at: null, enabled: true, versions: [] };
  return new Session({ ...data, path: "", urls: nothing, can: { change: false, publish: false, run: false }, state, published_ids: [] }, marks, wayMarks);
}
