// What lies between the steps: wires, the words of alternatives, begin and end, and the places where something can be put.

import { memo } from "react";
import { ruleWords } from "../app/describe";
import { t } from "../app/start";
import type { Layout, SlotBox } from "../model/layout";
import { useApp } from "./hooks";
import { Icon } from "./Icon";

export const Wires = memo(function Wires({ layout }: { layout: Layout }): React.JSX.Element {
  return (
    <svg className="wires" width={layout.width} height={layout.height} aria-hidden="true">
      <defs>
        <marker id="arrow" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
          <path d="M 1 1 L 9 5 L 1 9 z" />
        </marker>
      </defs>
      {layout.wires.map((wire) => (
        <path key={wire.id} d={wire.path} markerEnd={wire.hasArrow ? "url(#arrow)" : undefined} />
      ))}
    </svg>
  );
});

export const Rules = memo(function Rules({ layout }: { layout: Layout }): React.JSX.Element {
  const { session } = useApp();
  return (
    <div className="rules" aria-hidden="true">
      {layout.rules.map(({ place, x, y, width }) => (
        <button
          key={place.key}
          type="button"
          tabIndex={-1}
          className="rule nopan"
          style={{ left: x, top: y, maxWidth: width }}
          title={ruleWords(place)}
          onClick={() => session.reveal(place.parent!.key, "rules")}
        >
          {ruleWords(place)}
        </button>
      ))}
    </div>
  );
});

export function Terminals({ layout }: { layout: Layout }): React.JSX.Element {
  return (
    <>
      <div className="terminal" style={{ left: layout.start.x, top: layout.start.y }}><Icon name="play" />{t("start")}</div>
      <div className="terminal terminal-end" style={{ left: layout.end.x, top: layout.end.y }}>{t("end")}</div>
    </>
  );
}

export const Slots = memo(function Slots({ layout, target }: { layout: Layout; target: string | null }): React.JSX.Element {
  const { openInsert } = useApp();
  const open = (slot: SlotBox, element: HTMLElement): void => {
    const box = element.getBoundingClientRect();
    openInsert({ slot: slot.slot, x: box.left + box.width / 2, y: box.bottom + 6 });
  };
  return (
    <div className="slots" role="group" aria-label={t("places_to_add")}>
      {layout.slots.map((each) => (
        <button
          key={each.id}
          type="button"
          tabIndex={-1}
          className={`slot slot-${each.look} nopan`}
          data-slot={each.id}
          data-target={target === each.id ? "" : undefined}
          style={{ left: each.x, top: each.y }}
          aria-label={t(each.look === "column" || each.look === "edge" ? "add_branch_here" : "add_here")}
          title={t(each.look === "column" || each.look === "edge" ? "add_branch_here" : "add_here")}
          onClick={(event) => open(each, event.currentTarget)}
        >
          {each.look === "empty" && <span>{t("add_step_in_here")}</span>}
        </button>
      ))}
    </div>
  );
});
