// Names with values: the arguments of a function as its manifest lists them, or names of one's own.

import { useState } from "react";
import { t, type Field } from "../../app/start";
import { referencePath } from "../../app/describe";
import { get, isObj, isText, setAt, without, type Json, type Obj } from "../../model/json";
import { setting } from "../../model/tree";
import { useApp } from "../hooks";
import { Icon } from "../Icon";
import { useForm, type ControlProps } from "./common";
import { JsonText, Text } from "./Simple";

interface Argument {
  readonly name: string;
  readonly word: string;
  readonly help: string;
  readonly type: string;
  readonly isRequired: boolean;
}

export function Values(props: ControlProps): React.JSX.Element {
  const { id, field, value, set } = props;
  const { isReadOnly } = useForm();
  const known = useArguments(field);
  const [fresh, setFresh] = useState("");
  const [asTemplate, setAsTemplate] = useState(false);
  if (isText(value) || asTemplate) return <Text {...props} fx="template" />;
  if (value !== undefined && value !== null && !isObj(value)) return <JsonText {...props} />;
  const members: Obj = isObj(value) ? value : {};
  const more = Object.keys(members).filter((name) => !known.some((each) => each.name === name));
  const change = (name: string, next: Json | undefined): void => {
    const made = next === undefined ? without(members, name) : (setAt(members, [name], next) as Obj);
    set(Object.keys(made).length ? made : undefined);
  };
  const add = (): void => {
    const name = fresh.trim();
    if (name && !Object.hasOwn(members, name)) change(name, "");
    setFresh("");
  };
  return (
    <div className="values">
      {known.map((each) => (
        <div className="field" key={each.name}>
          <label htmlFor={`${id}-${each.name}`}>{each.word}{!each.isRequired && <span className="optional"> ({t("optional")})</span>}</label>
          <Cell id={`${id}-${each.name}`} value={get(members, each.name)} type={each.type} set={(next) => change(each.name, next)} />
          {each.help && <p className="help">{each.help}</p>}
        </div>
      ))}
      {more.map((name) => (
        <div className="field" key={name}>
          <div className="values-head">
            <label htmlFor={`${id}-${name}`}>{name}</label>
            {!isReadOnly && <button type="button" className="button button-quiet button-icon button-small" aria-label={t("remove_value", { name })} title={t("remove_value", { name })} onClick={() => change(name, undefined)}><Icon name="x" /></button>}
          </div>
          <Cell id={`${id}-${name}`} value={members[name]} type="" set={(next) => change(name, next ?? "")} />
        </div>
      ))}
      {!isReadOnly && (
        <div className="values-new">
          <input type="text" value={fresh} aria-label={t("name_of_value")} placeholder={t("name_of_value")} onChange={(event) => setFresh(event.target.value)} onKeyDown={(event) => event.key === "Enter" && (event.preventDefault(), add())} />
          <button type="button" className="button button-small" disabled={!fresh.trim()} onClick={add}><Icon name="plus" />{t("add")}</button>
          {Object.keys(members).length === 0 && <button type="button" className="button button-quiet button-icon button-small" aria-label={t("as_template")} title={t("as_template")} onClick={() => setAsTemplate(true)}><Icon name="braces" /></button>}
        </div>
      )}
    </div>
  );
}

/** One value: a text with or without {{ }}; numbers, flags and lists as JSON where the schema or the value says so. */
function Cell({ id, value, type, set }: { id: string; value: Json | undefined; type: string; set: (value: Json | undefined) => void }): React.JSX.Element {
  const isPlain = value === undefined || isText(value);
  const take = (next: Json | undefined): void => {
    if (!isText(next) || (isPlain && (type === "" || type === "string"))) return set(next);
    try {
      const read = JSON.parse(next) as Json;
      set(isText(read) ? next : read);
    } catch {
      set(next);
    }
  };
  return <Text id={id} field={{ name: id, type: "value", word: "", section: "" }} value={value} set={take} isInvalid={false} fx="template" />;
}

/** What the function takes that the field is about, or for `of_result` what it gives. */
function useArguments(field: Field): Argument[] {
  const { session } = useApp();
  const { place, members } = useForm();
  const about = field.of_function ?? field.of_result;
  if (!about) return [];
  const reference = get(members, about) ?? (place ? setting(place.node, about) : undefined);
  const path = referencePath(reference);
  const found = session.start.catalogue.functions.find((each) => each.path === path);
  const schema = field.of_result ? found?.output_schema : found?.input_schema;
  const required = get(schema, "required");
  const properties = get(schema, "properties");
  if (!isObj(properties)) return [];
  return Object.entries(properties).map(([name, each]) => ({
    name,
    word: isText(get(each, "title")) ? String(get(each, "title")) : name,
    help: isText(get(each, "description")) ? String(get(each, "description")) : "",
    type: isText(get(each, "type")) ? String(get(each, "type")) : "",
    isRequired: Array.isArray(required) && required.includes(name),
  }));
}
