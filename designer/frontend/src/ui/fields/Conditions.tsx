// A condition in words: a value, how it compares, with what. The text behind it can be seen and written at any time.

import { useId, useMemo, useState } from "react";
import { available } from "../../app/offers";
import { t, typeWord } from "../../app/start";
import { asText, OPERATORS, shown, understood, written, type Comparison, type Condition, type Operator } from "../../model/conditions";
import { useApp, useSession } from "../hooks";
import { Icon } from "../Icon";
import { Combo } from "./Combo";
import { useForm, type ControlProps } from "./common";
import { Preview } from "./Preview";
import { Text } from "./Simple";

const NAMES: Readonly<Record<Operator, string>> = { "==": "is", "!=": "is_not", ">": "is_more", ">=": "is_at_least", "<": "is_less", "<=": "is_at_most" };

export function ConditionField(props: ControlProps): React.JSX.Element {
  const { isReadOnly } = useForm();
  const text = typeof props.value === "string" ? props.value : props.value === undefined || props.value === null ? "" : String(props.value);
  const words = understood(text);
  const [asWords, setAsWords] = useState(props.field.name === "condition" && text.trim() === "");
  const inWords = words !== null && (asWords || words.parts.length > 0) && !isReadOnly;
  const [keepsText, setKeepsText] = useState(false);
  if (!inWords || keepsText) {
    return (
      <div className="stack-tight">
        <Text {...props} lines={2} fx="condition" />
        {words && !isReadOnly && <button type="button" className="link-button" onClick={() => (setAsWords(true), setKeepsText(false))}>{t("in_words")}</button>}
      </div>
    );
  }
  return <Builder {...props} words={words} showText={() => setKeepsText(true)} />;
}

function Builder({ id, field, set, words, showText }: ControlProps & { words: Condition; showText: () => void }): React.JSX.Element {
  const { session } = useApp();
  const { place, probes } = useForm();
  const [isActive, setIsActive] = useState(false);
  const preview = useId();
  const document = useSession((state) => state.document);
  const [fresh, setFresh] = useState<Partial<Comparison> | null>(words.parts.length ? null : {});
  const offers = useMemo(() => available(document, place?.key ?? null, session.start.catalogue, probes), [document, place, session, probes]);
  const values = useMemo(() => new Set(offers.map((offer) => offer.expression)), [offers]);
  const options = offers.map((offer) => ({ value: offer.expression, word: `${offer.group}: ${offer.word}`, help: typeWord(offer.type) || offer.expression }));
  const write = (parts: readonly Comparison[], join = words.join): void => set(parts.length ? asText({ join, parts }) : undefined);
  const change = (at: number, part: Partial<Comparison>): void => {
    if (at < words.parts.length) return write(words.parts.map((each, index) => (index === at ? { ...each, ...part } : each)));
    const made = { operator: "==" as Operator, ...fresh, ...part };
    if (made.left && made.right !== undefined) {
      setFresh(null);
      write([...words.parts, made as Comparison]);
    } else setFresh(made);
  };
  const remove = (at: number): void => (at < words.parts.length ? write(words.parts.filter((_each, index) => index !== at)) : setFresh(null));
  const rows: Partial<Comparison>[] = fresh ? [...words.parts, fresh] : [...words.parts];
  return (
    <div className="rows" onFocus={() => setIsActive(true)} onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setIsActive(false)}>
      {rows.length > 1 && (
        <select aria-label={t("how_many_hold")} value={words.join} onChange={(event) => write(words.parts, event.target.value as Condition["join"])}>
          <option value="&&">{t("all_hold")}</option>
          <option value="||">{t("one_holds")}</option>
        </select>
      )}
      {rows.map((part, at) => (
        <fieldset className="row-card" key={at} aria-label={t("row_of", { what: field.word, n: at + 1 })}>
          <Combo id={at === 0 ? id : `${id}-${at}`} value={part.left ?? ""} options={part.left && !values.has(part.left) ? [...options, { value: part.left, word: part.left }] : options} set={(left) => left && change(at, { left })} isInvalid={false} isFree={false} placeholder={t("choose_value")} />
          <div className="comparison">
            <select aria-label={t("compares")} value={part.operator ?? "=="} onChange={(event) => change(at, { operator: event.target.value as Operator })}>
              {OPERATORS.map((each) => <option key={each} value={each}>{t(NAMES[each])}</option>)}
            </select>
            <Right value={part.right} set={(typed) => change(at, { right: written(typed, values) })} />
            <button type="button" className="button button-quiet button-icon button-small" aria-label={t("remove_row")} title={t("remove_row")} onClick={() => remove(at)}><Icon name="x" /></button>
          </div>
        </fieldset>
      ))}
      <div className="row">
        {!fresh && <button type="button" className="button button-small" onClick={() => setFresh({})}><Icon name="plus" />{t("add_condition")}</button>}
        <button type="button" className="link-button" onClick={showText}>{t("as_expression")}</button>
      </div>
      <Preview id={preview} text={asText(words)} kind="condition" isActive={isActive} />
    </div>
  );
}

/** Taken over when one leaves it: half a number is no other comparison. */
function Right({ value, set }: { value: string | undefined; set: (typed: string) => void }): React.JSX.Element {
  const [typed, setTyped] = useState<string | null>(null);
  const leave = (): void => {
    if (typed !== null && typed !== shown(value ?? "")) set(typed);
    setTyped(null);
  };
  return <input type="text" aria-label={t("with_what")} autoComplete="off" value={typed ?? shown(value ?? "")} onChange={(event) => setTyped(event.target.value)} onBlur={leave} onKeyDown={(event) => event.key === "Enter" && leave()} />;
}
