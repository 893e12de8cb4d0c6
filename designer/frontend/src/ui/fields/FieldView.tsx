// One field: label, control by its type, help, and what the doctor says of it. Also the group, which is a form inside a form.

import { useId } from "react";
import { isAsked } from "../../app/kinds";
import { t, type Field } from "../../app/start";
import { get, isObj, without, type Json, type Obj, type Path } from "../../model/json";
import { useSession } from "../hooks";
import { Icon } from "../Icon";
import { ConditionField } from "./Conditions";
import { Form, isTemplate, useForm, type ControlProps } from "./common";
import { Reference, StepChoice, Target } from "./References";
import { Rows } from "./Rows";
import { Schema } from "./Schema";
import { ChoiceList, Duration, Flag, JsonText, Numeric, Retry, Text, Words } from "./Simple";
import { Steps } from "./Steps";
import { Values } from "./Values";

type Control = (props: ControlProps) => React.JSX.Element;

const CONTROLS: Readonly<Record<string, Control>> = {
  text: Text,
  long: (props) => <Text {...props} lines={3} />,
  template: (props) => <Text {...props} fx="template" />,
  long_template: (props) => <Text {...props} lines={3} fx="template" />,
  value: (props) => <Text {...props} fx="template" />,
  condition: ConditionField,
  number: Numeric,
  count: Numeric,
  share: Numeric,
  flag: Flag,
  choice: ChoiceList,
  milliseconds: Duration,
  seconds: Duration,
  duration: Duration,
  function: Reference,
  agent: Reference,
  flow: Reference,
  person: Reference,
  target: Target,
  step: StepChoice,
  child: StepChoice,
  values: Values,
  rows: Rows,
  words: Words,
  steps: Steps,
  schema: Schema,
  json: JsonText,
};

interface Props {
  readonly field: Field;
  readonly path: Path;
  readonly id: string;
  /** The object whose member this is; for a step the value may also stand on the node. */
  readonly members: Obj;
  readonly set: (value: Json | undefined) => void;
  /** For a control that writes several members at once. */
  readonly setMany?: (values: Readonly<Record<string, Json | undefined>>) => void;
}

export function FieldView({ field, path, id, members, set, setMany }: Props): React.JSX.Element | null {
  const { place } = useForm();
  const help = useId();
  const value = get(members, field.name);
  const findings = useSession((state) => JSON.stringify(state.findings.filter((each) => each.node === (place?.id ?? "") && isAbout(each.field, path, field)).map((each) => [each.severity, each.message])));
  if (!isShown(field, members, value)) return null;
  const about = JSON.parse(findings) as [string, string][];
  const isInvalid = about.some(([severity]) => severity === "error");
  const control = { id, field, value, set, isInvalid, describedBy: field.help || about.length ? help : undefined };
  const Shown = CONTROLS[field.type] ?? JsonText;
  const isAlone = field.type === "flag" || field.type === "group";
  return (
    <div className={`field field-${field.type}`} data-field={path.join(".")}>
      {!isAlone && <label htmlFor={id}>{field.word}</label>}
      {field.type === "group" ? (
        <Group {...control} path={path} />
      ) : field.type === "retry" ? (
        <Retry
          {...control}
          preset={get(members, "retry_strategy")}
          setBoth={(retry, retry_strategy) => setMany?.({ retry, retry_strategy })}
        />
      ) : (
        <Shown {...control} />
      )}
      <div id={help} className="field-notes">
        {field.help && <p className="help">{field.help}</p>}
        {about.map(([severity, message]) => (
          <p key={message} className={`field-finding finding-${severity}`}><Icon name={severity === "error" ? "circle-alert" : severity === "warning" ? "triangle-alert" : "lightbulb"} />{message}</p>
        ))}
      </div>
    </div>
  );
}

/** A finding belongs to the field it names, or to the innermost one that has a control of its own. */
function isAbout(found: string, path: Path, field: Field): boolean {
  const own = path.join(".");
  if (found === own || (field.covers ?? []).includes(found)) return true;
  const isLeaf = !["group", "rows", "steps"].includes(field.type);
  return isLeaf && found.startsWith(`${own}.`);
}

function isShown(field: Field, members: Obj, value: Json | undefined): boolean {
  return value !== undefined || isAsked(field, members);
}

/** The steps inside a group, whose results its other fields can read. */
function probesIn(field: Field, members: Obj): Obj[] | undefined {
  const name = field.of?.find((part) => part.type === "steps")?.name;
  const steps = name === undefined ? undefined : get(members, name);
  return Array.isArray(steps) ? steps.filter(isObj) : undefined;
}

function Group({ id, field, value, set, path }: ControlProps & { path: Path }): React.JSX.Element {
  const context = useForm();
  const isThere = isObj(value) || field.name === "loop" || field.name === "chat_config" || field.name === "ai_config" || field.name === "referee";
  const members: Obj = isObj(value) ? value : {};
  const change = (name: string, next: Json | undefined): void => {
    const rest = without(members, name);
    const made = next === undefined ? rest : Object.hasOwn(members, name) ? { ...members, [name]: next } : { ...members, [name]: next };
    set(made);
  };
  if (isTemplate(value)) return <Text id={id} field={field} value={value} set={set} isInvalid={false} fx="template" />;
  if (!isThere) {
    return (
      <button id={id} type="button" className="button button-small group-add" disabled={context.isReadOnly} onClick={() => set({})}>
        <Icon name="plus" />{field.word}
      </button>
    );
  }
  return (
    <fieldset className="group">
      <legend>
        {field.word}
        {!context.isReadOnly && isObj(value) && <button type="button" className="button button-quiet button-icon button-small" aria-label={t("remove_group", { what: field.word })} title={t("remove_group", { what: field.word })} onClick={() => set(undefined)}><Icon name="x" /></button>}
      </legend>
      <Form.Provider value={{ ...context, members, probes: probesIn(field, members) ?? context.probes, setMembers: set }}>
        {(field.of ?? []).map((part) => (
          <FieldView key={part.name} field={part} path={[...path, part.name]} id={`${id}-${part.name}`} members={members} set={(next) => change(part.name, next)} />
        ))}
        {Object.keys(members).filter((name) => !(field.of ?? []).some((part) => part.name === name)).map((name) => (
          <FieldView key={name} field={{ name, type: "json", word: name, section: "" }} path={[...path, name]} id={`${id}-${name}`} members={members} set={(next) => change(name, next)} />
        ))}
      </Form.Provider>
    </fieldset>
  );
}

