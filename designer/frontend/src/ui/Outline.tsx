// The same flow as a list: the same tree, the same keys, the same selection. What a phone gets.

import { chipsOf, displayName, kindOf, ruleWords, underName } from "../app/describe";
import { t } from "../app/start";
import { properties, treeOf, type Place } from "../model/tree";
import { useApp, useSession } from "./hooks";
import { Icon } from "./Icon";
import { onTreeKey, slotBehind } from "./keys";

export function Outline(): React.JSX.Element {
  const app = useApp();
  const { session } = app;
  const document = useSession((state) => state.document);
  const selection = useSession((state) => state.selection);
  const findings = useSession((state) => state.findings);
  const tree = treeOf(document);
  const catalogue = session.start.catalogue;
  const focusable = selection.find((key) => tree.byKey.has(key)) ?? tree.roots[0]?.key;

  const draw = (place: Place, position: number, count: number): React.JSX.Element => {
    const kind = kindOf(place, catalogue);
    const chips = chipsOf(place, tree, catalogue);
    const rule = ruleWords(place);
    const own = findings.filter((each) => each.node !== "" && each.node === place.id && each.severity !== "suggestion");
    const hasErrors = own.some((each) => each.severity === "error");
    return (
      <div
        key={place.key}
        role="treeitem"
        className="outline-item"
        data-key={place.key}
        aria-level={place.depth + 1}
        aria-posinset={position}
        aria-setsize={count}
        aria-selected={selection.includes(place.key)}
        aria-expanded={place.children.length ? true : undefined}
        aria-label={[displayName(place, catalogue), kind.word, rule, ...chips.map((chip) => chip.word)].filter(Boolean).join(", ")}
        tabIndex={place.key === focusable ? 0 : -1}
        onFocus={(event) => {
          if (event.target === event.currentTarget && !session.state.selection.includes(place.key)) session.select([place.key]);
        }}
        onClick={(event) => {
          event.stopPropagation();
          if ((event.target as HTMLElement).closest("button")) return;
          session.select([place.key]);
          event.currentTarget.focus();
        }}
      >
        <div className={`outline-card ${properties(place.node).disabled === true ? "off-step" : ""}`} data-selected={selection.includes(place.key) ? "" : undefined}>
          <span className="step-icon"><Icon name={kind.icon} /></span>
          <div className="outline-text">
            {rule && <p className="outline-rule">{rule}</p>}
            <p className="outline-title">{displayName(place, catalogue)}</p>
            <p className="outline-under">{underName(place, catalogue)}</p>
            {chips.length > 0 && <p className="outline-chips">{chips.map((chip, at) => <span key={at} className={`step-chip chip-${chip.tone}`}><Icon name={chip.icon} /><span>{chip.word}</span></span>)}</p>}
          </div>
          {own.length > 0 && <span className={`step-badge ${hasErrors ? "tone-red" : "tone-amber"}`}><Icon name={hasErrors ? "circle-alert" : "triangle-alert"} />{own.length}</span>}
          {session.canChange && (
            <button
              type="button"
              tabIndex={-1}
              className="button button-quiet button-icon button-small"
              aria-label={t("add_behind", { name: displayName(place, catalogue) })}
              title={t("add_here")}
              onClick={(event) => {
                const box = event.currentTarget.getBoundingClientRect();
                app.openInsert({ slot: slotBehind(place), x: box.left, y: box.bottom + 4 });
              }}
            >
              <Icon name="plus" />
            </button>
          )}
        </div>
        {place.children.length > 0 && <div role="group" className="outline-children">{place.children.map((child, at) => draw(child, at + 1, place.children.length))}</div>}
      </div>
    );
  };
  return (
    <div className="outline-view">
      {tree.roots.length ? (
        <div role="tree" className="outline-tree" aria-label={t("steps_of", { flow: session.start.state.title })} onKeyDown={(event) => onTreeKey(event, app, null)}>
          {tree.roots.map((place, at) => draw(place, at + 1, tree.roots.length))}
        </div>
      ) : (
        <div className="empty">
          <span className="empty-icon"><Icon name="workflow" /></span>
          <h2>{t("empty_heading")}</h2>
          <p>{t("empty_words")}</p>
          {session.canChange && <button type="button" className="button button-primary" onClick={(event) => app.openInsert({ slot: { mode: "in", parent: null, index: 0 }, x: event.clientX, y: event.clientY })}><Icon name="plus" />{t("add_first_step")}</button>}
        </div>
      )}
    </div>
  );
}
