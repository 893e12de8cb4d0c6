// How views read the session: each takes the part it shows and is drawn again only when that part changes.

import { createContext, useContext, useSyncExternalStore } from "react";
import type { Saving } from "../app/saving";
import type { Session, State } from "../app/session";

export interface App {
  readonly session: Session;
  readonly saving: Saving;
  /** Ask for a step to be put somewhere: opens the list of kinds at that place. */
  readonly openInsert: (request: InsertRequest | null) => void;
}

export interface InsertRequest {
  readonly slot: import("../model/commands").Slot;
  readonly x: number;
  readonly y: number;
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  return useContext(AppContext)!;
}

export function useSession<Part>(part: (state: State) => Part): Part {
  const { session } = useApp();
  return useSyncExternalStore(session.subscribe, () => part(session.state));
}
