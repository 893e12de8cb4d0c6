// The form of what is selected, made from the catalogue: no kind of step has a component of its own.

import { useCallback, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { displayName, kindOf } from "../app/describe";
import { asideOf, AROUND_ANY, isOffered, isResting } from "../app/kinds";
import type { Way } from "../app/saving";
import { t, type Field } from "../app/start";
import { duplicate, remove, rename, setField, setFields, setFlowField, toggleDisabled, unwrap, wrap, outermost } from "../model/commands";
import { get, isObj, without, type Json, type Obj } from "../model/json";
import { ASIDE } from "../model/references";
import { actionOf, properties, treeOf, workflowData, type Place } from "../model/tree";
import { Form } from "./fields/common";
import { FieldView } from "./fields/FieldView";
import { useApp, useSession } from "./hooks";
import { Icon } from "./Icon";
import { KindField, PutAside } from "./KindField";

export function Panel({ close }: { close?: () => void }): React.JSX.Element {
  const { session } = useApp();
  const document = useSession((state) => state.document);
  const selection = useSession((state) => state.selection);
  const tree = treeOf(document);
  const chosen = selection.map((key) => tree.byKey.get(key)).filter((place): place is Place => place !== undefined);
  const [only] = chosen;
  return (
    <aside className="panel" aria-label={t("panel")}>
      {close && <button type="button" className="button button-quiet button-icon panel-close" aria-label={t("close")} onClick={close}><Icon name="x" /></button>}
      {chosen.length > 1 ? <Several places={chosen} /> : only ? <StepForm key={session.formKey(only.key)} place={only} /> : <FlowForm />}
    </aside>
  );
}

function Several({ places }: { places: readonly Place[] }): React.JSX.Element {
  const { session } = useApp();
  const keys = places.map((place) => place.key);
  const { document } = session.state;
  return (
    <div className="panel-body">
      <h2>{t("n_steps_selected", { n: outermost(session.tree, keys).length })}</h2>
      {session.canChange && (
        <div className="stack-tight">
          <WrapMenu keys={keys} />
          <button type="button" className="button" onClick={() => session.run(duplicate(document, keys))}><Icon name="copy" />{t("duplicate")}</button>
          <button type="button" className="button" onClick={() => session.run(toggleDisabled(document, keys))}><Icon name="ban" />{t("skip_or_not")}</button>
          <button type="button" className="button button-danger-quiet" onClick={() => session.run(remove(document, keys))}><Icon name="trash-2" />{t("delete")}</button>
        </div>
      )}
    </div>
  );
}

function WrapMenu({ keys }: { keys: readonly string[] }): React.JSX.Element {
  const { session } = useApp();
  const containers = session.start.catalogue.kinds.palette.filter((entry) => AROUND_ANY.includes(entry.kind));
  return (
    <div className="field">
      <label htmlFor="wrap">{t("wrap_in")}</label>
      <select id="wrap" value="" onChange={(event) => {
        const entry = containers.find((each) => each.name === event.target.value);
        if (entry && session.run(wrap(session.state.document, keys, entry.template))) session.reveal(session.state.selection[0]!);
      }}>
        <option value="">{t("choose")}</option>
        {containers.map((entry) => <option key={entry.name} value={entry.name}>{entry.word}</option>)}
      </select>
    </div>
  );
}

/** The members of a step that its form shows: its properties, and over them what stands on the node itself. */
function membersOf(node: Obj): Obj {
  const { id: _id, node_type: _type, properties: _properties, children: _children, container_type: _container, ...own } = node;
  const members = { ...properties(node), ...own };
  return Object.keys(asideOf(node)).length ? without(members, ASIDE) : members;
}

function StepForm({ place }: { place: Place }): React.JSX.Element {
  const { session } = useApp();
  const kind = kindOf(place, session.start.catalogue);
  const body = useRef<HTMLDivElement>(null);
  const members = membersOf(place.node);
  useFieldFocus(body, place.key);
  const naming = useNaming(place);
  const known = new Set(kind.fields.flatMap((field) => [field.name, ...(field.covers ?? [])]));
  const unknown: Field[] = Object.keys(members).filter((name) => !known.has(name) && name !== "step_type" && !(place.kind === "decision" && name === "condition")).map((name) => ({ name, type: "json", word: name, section: "more" }));
  return (
    <>
      <header className="panel-head">
        <span className="step-icon"><Icon name={kind.icon} /></span>
        <div className="panel-title">
          <h2>{displayName(place, session.start.catalogue)}</h2>
          <KindField place={place} />
        </div>
        {session.canChange && <Actions place={place} />}
      </header>
      <div className="panel-body" ref={body} {...naming}>
        <Loose place={place} />
        <PutAside place={place} />
        <Fields place={place} fields={[...kind.fields, ...unknown]} members={members} />
        {place.id && <Foresight place={place} />}
        <IdField place={place} />
      </div>
    </>
  );
}

/** When somebody leaves the step's name, its id follows. */
function useNaming(place: Place): Pick<React.HTMLAttributes<HTMLElement>, "onFocus" | "onBlur"> {
  const { session } = useApp();
  const began = useRef<string | null>(null);
  const key = useRef(place.key);
  key.current = place.key;
  const leave = useCallback((): void => {
    const before = began.current;
    began.current = null;
    if (before !== null) session.followName(key.current, before);
  }, [session]);
  useEffect(() => leave, [leave]); // a form that goes with the cursor in it
  const leaveSoon = useAfterPointer(() => keepingFocus(key.current, leave));
  const isName = (target: EventTarget): boolean => target instanceof Element && target.id === "f-action";
  return {
    onFocus: (event) => {
      if (isName(event.target)) began.current ??= actionOf(place.node);
    },
    onBlur: (event) => {
      if (!isName(event.target)) return;
      leaveSoon(event.relatedTarget === null);
    },
  };
}

/** Runs `act` once what took the cursor away is over: a click or drag needs the elements that it began on. */
function useAfterPointer(act: () => void): (isAtOnce: boolean) => void {
  const isDown = useRef(false);
  useEffect(() => {
    const down = (): void => void (isDown.current = true);
    const up = (): void => void (isDown.current = false);
    const ends = ["pointerup", "pointercancel"];
    window.addEventListener("pointerdown", down, true);
    for (const end of ends) window.addEventListener(end, up, true);
    return () => {
      window.removeEventListener("pointerdown", down, true);
      for (const end of ends) window.removeEventListener(end, up, true);
    };
  }, []);
  return (isAtOnce) => {
    if (isDown.current) window.addEventListener("pointerup", () => setTimeout(act), { once: true });
    else if (isAtOnce) act();
    else setTimeout(act);
  };
}

/** `act` may give the step a new key, and so a new element: the one that had the focus hands it on. */
function keepingFocus(key: string, act: () => void): void {
  const item = document.activeElement?.closest<HTMLElement>("[role=treeitem]");
  flushSync(act);
  if (item?.dataset.key !== key || document.contains(item)) return;
  document.querySelector<HTMLElement>('[role=treeitem][aria-selected="true"]')?.focus();
}

/** What the doctor says of the step as a whole, or of a field that is not shown. */
function Loose({ place }: { place: Place }): React.JSX.Element | null {
  const found = useSession((state) => JSON.stringify(state.findings.filter((each) => each.node === place.id && ["", "id", "children", "node_type", "container_type", "step_type"].includes(each.field.split(".")[0]!)).map((each) => [each.severity, each.message])));
  const about = JSON.parse(found) as [string, string][];
  if (about.length === 0) return null;
  return <div className="field-notes">{about.map(([severity, message]) => <p key={message} className={`field-finding finding-${severity}`}><Icon name={severity === "error" ? "circle-alert" : severity === "warning" ? "triangle-alert" : "lightbulb"} />{message}</p>)}</div>;
}

function Fields({ place, fields, members }: { place: Place; fields: readonly Field[]; members: Obj }): React.JSX.Element {
  const { session } = useApp();
  const { sections } = session.start.catalogue;
  const findings = useSession((state) => state.findings);
  const set = (name: string, value: Json | undefined): void => void session.run(setField(session.state.document, place.key, [name], value));
  const isFound = (field: Field): boolean => findings.some((each) => each.node === place.id && each.field.split(".")[0] === field.name);
  const rests = (field: Field): boolean => isResting(field, members) && !isFound(field);
  const resting = fields.filter(rests).map((field) => field.word);
  return (
    <Form.Provider value={{ place, members, isReadOnly: !session.canChange }}>
      {sections.map((section) => {
        const own = fields.filter((field) => field.section === section.name);
        const count = own.filter((field) => [field.name, ...(field.covers ?? [])].some((name) => Object.hasOwn(members, name))).length;
        const shown = own.filter((field) => (isOffered(field) || Object.hasOwn(members, field.name)) && !rests(field));
        if (shown.length === 0) return null;
        const isTroubled = own.some(isFound);
        const rows = shown.map((field) => (
          <FieldView key={field.name} field={field} path={[field.name]} id={`f-${field.name}`} members={members} set={(value) => set(field.name, value)} setMany={(values) => session.run(setFields(session.state.document, place.key, values))} />
        ));
        if (section.name === "main") {
          return (
            <div className="section-fields" key={section.name}>
              {rows}
              {resting.length > 0 && <p className="help">{t("kept_without_effect", { fields: resting.join(", ") })}</p>}
            </div>
          );
        }
        return (
          <Section key={section.name} name={section.name} word={section.word} count={count} isOpen={section.is_open || count > 0 || isTroubled}>
            {rows}
          </Section>
        );
      })}
    </Form.Provider>
  );
}

/** What happens if this step fails: the engine's own ladder, asked of the draft as it was last saved. */
function Foresight({ place }: { place: Place }): React.JSX.Element {
  const { saving, session } = useApp();
  const [isOpen, setIsOpen] = useState(false);
  const [ways, setWays] = useState<readonly Way[] | null>(null);
  const [refusal, setRefusal] = useState("");
  const isSaved = useSession((state) => state.save === "saved");
  useEffect(() => {
    if (!isOpen || !isSaved) return;
    let isCurrent = true;
    void saving.ifItFails(place.id).then((answer) => {
      if (!isCurrent) return;
      setWays(answer.ok ? answer.body.ways : null);
      setRefusal(answer.ok ? "" : answer.status === 409 ? t("foresight_needs_sound_draft") : answer.body.message);
    });
    return () => {
      isCurrent = false;
    };
  }, [isOpen, isSaved, place.id, saving]);
  return (
    <details className="section" data-section="foresight" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary><Icon name="chevron-right" />{t("foresight")}</summary>
      <div className="section-fields foresight">
        {refusal && <p className="help">{refusal}</p>}
        {!ways && !refusal && <p className="help">{t("checking")}</p>}
        {ways?.map((way) => (
          <section key={way.how}>
            <h3>{way.heading}</h3>
            <ol>
              {way.lines.map((line, at) => (
                <li key={at}>
                  <Icon name={line.icon} />
                  <div>
                    {line.node && line.node !== place.id && session.tree.byId.has(line.node) ? <button type="button" className="link-button" onClick={() => session.reveal(line.node)}>{line.words}</button> : <p>{line.words}</p>}
                    {line.undo.length > 0 && <ol className="foresight-undo">{line.undo.map((each) => <li key={each}>{each}</li>)}</ol>}
                  </div>
                </li>
              ))}
            </ol>
          </section>
        ))}
      </div>
    </details>
  );
}

function Section({ name, word, count, isOpen, children }: { name: string; word: string; count: number; isOpen: boolean; children: React.ReactNode }): React.JSX.Element {
  const [open, setOpen] = useState(isOpen);
  return (
    <details className="section" data-section={name} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary><Icon name="chevron-right" />{word}{count > 0 && <span className="count">{count}</span>}</summary>
      <div className="section-fields">{children}</div>
    </details>
  );
}

/** A field gets the cursor when a problem, a chip or F2 asks for it; `*` is the first one. */
function useFieldFocus(body: React.RefObject<HTMLDivElement | null>, key: string): void {
  const reveal = useSession((state) => state.reveal);
  useEffect(() => {
    if (!reveal?.field || reveal.key !== key || !body.current) return;
    const parts = reveal.field.split(".");
    const find = (): HTMLElement | null => {
      for (let length = parts.length; length > 0; length -= 1) {
        const found = body.current!.querySelector<HTMLElement>(`[data-field="${CSS.escape(parts.slice(0, length).join("."))}"]`);
        if (found) return found;
      }
      return null;
    };
    const holder = reveal.field === "*" ? body.current.querySelector<HTMLElement>("[data-field]") : find();
    const around = holder?.closest("details");
    if (around) around.open = true;
    const control = holder?.querySelector<HTMLElement>("input, select, textarea, button");
    control?.focus();
    if (control instanceof HTMLInputElement) control.select();
    holder?.scrollIntoView({ block: "nearest" });
  }, [reveal, key, body]);
}

function Actions({ place }: { place: Place }): React.JSX.Element {
  const { session } = useApp();
  const { document } = session.state;
  const menu = useRef<HTMLDetailsElement>(null);
  const keys = [place.key];
  const act = (icon: string, word: string, run: () => void, danger = false): React.JSX.Element => (
    <button
      type="button"
      className={`menu-item ${danger ? "menu-item-danger" : ""}`}
      onClick={() => {
        if (menu.current) menu.current.open = false;
        run();
      }}
    >
      <Icon name={icon} />{t(word)}
    </button>
  );
  const containers = session.start.catalogue.kinds.palette.filter((entry) => AROUND_ANY.includes(entry.kind));
  return (
    <details className="menu" ref={menu}>
      <summary className="button button-quiet button-icon" aria-label={t("more_actions")} title={t("more_actions")}><Icon name="ellipsis" /></summary>
      <div className="menu-panel menu-long">
        {act("copy", "duplicate", () => session.run(duplicate(document, keys)) && session.reveal(session.state.selection[0]!))}
        {!place.isContainer && act("ban", properties(place.node).disabled === true ? "do_not_skip" : "skip", () => session.run(toggleDisabled(document, keys)))}
        <div className="menu-line" />
        {containers.map((entry) => (
          <button key={entry.name} type="button" className="menu-item" onClick={() => session.run(wrap(document, keys, entry.template)) && session.reveal(session.state.selection[0]!)}>
            <Icon name={entry.icon} />{t("wrap_in_kind", { kind: entry.word })}
          </button>
        ))}
        {place.isContainer && act("ungroup", "unwrap", () => session.run(unwrap(document, place.key)))}
        <div className="menu-line" />
        {act("trash-2", "delete", () => session.run(remove(document, keys)), true)}
      </div>
    </details>
  );
}

function IdField({ place }: { place: Place }): React.JSX.Element {
  const { session } = useApp();
  const [typed, setTyped] = useState<string | null>(null);
  const leave = (): void => {
    if (typed !== null && typed.trim() !== place.id) session.run(rename(session.state.document, place.key, typed.trim()));
    setTyped(null);
  };
  return (
    <div className="field field-id">
      <label htmlFor="step-id">{t("id")}</label>
      <input id="step-id" type="text" className="input-code" value={typed ?? place.id} readOnly={!session.canChange} spellCheck={false} aria-describedby="step-id-help" onChange={(event) => setTyped(event.target.value)} onBlur={leave} onKeyDown={(event) => event.key === "Enter" && leave()} />
      <p className="help" id="step-id-help">{t("id_help")}</p>
    </div>
  );
}

function FlowForm(): React.JSX.Element {
  const { session } = useApp();
  const document = useSession((state) => state.document);
  const body = useRef<HTMLDivElement>(null);
  const data = workflowData(document);
  const own = isObj(get(document, "properties")) ? (document.properties as Obj) : null;
  const { flow } = session.start.catalogue;
  const shown = flow.filter((field) => isOffered(field) || Object.hasOwn(data, field.name));
  const text = (name: string, word: string, lines: number): React.JSX.Element => {
    const value = own ? own[name] : undefined;
    const shared = { id: `flow-${name}`, value: typeof value === "string" ? value : "", readOnly: !session.canChange, onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void session.run(setFlowField(session.state.document, [name], event.target.value, "properties")) };
    return <div className="field"><label htmlFor={`flow-${name}`}>{word}</label>{lines > 1 ? <textarea rows={lines} {...shared} /> : <input type="text" {...shared} />}</div>;
  };
  return (
    <>
      <header className="panel-head">
        <span className="step-icon"><Icon name="workflow" /></span>
        <div className="panel-title"><h2>{t("this_flow")}</h2><p className="quiet small">{t("click_a_step")}</p></div>
      </header>
      <div className="panel-body" ref={body}>
        {own && <div className="section-fields">{text("title", t("title"), 1)}{text("description", t("description"), 3)}</div>}
        <Form.Provider value={{ place: null, members: data, isReadOnly: !session.canChange }}>
          {session.start.catalogue.sections.map((section) => {
            const rows = shown.filter((field) => field.section === section.name);
            const count = rows.filter((field) => Object.hasOwn(data, field.name)).length;
            return rows.length > 0 && (
              <Section key={section.name} name={section.name} word={section.word} count={count} isOpen={section.name !== "data"}>
                {rows.map((field) => (
                  <FieldView key={field.name} field={field} path={[field.name]} id={`f-${field.name}`} members={data} set={(value) => void session.run(setFlowField(session.state.document, [field.name], value))} />
                ))}
              </Section>
            );
          })}
        </Form.Provider>
      </div>
    </>
  );
}

