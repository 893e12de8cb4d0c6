// The line of a step that waits, second by second. Screen readers have the moment in the step's name and hear nothing tick.

import { useSyncExternalStore } from "react";
import { dueWords } from "../app/due";
import type { Mark } from "../app/session";
import { useSession } from "./hooks";

const SECOND = 1000;
const listeners = new Set<() => void>();
let ticking: number | undefined;

/** Ticks while somebody listens and the page can be seen. */
function run(): void {
  const isWanted = listeners.size > 0 && document.visibilityState === "visible";
  if (isWanted === (ticking !== undefined)) return;
  window.clearInterval(ticking);
  ticking = isWanted ? window.setInterval(tell, SECOND) : undefined;
}

function tell(): void {
  for (const listener of listeners) listener();
}

document.addEventListener("visibilitychange", () => {
  run();
  if (document.visibilityState === "visible") tell();
});

function listen(listener: () => void): () => void {
  listeners.add(listener);
  run();
  return () => {
    listeners.delete(listener);
    run();
  };
}

export function Due({ mark }: { mark: Mark }): React.JSX.Element {
  const ahead = useSession((state) => state.shown?.ahead ?? 0);
  const words = useSyncExternalStore(listen, () => dueWords(mark, Date.now() + ahead));
  return <span className="step-under step-due" aria-hidden="true" title={words}>{words}</span>;
}
