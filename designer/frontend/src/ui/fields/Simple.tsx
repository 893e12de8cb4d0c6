// Controls for single values.

import { useEffect, useState } from "react";
import { delaysOf, inUnits, milliseconds, parsed, PRESETS, short } from "../../model/durations";
import { get, isObj, type Json } from "../../model/json";
import { duration, t } from "../../app/start";
import { Icon } from "../Icon";
import { isTemplate, useForm, type ControlProps } from "./common";
import { Expression } from "./Expression";

/** Text of one or several lines; with `fx` one in which expressions stand. */
export function Text({ fx, ...props }: ControlProps & { lines?: number; fx?: "template" | "condition" }): React.JSX.Element {
  return fx ? <Expression {...props} fx={fx} /> : <Plain {...props} />;
}

function Plain({ id, field, value, set, isInvalid, describedBy, lines = 1 }: ControlProps & { lines?: number }): React.JSX.Element {
  const { isReadOnly } = useForm();
  const shown = value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
  const shared = {
    id,
    value: shown,
    readOnly: isReadOnly,
    "aria-invalid": isInvalid || undefined,
    "aria-describedby": describedBy,
    placeholder: field.default === undefined ? undefined : String(field.default),
    spellCheck: true,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => set(event.target.value === "" ? undefined : event.target.value),
  };
  return lines > 1 ? <textarea rows={lines} {...shared} /> : <input type="text" autoComplete="off" {...shared} />;
}

export function Numeric({ id, field, value, set, isInvalid, describedBy }: ControlProps): React.JSX.Element {
  const { isReadOnly } = useForm();
  return (
    <input
      id={id}
      type="number"
      inputMode={field.type === "count" ? "numeric" : "decimal"}
      min={field.type === "number" ? undefined : 0}
      max={field.type === "share" ? 1 : undefined}
      step={field.type === "count" ? 1 : "any"}
      value={typeof value === "number" ? value : ""}
      placeholder={field.default === undefined ? undefined : String(field.default)}
      readOnly={isReadOnly}
      aria-invalid={isInvalid || undefined}
      aria-describedby={describedBy}
      onChange={(event) => set(event.target.value === "" ? undefined : Number(event.target.value))}
    />
  );
}

export function Flag({ id, field, value, set, describedBy }: ControlProps): React.JSX.Element {
  const { isReadOnly } = useForm();
  const isOn = value === undefined ? field.default === true : value === true;
  return (
    <label className="switch">
      <input id={id} type="checkbox" role="switch" checked={isOn} disabled={isReadOnly} aria-describedby={describedBy} onChange={(event) => set(event.target.checked === (field.default === true) ? undefined : event.target.checked)} />
      <span>{field.word}</span>
    </label>
  );
}

export function ChoiceList({ id, field, value, set, isInvalid, describedBy }: ControlProps): React.JSX.Element {
  const { isReadOnly } = useForm();
  const own = value === undefined || value === null ? "" : String(value);
  const known = (field.choices ?? []).some((choice) => choice.value === own);
  const none = field.choices?.find((choice) => choice.value === field.default)?.word;
  return (
    <select id={id} value={own} disabled={isReadOnly} aria-invalid={isInvalid || undefined} aria-describedby={describedBy} onChange={(event) => set(event.target.value === "" ? undefined : event.target.value)}>
      <option value="">{none ? t("by_default", { what: none }) : t("not_set")}</option>
      {(field.choices ?? []).map((choice) => (
        <option key={choice.value} value={choice.value}>{choice.word}</option>
      ))}
      {own !== "" && !known && <option value={own}>{own}</option>}
    </select>
  );
}

const UNITS = ["second", "minute", "hour", "day"] as const;

/** An amount and a unit; in a definition milliseconds, seconds, or a text such as 2d. A template can stand in its place. */
export function Duration(props: ControlProps): React.JSX.Element {
  const { id, field, value, set, isInvalid, describedBy } = props;
  const { isReadOnly } = useForm();
  const ms = typeof value === "number" ? value * (field.type === "seconds" ? 1000 : 1) : typeof value === "string" ? parsed(value) : null;
  const [unit, setUnit] = useState(() => (ms ? inUnits(ms).unit : field.type === "milliseconds" ? "second" : "day"));
  const [asTemplate, setAsTemplate] = useState(isTemplate(value));
  useEffect(() => {
    if (ms && (ms / milliseconds(1, unit)) % 1 !== 0) setUnit(inUnits(ms).unit);
  }, [ms, unit]);
  const write = (amount: number | null, in_: string): void => {
    if (amount === null) return set(undefined);
    const whole = Math.round(milliseconds(amount, in_));
    set(field.type === "milliseconds" ? whole : field.type === "seconds" ? whole / 1000 : short(whole));
  };
  if (asTemplate || isTemplate(value) || (typeof value === "string" && value !== "" && ms === null)) {
    return (
      <div className="stack-tight">
        <Text {...props} fx="template" />
        {!isReadOnly && <button type="button" className="link-button" onClick={() => (setAsTemplate(false), set(undefined))}>{t("as_duration")}</button>}
      </div>
    );
  }
  const amount = ms === null ? "" : String(ms / milliseconds(1, unit));
  return (
    <div className="duration">
      <input id={id} type="number" min={0} step="any" inputMode="decimal" value={amount} readOnly={isReadOnly} aria-invalid={isInvalid || undefined} aria-describedby={describedBy} onChange={(event) => write(event.target.value === "" ? null : Number(event.target.value), unit)} />
      <select
        aria-label={t("unit")}
        value={unit}
        disabled={isReadOnly}
        onChange={(event) => {
          setUnit(event.target.value);
          if (ms !== null) write(ms / milliseconds(1, unit), event.target.value);
        }}
      >
        {(unit === "ms" ? ["ms", ...UNITS] : UNITS).map((name) => <option key={name} value={name}>{t(`units_${name}`)}</option>)}
      </select>
      {field.type !== "milliseconds" && !isReadOnly && (
        <button type="button" className="button button-quiet button-icon button-small" title={t("as_template")} aria-label={t("as_template")} onClick={() => setAsTemplate(true)}><Icon name="braces" /></button>
      )}
    </div>
  );
}

/** A preset, or numbers of one's own; either way the pauses that come of it are said. */
export function Retry({ id, field, value, set, describedBy, preset, setBoth }: ControlProps & { preset: Json | undefined; setBoth: (retry: Json | undefined, preset: Json | undefined) => void }): React.JSX.Element {
  const { isReadOnly } = useForm();
  const own = isObj(value) ? value : null;
  const chosen = own ? "own" : typeof preset === "string" ? preset : "";
  const policy = own ? { max_retries: numberOf(own.max_retries), base_delay_ms: numberOf(own.base_delay_ms), max_delay_ms: numberOf(own.max_delay_ms) } : (PRESETS[chosen] ?? null);
  const delays = policy ? delaysOf(policy as never) : [];
  const change = (name: string, next: Json | undefined): void => {
    const { [name]: _old, ...rest } = own ?? {};
    set(next === undefined ? rest : { ...rest, [name]: next });
  };
  const number = (name: string, type: string, word: string): React.JSX.Element => {
    const part = { name, type, word, section: "" };
    const Control = type === "milliseconds" ? Duration : Numeric;
    return (
      <div className="field">
        <label htmlFor={`${id}-${name}`}>{word}</label>
        <Control id={`${id}-${name}`} field={part} value={get(own ?? {}, name)} set={(next) => change(name, next)} isInvalid={false} />
      </div>
    );
  };
  return (
    <div className="stack-tight">
      <select
        id={id}
        value={chosen}
        disabled={isReadOnly}
        aria-describedby={describedBy}
        onChange={(event) => {
          const next = event.target.value;
          if (next === "own") setBoth({ ...(PRESETS[chosen] ?? PRESETS.quick!) }, undefined);
          else setBoth(undefined, next === "" ? undefined : next);
        }}
      >
        <option value="">{t("as_usual")}</option>
        {(field.choices ?? []).map((choice) => <option key={choice.value} value={choice.value}>{choice.word}</option>)}
        <option value="own">{t("own_numbers")}</option>
        {chosen && chosen !== "own" && !field.choices?.some((choice) => choice.value === chosen) && <option value={chosen}>{chosen}</option>}
      </select>
      {own && (
        <div className="indented">
          {number("max_retries", "count", t("how_often"))}
          {number("base_delay_ms", "milliseconds", t("first_pause"))}
          {number("max_delay_ms", "milliseconds", t("longest_pause"))}
          {number("jitter", "share", t("jitter"))}
        </div>
      )}
      {delays.length > 0 && <p className="help">{t("pauses", { list: delays.slice(0, 6).map((each) => duration(each)).join(", ") + (delays.length > 6 ? " …" : "") })}</p>}
    </div>
  );
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}

/** Anything, as JSON. What cannot be read stays in the box and out of the flow. */
export function JsonText({ id, value, set, describedBy }: ControlProps): React.JSX.Element {
  const { isReadOnly } = useForm();
  const said = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const [draft, setDraft] = useState<string | null>(null);
  const [isWrong, setIsWrong] = useState(false);
  useEffect(() => setDraft(null), [said]);
  const take = (text: string): void => {
    setDraft(text);
    if (text.trim() === "") return setIsWrong(false), set(undefined);
    try {
      set(JSON.parse(text) as Json);
      setIsWrong(false);
    } catch {
      const isPlain = !/^[\s]*[[{"]/.test(text);
      if (isPlain) set(text);
      setIsWrong(!isPlain);
    }
  };
  return (
    <>
      <textarea id={id} className="input-code" rows={Math.min(10, Math.max(2, said.split("\n").length))} value={draft ?? said} readOnly={isReadOnly} spellCheck={false} aria-invalid={isWrong || undefined} aria-describedby={describedBy} onChange={(event) => take(event.target.value)} onBlur={() => !isWrong && setDraft(null)} />
      {isWrong && <p className="field-error">{t("no_json")}</p>}
    </>
  );
}

/** Texts, one a line. */
export function Words({ id, value, set, describedBy }: ControlProps): React.JSX.Element {
  const { isReadOnly } = useForm();
  const list = Array.isArray(value) ? value.map(String) : [];
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <textarea
      id={id}
      rows={2}
      value={draft ?? list.join("\n")}
      readOnly={isReadOnly}
      aria-describedby={describedBy}
      placeholder={t("one_a_line")}
      onChange={(event) => {
        setDraft(event.target.value);
        const words = event.target.value.split("\n").map((each) => each.trim()).filter(Boolean);
        set(words.length ? words : undefined);
      }}
      onBlur={() => setDraft(null)}
    />
  );
}
