// The steps as a tree: one tab stop, tree keys, names, levels and positions. Boxes stand where the layout says, each counted from
// the corner of the container that holds it.

import { memo, useEffect, useRef } from "react";
import { displayName, kindOf, underName, type Chip } from "../app/describe";
import type { Scene } from "../app/scene";
import { t, type Finding } from "../app/start";
import type { Mark, State } from "../app/session";
import { ancestors, properties, treeOf, type Place } from "../model/tree";
import type { Drawn } from "./Canvas";
import { Due } from "./Due";
import { dueSaid } from "../app/due";
import { useApp, useSession } from "./hooks";
import { Icon } from "./Icon";
import { onTreeKey } from "./keys";

const tabStops = new WeakMap<State, string>();

/** The one step that Tab leads to: the first chosen one that is drawn, else the first of all. */
function tabStopOf(state: State): string {
  const known = tabStops.get(state);
  if (known !== undefined) return known;
  const tree = treeOf(state.document);
  const isDrawn = (place: Place | undefined): boolean => place !== undefined && !ancestors(place).some((around) => state.collapsed.has(around.key));
  const found = state.selection.find((key) => isDrawn(tree.byKey.get(key))) ?? tree.roots[0]?.key ?? "";
  tabStops.set(state, found);
  return found;
}

export function StepTree({ drawn }: { drawn: Drawn }): React.JSX.Element {
  const app = useApp();
  const reveal = useSession((state) => state.reveal);
  const tree = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!reveal || reveal.field) return;
    if (document.activeElement && tree.current?.contains(document.activeElement)) {
      tree.current.querySelector<HTMLElement>(`[data-key="${CSS.escape(reveal.key)}"]`)?.focus({ preventScroll: true });
    }
  }, [reveal]);

  return (
    <div
      className="steps"
      role="tree"
      aria-multiselectable="true"
      aria-label={t("steps_of", { flow: app.session.start.state.title })}
      ref={tree}
      onKeyDown={(event) => onTreeKey(event, app, drawn.layout)}
    >
      {drawn.scene.steps.map((step) => <Item key={step.place.key} scene={step} />)}
      {drawn.tree.roots.length === 0 && <div role="treeitem" aria-selected="false" aria-label={t("empty_heading")} tabIndex={0} />}
    </div>
  );
}

const Item = memo(function Item({ scene }: { scene: Scene }): React.JSX.Element {
  const { session } = useApp();
  const { place, box, chips } = scene;
  const mark = useSession((state) => (Object.hasOwn(state.marks, place.key) ? state.marks[place.key]! : null));
  const isSelected = useSession((state) => state.selection.includes(place.key));
  const isTabStop = useSession((state) => tabStopOf(state) === place.key);
  const catalogue = session.start.catalogue;
  const kind = kindOf(place, catalogue);
  const name = displayName(place, catalogue);
  const under = underName(place, catalogue);
  const says = [name, mark?.word, mark && dueSaid(mark), name === kind.word ? "" : kind.word, ...chips.map((chip) => chip.word)].filter(Boolean).join(", ");
  return (
    <div
      role="treeitem"
      className="item"
      data-key={place.key}
      style={{ left: box.x, top: box.y }}
      aria-label={says}
      aria-level={place.depth + 1}
      aria-posinset={scene.position}
      aria-setsize={scene.count}
      aria-selected={isSelected}
      aria-expanded={place.isContainer && place.children.length ? box.isOpen : undefined}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={(event) => {
        if (event.target === event.currentTarget && !session.state.selection.includes(place.key)) session.select([place.key]);
      }}
      onClick={(event) => {
        event.stopPropagation();
        event.currentTarget.focus({ preventScroll: true });
        if (event.shiftKey || event.ctrlKey || event.metaKey) session.toggle(place.key);
        else session.select([place.key]);
      }}
      onDoubleClick={(event) => {
        event.stopPropagation();
        session.reveal(place.key, "action");
      }}
    >
      <div
        className={`${looksOf(place, box.isOpen)} nopan`}
        data-drag={place.key}
        data-selected={isSelected ? "" : undefined}
        data-status={mark?.status}
        style={{ width: box.width, height: box.height }}
      >
        <Card
          nodeKey={place.key}
          id={place.id}
          icon={kind.icon}
          name={name}
          under={under}
          chips={chips}
          mark={mark}
          isOpen={box.isOpen}
          count={place.isContainer ? countOf(place) : 0}
        />
      </div>
      {scene.inside.steps.length > 0 && <div role="group">{scene.inside.steps.map((step) => <Item key={step.place.key} scene={step} />)}</div>}
    </div>
  );
});

function looksOf(place: Place, isOpen: boolean): string {
  const isOff = properties(place.node).disabled === true;
  const looks = ["card-step", `kind-${place.kind}`, isOpen ? "frame-step" : "", place.isContainer && !isOpen ? "closed-step" : "", isOff ? "off-step" : ""];
  return looks.filter(Boolean).join(" ");
}

function countOf(place: Place): number {
  return place.children.reduce((total, child) => total + 1 + countOf(child), 0);
}

interface CardProps {
  readonly nodeKey: string;
  readonly id: string;
  readonly icon: string;
  readonly name: string;
  readonly under: string;
  readonly chips: readonly Chip[];
  readonly mark: Mark | null;
  readonly isOpen: boolean;
  readonly count: number;
}

/** What is in a card. Where it stands is not its business, so that a step that only moves is not drawn anew. */
const Card = memo(function Card(card: CardProps): React.JSX.Element {
  const { session } = useApp();
  return (
    <>
      <div className="step-head">
        <span className="step-icon"><Icon name={card.icon} /></span>
        <span className="step-words">
          <span className="step-name">{card.name}</span>
          {card.mark?.due || card.mark?.retry ? <Due mark={card.mark} /> : card.under && <span className="step-under">{card.under}</span>}
        </span>
        {card.mark && <span className={`step-badge tone-${card.mark.tone}`}><Icon name={card.mark.icon} />{card.mark.word}</span>}
        <Badge id={card.id} isOpen={card.isOpen} nodeKey={card.nodeKey} />
        {card.count > 0 && (
          <button
            type="button"
            tabIndex={-1}
            className="fold nopan"
            aria-hidden="true"
            title={t(card.isOpen ? "collapse" : "expand")}
            onClick={(event) => {
              event.stopPropagation();
              session.setCollapsed(card.nodeKey, card.isOpen);
            }}
          >
            {!card.isOpen && <span>{t("n_steps", { n: card.count })}</span>}
            <Icon name={card.isOpen ? "chevron-up" : "chevron-down"} />
          </button>
        )}
      </div>
      {card.chips.length > 0 && (
        <div className="step-chips" aria-hidden="true">
          {card.chips.map((chip, at) => (
            <button
              key={at}
              type="button"
              tabIndex={-1}
              disabled={!chip.to}
              className={`step-chip chip-${chip.tone}`}
              title={chip.word}
              onClick={(event) => {
                event.stopPropagation();
                if (chip.to) session.reveal(chip.to);
              }}
            >
              <Icon name={chip.icon} />
              <span>{chip.word}</span>
            </button>
          ))}
        </div>
      )}
    </>
  );
});

type Counts = ReadonlyMap<string, readonly [number, number]>;
const counted = new WeakMap<readonly Finding[], Counts>();

/** Errors, and errors with warnings, by step. */
function countsOf(findings: readonly Finding[]): Counts {
  const known = counted.get(findings);
  if (known) return known;
  const made = new Map<string, readonly [number, number]>();
  for (const { node, severity } of findings) {
    if (node === "" || severity === "suggestion") continue;
    const [errors, all] = made.get(node) ?? [0, 0];
    made.set(node, [errors + (severity === "error" ? 1 : 0), all + 1]);
  }
  counted.set(findings, made);
  return made;
}

/** How many problems a step has; a closed container counts those inside it too. */
function Badge({ id, nodeKey, isOpen }: { id: string; nodeKey: string; isOpen: boolean }): React.JSX.Element | null {
  const { session } = useApp();
  const found = useSession((state) => {
    const counts = countsOf(state.findings);
    if (counts.size === 0) return "0/0";
    let [errors, all] = counts.get(id) ?? [0, 0];
    const visit = (each: Place): void =>
      each.children.forEach((child) => {
        const own = counts.get(child.id) ?? [0, 0];
        [errors, all] = [errors + own[0], all + own[1]];
        visit(child);
      });
    const place = isOpen ? undefined : session.tree.byKey.get(nodeKey);
    if (place) visit(place);
    return `${errors}/${all}`;
  });
  const [errors, all] = found.split("/").map(Number) as [number, number];
  if (all === 0) return null;
  const word = errors ? t("n_errors", { n: errors }) : t("n_warnings", { n: all });
  return (
    <span className={`step-badge ${errors ? "tone-red" : "tone-amber"}`} title={word}>
      <Icon name={errors ? "circle-alert" : "triangle-alert"} />
      {errors || all}
      <span className="visually-hidden">{word}</span>
    </span>
  );
}

