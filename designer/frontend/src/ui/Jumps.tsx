// Jumps in their lanes: shape and word carry the meaning, colour only helps. Faint until their step is chosen, hovered, or all are shown.

import { useSession, useApp } from "./hooks";
import { t } from "../app/start";
import type { Drawn } from "./Canvas";
import type { Drag } from "./drag";

export function Jumps({ drawn, drag }: { drawn: Drawn; drag: Drag }): React.JSX.Element {
  const { session } = useApp();
  const selection = useSession((state) => state.selection);
  const all = useSession((state) => state.showsAllJumps);
  const hovered = useSession((state) => state.hoveredJump);
  const ways = useSession((state) => state.shown?.ways);
  const { jumps, width, height } = drawn.layout;
  return (
    <svg className="jumps" width={width} height={height} aria-hidden="true">
      <defs>
        {["error", "timeout", "yes", "no"].map((kind) => (
          <marker key={kind} id={`jump-${kind}`} className={`jump-${kind}`} viewBox="0 0 10 10" refX="7" refY="5" markerWidth="7.5" markerHeight="7.5" orient="auto-start-reverse">
            <path d="M 1 1 L 9 5 L 1 9 z" />
          </marker>
        ))}
      </defs>
      {jumps.map((jump) => {
        const passes = ways?.[jump.id] ?? 0;
        const mark = session.wayMarks?.marks[jump.id];
        const isStrong = all || mark !== undefined || passes > 0 || hovered === jump.id || selection.includes(jump.from) || (jump.to !== null && selection.includes(jump.to));
        const word = t(`jump_${jump.kind}`) + (passes > 1 ? ` ${passes}×` : "") + (mark ? ` · ${mark.word}` : "");
        return (
          <g
            key={jump.id}
            className={`jump jump-${jump.kind} ${mark ? `jump-marked jump-${mark.status} tone-${mark.tone}` : ""}`}
            data-strong={isStrong ? "" : undefined}
            data-jump={jump.id}
            data-way={ways && jump.id}
            data-gone={passes > 0 ? "" : undefined}
            onPointerEnter={() => session.update({ hoveredJump: jump.id })}
            onPointerLeave={() => session.update({ hoveredJump: null })}
          >
            <path className="jump-reach" d={jump.path} />
            <path className="jump-line" d={jump.path} markerEnd={`url(#jump-${jump.kind})`} />
            <g className="jump-word" transform={`translate(${jump.label.x}, ${jump.label.y})`}>
              <rect x={-2} y={-8.5} width={word.length * 6.6 + 10} height={17} rx={8.5} />
              <text x={3} y={3.6}>{word}</text>
            </g>
            {session.canChange && isStrong && (
              <circle className="jump-end nopan" cx={jump.head.x + 7} cy={jump.head.y} r={7} onPointerDown={(event) => drag.beginJump(event, jump.from, jump.kind)}>
                <title>{t("drag_jump_end")}</title>
              </circle>
            )}
          </g>
        );
      })}
    </svg>
  );
}
