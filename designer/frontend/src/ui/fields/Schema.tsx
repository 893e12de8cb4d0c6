// A form built by hand: a JSON Schema of an object, one row a question. What else the schema says stays as it is.

import { useState } from "react";
import { t } from "../../app/start";
import { slug } from "../../model/ids";
import { fromPairs, get, isObj, isText, without, type Json, type Obj } from "../../model/json";
import { Icon } from "../Icon";
import { useForm, type ControlProps } from "./common";
import { JsonText } from "./Simple";

const KINDS: Readonly<Record<string, Obj>> = {
  text: { type: "string" },
  long: { type: "string", format: "textarea" },
  number: { type: "number" },
  whole: { type: "integer" },
  flag: { type: "boolean" },
  date: { type: "string", format: "date" },
  choice: { type: "string", enum: [] },
  list: { type: "array" },
};

function kindOf(question: Json): string {
  if (Array.isArray(get(question, "enum"))) return "choice";
  const type = get(question, "type");
  const format = get(question, "format");
  if (type === "string") return format === "date" ? "date" : format === "textarea" ? "long" : "text";
  return { number: "number", integer: "whole", boolean: "flag", array: "list" }[String(type)] ?? "other";
}

export function Schema(props: ControlProps): React.JSX.Element {
  const { id, value, set } = props;
  const { isReadOnly } = useForm();
  const [asText, setAsText] = useState(false);
  const schema: Obj = isObj(value) ? value : {};
  const properties = isObj(schema.properties) ? schema.properties : {};
  const isForm = value === undefined || (isObj(value) && (schema.type === undefined || schema.type === "object"));
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const write = (next: Obj, needed: string[]): void => {
    if (Object.keys(next).length === 0 && Object.keys(without(without(without(schema, "properties"), "required"), "type")).length === 0) return set(undefined);
    const made: Obj = { type: "object", ...schema, properties: next, required: needed };
    set(needed.length ? made : without(made, "required"));
  };
  const change = (name: string, question: Obj): void => write(fromPairs(Object.entries(properties).map(([each, old]) => [each, each === name ? question : old] as const)), required);
  const add = (): void => {
    let name = slug(t("new_question"));
    for (let n = 2; Object.hasOwn(properties, name); n += 1) name = `${slug(t("new_question"))}_${n}`;
    write({ ...properties, [name]: { type: "string", title: "" } }, required);
  };
  return (
    <div className="rows">
      {!asText && isForm ? (
        <>
          {Object.entries(properties).map(([name, question]) => (
            <Question
              key={name}
              id={`${id}-${name}`}
              name={name}
              question={isObj(question) ? question : {}}
              isRequired={required.includes(name)}
              change={(next) => change(name, next)}
              rename={(next) => {
                if (!next || Object.hasOwn(properties, next)) return;
                write(fromPairs(Object.entries(properties).map(([each, old]) => [each === name ? next : each, old] as const)), required.map((each) => (each === name ? next : each)));
              }}
              setRequired={(is) => write(properties, is ? [...required, name] : required.filter((each) => each !== name))}
              remove={() => write(without(properties, name), required.filter((each) => each !== name))}
            />
          ))}
          {!isReadOnly && <button type="button" className="button button-small" onClick={add}><Icon name="plus" />{t("add_question")}</button>}
        </>
      ) : (
        <JsonText {...props} />
      )}
      {isForm && <button type="button" className="link-button" onClick={() => setAsText(!asText)}>{t(asText ? "as_form" : "as_json")}</button>}
    </div>
  );
}

interface QuestionProps {
  readonly id: string;
  readonly name: string;
  readonly question: Obj;
  readonly isRequired: boolean;
  readonly change: (question: Obj) => void;
  readonly rename: (name: string) => void;
  readonly setRequired: (is: boolean) => void;
  readonly remove: () => void;
}

function Question({ id, name, question, isRequired, change, rename, setRequired, remove }: QuestionProps): React.JSX.Element {
  const { isReadOnly } = useForm();
  const kind = kindOf(question);
  const title = isText(question.title) ? question.title : "";
  const isFresh = name.startsWith(slug(t("new_question")));
  return (
    <fieldset className="row-card" aria-label={title || name}>
      <div className="field">
        <label htmlFor={`${id}-title`}>{t("question")}</label>
        <input id={`${id}-title`} type="text" value={title} placeholder={name} readOnly={isReadOnly} onChange={(event) => change({ ...question, title: event.target.value })} onBlur={() => isFresh && title && rename(slug(title))} />
      </div>
      <div className="field-row">
        <div className="field">
          <label htmlFor={`${id}-kind`}>{t("answer_is")}</label>
          <select id={`${id}-kind`} value={kind} disabled={isReadOnly} onChange={(event) => change({ ...without(without(without(question, "enum"), "format"), "type"), ...KINDS[event.target.value] })}>
            {Object.keys(KINDS).map((each) => <option key={each} value={each}>{t(`answer_${each}`)}</option>)}
            {kind === "other" && <option value="other">{t("answer_other")}</option>}
          </select>
        </div>
        <div className="field">
          <label htmlFor={`${id}-name`}>{t("short_name")}</label>
          <input id={`${id}-name`} type="text" className="input-code" defaultValue={name} key={name} readOnly={isReadOnly} onBlur={(event) => rename(event.target.value.trim())} />
        </div>
      </div>
      {kind === "choice" && (
        <div className="field">
          <label htmlFor={`${id}-enum`}>{t("choices")}</label>
          <textarea id={`${id}-enum`} rows={3} defaultValue={(question.enum as Json[]).map(String).join("\n")} readOnly={isReadOnly} placeholder={t("one_a_line")} onChange={(event) => change({ ...question, enum: event.target.value.split("\n").map((each) => each.trim()).filter(Boolean) })} />
        </div>
      )}
      <div className="row-tools">
        <label className="check"><input type="checkbox" checked={isRequired} disabled={isReadOnly} onChange={(event) => setRequired(event.target.checked)} />{t("must_be_answered")}</label>
        {!isReadOnly && <button type="button" className="button button-quiet button-icon button-small push" aria-label={t("remove_row")} title={t("remove_row")} onClick={remove}><Icon name="trash-2" /></button>}
      </div>
    </fieldset>
  );
}
