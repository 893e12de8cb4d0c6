// How views read the session: each takes the part it shows and is drawn again only when that part changes.

import { createContext, useContext, useEffect, useState, useSyncExternalStore } from "react";
import type { Samples } from "../app/samples";
import type { Saving } from "../app/saving";
import type { Session, State } from "../app/session";

export interface App {
  readonly session: Session;
  readonly saving: Saving;
  /** Ask for a step to be put somewhere: opens the list of kinds at that place. */
  readonly openInsert: (request: InsertRequest | null) => void;
  /** Ask for another turn or branch of a container, in the diagram of a run. */
  readonly choose?: (container: string, number: number) => void;
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

/** Values of the last run, once they are wanted and here. */
export function useSamples(isWanted: boolean): Samples | null {
  const { saving } = useApp();
  const [samples, setSamples] = useState<Samples | null>(null);
  useEffect(() => {
    if (!isWanted) return;
    let isCurrent = true;
    void saving.samples.get().then((found) => isCurrent && setSamples(found));
    return () => {
      isCurrent = false;
    };
  }, [isWanted, saving]);
  return samples;
}
