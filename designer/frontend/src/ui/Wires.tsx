// What lies between the steps: wires, the words of alternatives, begin and end, and the places where something can be put.
// Each lies in the frame of its container, so that a container moves with all it holds and nothing in it is drawn anew.

import { memo, useEffect, useRef } from "react";
import type { Inside, Rule } from "../app/scene";
import { t } from "../app/start";
import type { Layout, SlotBox, Wire } from "../model/layout";
import { useApp, useSession } from "./hooks";
import { Icon } from "./Icon";

const openOnes = (inside: Inside): Inside["steps"] => inside.steps.filter((step) => step.box.isOpen);

export function Wires({ inside, width, height }: { inside: Inside; width: number; height: number }): React.JSX.Element {
  return (
    <svg className="wires" width={width} height={height} aria-hidden="true">
      <defs>
        <marker id="arrow" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
          <path d="M 1 1 L 9 5 L 1 9 z" />
        </marker>
        <marker id="arrow-gone" className="gone" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="4.5" markerHeight="4.5" orient="auto-start-reverse">
          <path d="M 1 1 L 9 5 L 1 9 z" />
        </marker>
      </defs>
      <WiresInside inside={inside} />
    </svg>
  );
}

const WiresInside = memo(function WiresInside({ inside }: { inside: Inside }): React.JSX.Element {
  return (
    <>
      <Paths wires={inside.wires} />
      {openOnes(inside).map((step) => (
        <g key={step.place.key} transform={`translate(${step.box.x}, ${step.box.y})`}>
          <WiresInside inside={step.inside} />
        </g>
      ))}
    </>
  );
});

const Paths = memo(function Paths({ wires }: { wires: readonly Wire[] }): React.JSX.Element {
  const ways = useSession((state) => state.shown?.ways);
  if (!ways) return <>{wires.map((wire) => <Path key={wire.id} wire={wire} arrow="arrow" />)}</>;
  const gone = wires.filter((wire) => ways[wire.id]);
  return (
    <>
      {wires.filter((wire) => !ways[wire.id]).map((wire) => <Path key={wire.id} wire={wire} arrow="arrow" look="not-gone" />)}
      {gone.map((wire) => <Path key={wire.id} wire={wire} arrow="arrow-gone" look="gone" />)}
      {gone.map((wire) => <Passes key={wire.id} count={ways[wire.id]!} {...wire.label} />)}
    </>
  );
});

function Path({ wire, arrow, look }: { wire: Wire; arrow: string; look?: string }): React.JSX.Element {
  return <path className={look} data-way={look && wire.id} d={wire.path} markerEnd={wire.hasArrow ? `url(#${arrow})` : undefined} />;
}

/** How often a way was gone along, where that is more than once. */
function Passes({ count, x, y }: { count: number; x: number; y: number }): React.JSX.Element | null {
  if (count < 2) return null;
  const words = `${count}×`;
  const width = words.length * 7 + 10;
  return (
    <g className="passes" transform={`translate(${x}, ${y})`}>
      <rect x={-width / 2} y={-8.5} width={width} height={17} rx={8.5} />
      <text y={3.8} textAnchor="middle">{words}</text>
    </g>
  );
}

type Part = (props: { inside: Inside }) => React.JSX.Element;

/** One part of every open container, each counted from its container's corner. */
const Frames = memo(function Frames({ inside, part: Part }: { inside: Inside; part: Part }): React.JSX.Element {
  return (
    <>
      <Part inside={inside} />
      {openOnes(inside).map((step) => (
        <div key={step.place.key} className="corner" style={{ left: step.box.x, top: step.box.y }}>
          <Frames inside={step.inside} part={Part} />
        </div>
      ))}
    </>
  );
});

export function Rules({ inside }: { inside: Inside }): React.JSX.Element {
  return (
    <div className="rules" aria-hidden="true">
      <Frames inside={inside} part={RulesOf} />
    </div>
  );
}

function RulesOf({ inside }: { inside: Inside }): React.JSX.Element {
  return <RuleList rules={inside.rules} />;
}

const RuleList = memo(function RuleList({ rules }: { rules: readonly Rule[] }): React.JSX.Element[] {
  const { session } = useApp();
  return rules.map(({ key, words, x, y, width }) => (
    <button
      key={key}
      type="button"
      tabIndex={-1}
      className="rule nopan"
      style={{ left: x, top: y, maxWidth: width }}
      title={words}
      onClick={() => session.reveal(session.tree.byKey.get(key)!.parent!.key, "rules")}
    >
      {words}
    </button>
  ));
});

export function Terminals({ layout }: { layout: Layout }): React.JSX.Element {
  return (
    <>
      <div className="terminal" style={{ left: layout.start.x, top: layout.start.y }}><Icon name="play" />{t("start")}</div>
      <div className="terminal terminal-end" style={{ left: layout.end.x, top: layout.end.y }}>{t("end")}</div>
    </>
  );
}

/** `target` is the place that a drag would drop into. It is marked by hand: a drag draws none of the others anew. */
export function Slots({ inside, target }: { inside: Inside; target: string | null }): React.JSX.Element {
  const all = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const slot = target === null ? null : all.current?.querySelector(`[data-slot="${CSS.escape(target)}"]`);
    slot?.setAttribute("data-target", "");
    return () => slot?.removeAttribute("data-target");
  }, [target]);
  return (
    <div className="slots" role="group" aria-label={t("places_to_add")} ref={all}>
      <Frames inside={inside} part={SlotsOf} />
    </div>
  );
}

function SlotsOf({ inside }: { inside: Inside }): React.JSX.Element {
  return <SlotList slots={inside.slots} />;
}

const SlotList = memo(function SlotList({ slots }: { slots: readonly SlotBox[] }): React.JSX.Element[] {
  const { openInsert } = useApp();
  const open = (slot: SlotBox, element: HTMLElement): void => {
    const box = element.getBoundingClientRect();
    openInsert({ slot: slot.slot, x: box.left + box.width / 2, y: box.bottom + 6 });
  };
  return slots.map((each) => {
    const word = t(each.look === "column" || each.look === "edge" ? "add_branch_here" : "add_here");
    return (
      <button
        key={each.id}
        type="button"
        tabIndex={-1}
        className={`slot slot-${each.look} nopan`}
        data-slot={each.id}
        style={{ left: each.x, top: each.y }}
        aria-label={word}
        title={word}
        onClick={(event) => open(each, event.currentTarget)}
      >
        {each.look === "empty" && <span>{t("add_step_in_here")}</span>}
      </button>
    );
  });
});
