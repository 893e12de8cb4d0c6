// Who else has this draft open to change it: the page says every few seconds that it is there, and when it goes.

import type { Saving } from "./saving";
import type { Session } from "./session";

const PULSE_MS = 15_000;

/** Begin to say so; answers what ends it. */
export function pulse(session: Session, saving: Saving): () => void {
  if (!session.canChange) return () => undefined;
  let isOver = false;
  const beat = async (): Promise<void> => {
    const others = await saving.here(true);
    const known = session.state.others;
    if (!isOver && others && others.join("\n") !== known.join("\n")) session.update({ others });
  };
  const begin = (): void => void beat();
  const leave = (): void => void saving.here(false);
  const timer = setInterval(begin, PULSE_MS);
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", begin);
  begin();
  return () => {
    isOver = true;
    clearInterval(timer);
    window.removeEventListener("pagehide", leave);
    window.removeEventListener("pageshow", begin);
  };
}
