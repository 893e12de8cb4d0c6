// The same canvas to look at: for versions, runs, and whoever may not edit. A page puts <div data-diagram="ID"> where it goes and
// the data of designer/presenters/diagram.py into a JSON script with that id, or calls mountDiagram itself to keep it up to date.

import { createRoot } from "react-dom/client";
import "@xyflow/react/dist/base.css";
import { Saving } from "./app/saving";
import type { Choice, Marks } from "./app/session";
import { setWords } from "./app/start";
import { stillSession, type Still } from "./app/still";
import "./style/design.css";
import { Canvas } from "./ui/Canvas";
import { AppContext } from "./ui/hooks";

export interface DiagramData extends Still {
  /** By the ids of steps. */
  readonly marks?: Marks;
}

/** A run as designer/presenters/run_diagram.py tells it; `now` is the moment at which it did. */
export interface RunState {
  readonly now: string;
  readonly marks: Marks;
  readonly ways: Readonly<Record<string, number>>;
  readonly choices: Readonly<Record<string, Choice>>;
}

export interface Asks {
  /** A step was chosen. */
  readonly onChoose?: (id: string) => void;
  /** Another turn or branch of a container is wanted. */
  readonly onPick?: (id: string, number: number) => void;
}

export interface Diagram {
  /** How the run stands now. */
  update: (state: RunState) => void;
  /** Bring a step into view and choose it. */
  show: (id: string) => void;
}

export function mountDiagram(element: HTMLElement, data: DiagramData, { onChoose, onPick }: Asks = {}): Diagram {
  setWords(data);
  const session = stillSession(data, data.marks);
  let chosen = "";
  session.subscribe(() => {
    const id = session.selected?.id ?? "";
    if (id !== chosen && id) onChoose?.(id);
    chosen = id;
  });
  createRoot(element).render(
    <AppContext.Provider value={{ session, saving: new Saving(session), openInsert: () => undefined, choose: onPick }}>
      <Canvas />
    </AppContext.Provider>,
  );
  const update = ({ now, marks, ways, choices }: RunState): void => session.update({ marks, shown: { ways, choices, ahead: Date.parse(now) - Date.now() } });
  return { update, show: (id) => session.reveal(id) };
}

for (const element of document.querySelectorAll<HTMLElement>("[data-diagram]")) {
  const data = document.getElementById(element.dataset.diagram ?? "");
  if (data) mountDiagram(element, JSON.parse(data.textContent ?? "") as DiagramData);
}
