// What can be put into a flow: at the left to drag or click, and as a list at the place where somebody pressed +.

import { useEffect, useMemo, useRef, useState } from "react";
import { t, type Catalogue, type Entry } from "../app/start";
import { insert, paste } from "../model/commands";
import { stepsIn } from "../model/clipboard";
import type { Obj } from "../model/json";
import { PALETTE_DRAG } from "./drag";
import { useApp, type InsertRequest } from "./hooks";
import { Icon } from "./Icon";
import { slotBehind } from "./keys";

export interface Item {
  readonly id: string;
  readonly group: string;
  readonly word: string;
  readonly help: string;
  readonly icon: string;
  readonly template: Obj;
}

const RECENT = "sultana-recent-entries";

export function recent(): string[] {
  try {
    return JSON.parse(localStorage.getItem(RECENT) ?? "[]") as string[];
  } catch {
    return [];
  }
}

function remember(id: string): void {
  try {
    localStorage.setItem(RECENT, JSON.stringify([id, ...recent().filter((each) => each !== id)].slice(0, 5)));
  } catch {
    // only a convenience
  }
}

/** Kinds first, then everything the library offers as a ready step. */
export function itemsOf(catalogue: Catalogue): Item[] {
  const { palette } = catalogue.kinds;
  const kind = (entry: Entry): Item => ({ id: entry.name, group: entry.template.children ? t("containers") : t("steps"), word: entry.word, help: entry.help, icon: entry.icon, template: entry.template });
  const based = (name: string, more: Obj): Obj => {
    const { template } = palette.find((entry) => entry.name === name)!;
    return { ...template, properties: { ...(template.properties as Obj), ...more } };
  };
  return [
    ...palette.map(kind),
    ...catalogue.functions.map((each): Item => ({ id: each.path, group: t("library"), word: each.title, help: each.description || each.path, icon: each.effect === "read" ? "eye" : "square-function", template: based("function", { action: each.title, function_ref: each.path }) })),
    ...catalogue.agents.map((each): Item => ({ id: each.path, group: t("agents"), word: each.title, help: each.description || each.path, icon: "bot", template: based("ai_agent", { action: each.title, agent_ref: each.path }) })),
    ...catalogue.flows.map((each): Item => ({ id: each.path, group: t("flows"), word: each.title, help: each.description || each.path, icon: "workflow", template: based("sub_flow", { action: each.title, flow_ref: each.path }) })),
  ];
}

export function found(items: readonly Item[], typed: string): Item[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = items.filter((item) => words.every((word) => `${item.word} ${item.help} ${item.id}`.toLowerCase().includes(word)));
  const rank = (item: Item): number => (words.length && item.word.toLowerCase().startsWith(words[0]!) ? 0 : 1);
  return fits.sort((a, b) => rank(a) - rank(b));
}

export function Palette(): React.JSX.Element {
  const { session } = useApp();
  const [typed, setTyped] = useState("");
  const items = useMemo(() => itemsOf(session.start.catalogue), [session]);
  const shown = found(items, typed);
  const groups = [...new Set(shown.map((item) => item.group))];
  const put = (item: Item): void => {
    remember(item.id);
    if (session.run(insert(session.state.document, slotBehind(session.selected ?? lastRoot(session.tree.roots)), item.template))) session.reveal(session.state.selection[0]!, "action");
  };
  return (
    <aside className="palette" aria-label={t("palette")}>
      <div className="palette-search"><Icon name="search" /><input type="search" value={typed} aria-label={t("find_entry")} placeholder={t("find_entry")} onChange={(event) => setTyped(event.target.value)} /></div>
      <div className="palette-list">
        {groups.map((group) => (
          <section key={group}>
            <h2>{group}</h2>
            <ul className="palette-items">
              {shown.filter((item) => item.group === group).map((item) => (
                <li key={item.id}>
                  <button
                    type="button"
                    className="palette-item"
                    title={item.help}
                    onClick={() => put(item)}
                    onPointerDown={(event) => {
                      if (event.button === 0 && event.pointerType !== "touch") window.dispatchEvent(new CustomEvent(PALETTE_DRAG, { detail: { template: item.template, name: item.word, x: event.clientX, y: event.clientY } }));
                    }}
                  >
                    <Icon name={item.icon} /><span>{item.word}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {shown.length === 0 && <p className="help palette-none">{t("nothing_found")}</p>}
      </div>
    </aside>
  );
}

function lastRoot<Root>(roots: readonly Root[]): Root | null {
  return roots[roots.length - 1] ?? null;
}

/** The list that opens at a `+`: typing searches, Enter takes the first. */
export function InsertList({ request, close }: { request: InsertRequest; close: () => void }): React.JSX.Element {
  const { session } = useApp();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const items = useMemo(() => {
    const all = itemsOf(session.start.catalogue);
    const last = recent().map((id) => all.find((item) => item.id === id)).filter((item): item is Item => item !== undefined);
    return [...last.map((item) => ({ ...item, group: t("recently") })), ...all];
  }, [session]);
  const shown = useMemo(() => {
    const list = found(items, typed);
    return typed ? list.filter((item, index) => list.findIndex((each) => each.id === item.id) === index) : list;
  }, [items, typed]);
  useEffect(() => setAt(0), [typed]);
  useEffect(() => void box.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: "nearest" }), [at]);
  useEffect(() => {
    const outside = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node)) close();
    };
    window.addEventListener("pointerdown", outside, true);
    return () => window.removeEventListener("pointerdown", outside, true);
  }, [close]);
  const choose = (item: Item | undefined): void => {
    if (!item) return;
    remember(item.id);
    close();
    if (session.run(insert(session.state.document, request.slot, item.template))) session.reveal(session.state.selection[0]!, "action");
  };
  const pasteHere = async (): Promise<void> => {
    const steps = stepsIn(await navigator.clipboard.readText().catch(() => ""));
    close();
    if (!steps) return session.say({ word: "nothing_to_paste", about: {} }, true);
    if (session.run(paste(session.state.document, request.slot, steps))) session.reveal(session.state.selection[0]!);
  };
  const width = Math.min(340, window.innerWidth - 24);
  const height = Math.min(430, window.innerHeight - 24);
  const left = Math.max(12, Math.min(request.x - width / 2, window.innerWidth - width - 12));
  const top = Math.max(12, Math.min(request.y, window.innerHeight - height - 12));
  const groups = typed ? [""] : [...new Set(shown.map((item) => item.group))];
  return (
    <div
      className="insert"
      role="dialog"
      aria-label={t("add_here")}
      ref={box}
      style={{ left, top, width, maxHeight: height }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          close();
          document.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus({ preventScroll: true });
        } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
          event.preventDefault();
          setAt((at + (event.key === "ArrowDown" ? 1 : shown.length - 1)) % Math.max(1, shown.length));
        } else if (event.key === "Enter") {
          event.preventDefault();
          choose(shown[at]);
        }
      }}
    >
      <div className="palette-search"><Icon name="search" /><input type="search" autoFocus role="combobox" aria-expanded="true" aria-controls="insert-list" aria-activedescendant={shown.length ? `insert-${at}` : undefined} aria-label={t("find_entry")} placeholder={t("find_entry")} value={typed} onChange={(event) => setTyped(event.target.value)} /></div>
      <div className="insert-list" id="insert-list" role="listbox" aria-label={t("palette")} tabIndex={-1}>
        {groups.map((group) => (
          <div key={group} role="group" aria-label={group || t("palette")}>
            {group && <p className="offers-group" aria-hidden="true">{group}</p>}
            {shown.map((item, index) =>
              group && item.group !== group ? null : (
                <div key={`${item.group}${item.id}`} id={`insert-${index}`} data-at={index} role="option" aria-selected={index === at} className="insert-item" onClick={() => choose(item)} onPointerMove={() => index !== at && setAt(index)}>
                  <span className="step-icon"><Icon name={item.icon} /></span>
                  <span className="combo-words"><span>{item.word}</span><span className="combo-help">{item.help}</span></span>
                </div>
              ),
            )}
          </div>
        ))}
        {shown.length === 0 && <p className="help palette-none">{t("nothing_found")}</p>}
      </div>
      <button type="button" className="insert-paste" onClick={() => void pasteHere()}><Icon name="clipboard-paste" />{t("paste_here")}</button>
    </div>
  );
}
