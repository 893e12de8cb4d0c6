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
  return (
    <div className="rows">
      {rows.map((row, at) => (
        <fieldset className="row-card" key={at} aria-label={t("row_of", { what: field.word, n: at + 1 })}>
          <Form.Provider value={{ ...context, members: isObj(row) ? row : {} }}>
            {(field.of ?? []).map((part) => (
              <FieldView key={part.name} field={part} path={[field.name, at, part.name]} id={`${id}-${at}-${part.name}`} members={isObj(row) ? row : {}} set={(next) => write(rows.map((each, index) => (index === at ? changed(row, part.name, next) : each)))} />
            ))}
          </Form.Provider>
          {!context.isReadOnly && <RowTools at={at} count={rows.length} move={(by) => write(moved(rows, at, by))} remove={() => write(rows.filter((_each, index) => index !== at))} />}
        </fieldset>
      ))}
      {!context.isReadOnly && <button type="button" className="button button-small" onClick={() => write([...rows, {}])}><Icon name="plus" />{t("add_row")}</button>}
    </div>
  );
}

export function moved(rows: readonly Json[], at: number, by: number): Json[] {
  const next = rows.slice();
  const [row] = next.splice(at, 1);
  next.splice(at + by, 0, row!);
  return next;
}

interface Tools {
  readonly at: number;
  readonly count: number;
  readonly move: (by: number) => void;
  readonly remove: () => void;
}

export function RowTools({ at, count, move, remove }: Tools): React.JSX.Element {
  const tool = (icon: string, word: string, isOff: boolean, act: () => void): React.JSX.Element => (
    <button type="button" className="button button-quiet button-icon button-small" disabled={isOff} aria-label={t(word)} title={t(word)} onClick={act}><Icon name={icon} /></button>
  );
  return (
    <div className="row-tools">
      {tool("chevron-up", "move_up", at === 0, () => move(-1))}
      {tool("chevron-down", "move_down", at === count - 1, () => move(1))}
      {tool("trash-2", "remove_row", false, remove)}
    </div>
  );
}

function changed(row: Json, name: string, next: Json | undefined): Obj {
  const { [name]: _old, ...rest } = isObj(row) ? row : {};
  const members = isObj(row) && Object.hasOwn(row, name) && next !== undefined ? { ...row, [name]: next } : next === undefined ? rest : { ...(isObj(row) ? row : {}), [name]: next };
  return members as Obj;
}
