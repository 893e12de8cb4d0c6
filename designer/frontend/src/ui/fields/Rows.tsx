// A list of objects: rules, answers, hand-overs. Each row is a small form; rows can be moved, added, taken away.

import { t } from "../../app/start";
import { isObj, type Json, type Obj } from "../../model/json";
import { Icon } from "../Icon";
import { Form, useForm, type ControlProps } from "./common";
import { FieldView } from "./FieldView";

export function Rows({ id, field, value, set }: ControlProps): React.JSX.Element {
  const context = useForm();
  const rows: Json[] = Array.isArray(value) ? value : [];
  const write = (next: Json[]): void => set(next.length ? next : field.name === "rules" ? [] : undefined);
  const move = (at: number, by: number): void => {
    const next = rows.slice();
    const [row] = next.splice(at, 1);
    next.splice(at + by, 0, row!);
    write(next);
  };
  return (
    <div className="rows">
      {rows.map((row, at) => (
        <fieldset className="row-card" key={at} aria-label={t("row_of", { what: field.word, n: at + 1 })}>
          <Form.Provider value={{ ...context, members: isObj(row) ? row : {} }}>
            {(field.of ?? []).map((part) => (
              <FieldView key={part.name} field={part} path={[field.name, at, part.name]} id={`${id}-${at}-${part.name}`} members={isObj(row) ? row : {}} set={(next) => write(rows.map((each, index) => (index === at ? changed(row, part.name, next) : each)))} />
            ))}
          </Form.Provider>
          {!context.isReadOnly && (
            <div className="row-tools">
              <button type="button" className="button button-quiet button-icon button-small" disabled={at === 0} aria-label={t("move_up")} title={t("move_up")} onClick={() => move(at, -1)}><Icon name="chevron-up" /></button>
              <button type="button" className="button button-quiet button-icon button-small" disabled={at === rows.length - 1} aria-label={t("move_down")} title={t("move_down")} onClick={() => move(at, 1)}><Icon name="chevron-down" /></button>
              <button type="button" className="button button-quiet button-icon button-small" aria-label={t("remove_row")} title={t("remove_row")} onClick={() => write(rows.filter((_each, index) => index !== at))}><Icon name="trash-2" /></button>
            </div>
          )}
        </fieldset>
      ))}
      {!context.isReadOnly && <button type="button" className="button button-small" onClick={() => write([...rows, {}])}><Icon name="plus" />{t("add_row")}</button>}
    </div>
  );
}

function changed(row: Json, name: string, next: Json | undefined): Obj {
  const { [name]: _old, ...rest } = isObj(row) ? row : {};
  const members = isObj(row) && Object.hasOwn(row, name) && next !== undefined ? { ...row, [name]: next } : next === undefined ? rest : { ...(isObj(row) ? row : {}), [name]: next };
  return members as Obj;
}
