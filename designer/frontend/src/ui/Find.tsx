// Finding a step by its name, id, kind or what it says; the result is selected and brought into view.

import { useMemo, useState } from "react";
import { displayName, kindOf, underName } from "../app/describe";
import { t } from "../app/start";
import { useApp } from "./hooks";
import { Icon } from "./Icon";

export function Find({ close }: { close: () => void }): React.JSX.Element {
  const { session } = useApp();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const catalogue = session.start.catalogue;
  const lines = useMemo(() => session.tree.places.map((place) => ({ place, name: displayName(place, catalogue), under: underName(place, catalogue), text: `${displayName(place, catalogue)} ${place.id} ${kindOf(place, catalogue).word} ${underName(place, catalogue)} ${JSON.stringify(place.node.properties ?? {})}`.toLowerCase() })), [session, catalogue]);
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = words.length ? lines.filter((line) => words.every((word) => line.text.includes(word))).slice(0, 30) : [];
  const go = (index: number): void => {
    const line = shown[index];
    if (line) session.reveal(line.place.key);
  };
  return (
    <div
      className="find"
      role="search"
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          close();
          document.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus({ preventScroll: true });
        } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
          event.preventDefault();
          const next = (at + (event.key === "ArrowDown" ? 1 : shown.length - 1)) % Math.max(1, shown.length);
          setAt(next);
          go(next);
        } else if (event.key === "Enter") {
          event.preventDefault();
          go(at);
          close();
          requestAnimationFrame(() => document.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus({ preventScroll: true }));
        }
      }}
    >
      <div className="palette-search"><Icon name="search" /><input type="search" autoFocus value={typed} aria-label={t("find_step")} placeholder={t("find_step")} onChange={(event) => (setTyped(event.target.value), setAt(0))} /></div>
      {words.length > 0 && (
        <ul className="find-list" aria-label={t("found_steps", { n: shown.length })}>
          {shown.map((line, index) => (
            <li key={line.place.key}>
              <button type="button" className="insert-item" aria-current={index === at} onClick={() => (setAt(index), go(index), close())}>
                <span className="step-icon"><Icon name={kindOf(line.place, catalogue).icon} /></span>
                <span className="combo-words"><span>{line.name}</span><span className="combo-help">{line.under || line.place.id}</span></span>
              </button>
            </li>
          ))}
          {shown.length === 0 && <li className="help palette-none">{t("nothing_found")}</li>}
        </ul>
      )}
    </div>
  );
}
