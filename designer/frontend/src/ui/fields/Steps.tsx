// A list of steps inside a field: those that look up what became of a call. Each is a form with the fields that the catalogue names.

import { useState } from "react";
import { t, type Field } from "../../app/start";
import { isReserved, takenIds } from "../../model/ids";
import { isObj, setAt, without, type Json, type Obj } from "../../model/json";
import { isCall, newProbe, renamedProbe } from "../../model/probes";
import { placeOf, properties } from "../../model/tree";
import { useApp } from "../hooks";
import { Icon } from "../Icon";
import { Form, useForm, type ControlProps } from "./common";
import { FieldView } from "./FieldView";
import { RowTools, moved } from "./Rows";
import { JsonText } from "./Simple";

export function Steps({ id, field, value, set }: ControlProps): React.JSX.Element {
  const { session } = useApp();
  const { isReadOnly, members, setMembers } = useForm();
  const rows: Json[] = Array.isArray(value) ? value : [];
  const write = (next: Json[]): void => set(next.length ? next : undefined);
  const put = (at: number, next: Json): void => write(rows.map((each, index) => (index === at ? next : each)));
  return (
    <div className="rows">
      {rows.map((row, at) => (
        <fieldset className="row-card" key={at} aria-label={t("row_of", { what: field.word, n: at + 1 })}>
          {isCall(row) ? (
            <Call id={`${id}-${at}`} field={field} node={row} earlier={rows.slice(0, at).filter(isObj)} set={(next) => put(at, next)} rename={(next) => setMembers?.(renamedProbe(members, at, next))} />
          ) : (
            <JsonText id={`${id}-${at}`} field={{ ...field, type: "json" }} value={row} set={(next) => put(at, next ?? {})} isInvalid={false} />
          )}
          {!isReadOnly && <RowTools at={at} count={rows.length} move={(by) => write(moved(rows, at, by))} remove={() => write(rows.filter((_each, index) => index !== at))} />}
        </fieldset>
      ))}
      {!isReadOnly && <button type="button" className="button button-small" onClick={() => write([...rows, newProbe(takenIds(session.tree))])}><Icon name="plus" />{t("add_row")}</button>}
    </div>
  );
}

interface CallProps {
  readonly id: string;
  readonly field: Field;
  readonly node: Obj;
  readonly earlier: readonly Obj[];
  readonly set: (node: Obj) => void;
  readonly rename: (id: string) => void;
}

function Call({ id, field, node, earlier, set, rename }: CallProps): React.JSX.Element {
  const context = useForm();
  const members = properties(node);
  const own = placeOf(node, context.place);
  const known = field.of ?? [];
  const more: Field[] = Object.keys(members).filter((name) => !known.some((each) => each.name === name)).map((name) => ({ name, type: "json", word: name, section: "" }));
  const change = (name: string, next: Json | undefined): void => set(next === undefined ? { ...node, properties: without(members, name) } : (setAt(node, ["properties", name], next) as Obj));
  return (
    <Form.Provider value={{ ...context, place: own, members, probes: earlier }}>
      <ProbeId id={`${id}-id`} value={own.id} rename={rename} />
      {[...known, ...more].map((part) => (
        <FieldView key={part.name} field={part} path={[part.name]} id={`${id}-${part.name}`} members={members} set={(next) => change(part.name, next)} />
      ))}
    </Form.Provider>
  );
}

/** How the outcome names it. Taken over when one leaves it; an id that cannot be is not. */
function ProbeId({ id, value, rename }: { id: string; value: string; rename: (id: string) => void }): React.JSX.Element {
  const { session } = useApp();
  const { isReadOnly } = useForm();
  const [typed, setTyped] = useState<string | null>(null);
  const leave = (): void => {
    const next = typed?.trim() ?? value;
    setTyped(null);
    if (next === value) return;
    if (!/^[A-Za-z0-9_-]+$/.test(next)) session.message(t("id_has_wrong_letters", { id: next }), true);
    else if (isReserved(next)) session.message(t("id_is_reserved", { id: next }), true);
    else if (takenIds(session.tree).has(next)) session.message(t("id_is_taken", { id: next }), true);
    else rename(next);
  };
  return (
    <div className="field">
      <label htmlFor={id}>{t("id")}</label>
      <input id={id} type="text" className="input-code" autoComplete="off" spellCheck={false} value={typed ?? value} readOnly={isReadOnly} onChange={(event) => setTyped(event.target.value)} onBlur={leave} onKeyDown={(event) => event.key === "Enter" && leave()} />
    </div>
  );
}
