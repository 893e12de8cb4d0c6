// Under a field with an expression: what it gives on the values of the last run, or what is wrong with it and where.

import { useEffect, useState } from "react";
import { loopsAround, type Tried } from "../../app/samples";
import { t, typeWord } from "../../app/start";
import { useApp, useSamples } from "../hooks";
import { Icon } from "../Icon";
import { isTemplate, useForm } from "./common";

const PAUSE_MS = 400;

interface Props {
  readonly id: string;
  readonly text: string;
  readonly kind: "template" | "condition";
  /** Only the field that somebody is at is tried; a page of fields asks nothing. */
  readonly isActive: boolean;
}

export function Preview({ id, text, kind, isActive }: Props): React.JSX.Element | null {
  const { saving } = useApp();
  const { place } = useForm();
  const samples = useSamples(isActive);
  const [tried, setTried] = useState<{ text: string; answer: Tried } | null>(null);
  const isExpression = isActive && (kind === "condition" ? text.trim() !== "" : isTemplate(text));
  useEffect(() => {
    if (!isExpression) return setTried(null);
    let isCurrent = true;
    const timer = setTimeout(() => {
      void saving.tried({ kind, value: text, step: place?.id ?? "", loops: loopsAround(place) }).then((answer) => {
        if (isCurrent) setTried(answer && { text, answer });
      });
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [isExpression, text, kind, place, saving]);
  if (!isExpression || !tried || !samples) return <div id={id} className="preview-none" />;
  const { error, type, value } = tried.answer;
  if (error) return <Fault id={id} text={tried.text} error={error} />;
  if (value === undefined) return <p id={id} className="preview help">{t("no_run_to_try")}</p>;
  return (
    <div id={id} className="preview">
      <p className="preview-of">{t(samples.run?.is_test ? "in_last_test" : "in_last_run")}<span className="offer-type">{typeWord(type ?? "")}</span></p>
      <output className="preview-value">{value === "" ? <em>{t("empty_text")}</em> : value}</output>
    </div>
  );
}

/** The line around the fault with the place marked: an error of the language, or something the last run's values do not bear. */
function Fault({ id, text, error }: { id: string; text: string; error: NonNullable<Tried["error"]> }): React.JSX.Element {
  const line = [...(text.split("\n")[error.line - 1] ?? "")];
  const at = Math.min(error.column - 1, line.length);
  const part = (from: number, to: number): string => line.slice(Math.max(0, from), to).join("");
  const isParse = error.kind === "parse";
  return (
    <div id={id} className={`preview preview-fault ${isParse ? "finding-error" : "finding-warning"}`}>
      <p><Icon name={isParse ? "circle-alert" : "triangle-alert"} />{isParse ? error.message : t("fails_on_last_run", { why: error.message })}</p>
      <code>{at > 24 && "…"}{part(at - 24, at)}<mark>{part(at, at + 1) || "␣"}</mark>{part(at + 1, at + 24)}{line.length > at + 24 && "…"}</code>
    </div>
  );
}
