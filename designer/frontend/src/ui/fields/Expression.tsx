// A text with expressions in it: completion while typing, a button that lists what can be read, the value under the field.

import { useId, useMemo, useRef, useState } from "react";
import { available } from "../../app/offers";
import { inLoops, loopsAround, NONE } from "../../app/samples";
import { t, typeWord } from "../../app/start";
import { completion, shortly, taken, type Completion, type Suggestion } from "../../model/completion";
import { useApp, useSamples } from "../hooks";
import { useForm, type ControlProps } from "./common";
import { ValuePicker } from "./Picker";
import { Preview } from "./Preview";

type Element = HTMLInputElement & HTMLTextAreaElement;

export function Expression({ id, field, value, set, isInvalid, describedBy, lines = 1, fx }: ControlProps & { lines?: number; fx: "template" | "condition" }): React.JSX.Element {
  const { isReadOnly } = useForm();
  const input = useRef<Element>(null);
  const [isActive, setIsActive] = useState(false);
  const shown = value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
  const preview = useId();
  const write = (text: string, cursor: number): void => {
    set(text === "" ? undefined : text);
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(cursor, cursor);
    });
  };
  const help = useCompletion({ kind: fx, isActive: isActive && !isReadOnly, input, write });
  const put = (expression: string): void => {
    const element = input.current!;
    const text = fx === "condition" ? expression : field.type === "value" && shown === "" ? `\${${expression}}` : `{{ ${expression} }}`;
    const [from, to] = [element.selectionStart ?? shown.length, element.selectionEnd ?? shown.length];
    write(shown.slice(0, from) + text + shown.slice(to), from + text.length);
  };
  const shared = {
    id,
    ref: input,
    value: shown,
    readOnly: isReadOnly,
    spellCheck: false,
    autoComplete: "off",
    className: fx === "condition" ? "input-code" : undefined,
    placeholder: field.default === undefined ? undefined : String(field.default),
    "aria-invalid": isInvalid || undefined,
    "aria-describedby": [describedBy, isActive ? preview : ""].filter(Boolean).join(" ") || undefined,
    ...help.attributes,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      set(event.target.value === "" ? undefined : event.target.value);
      help.look(event.target.value, event.target.selectionStart ?? 0);
    },
    onKeyDown: help.onKeyDown,
    onBlur: help.close,
  };
  return (
    <div
      className="expression"
      onFocus={() => setIsActive(true)}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setIsActive(false);
      }}
    >
      <div className="with-picker">
        {lines > 1 ? <textarea rows={lines} {...shared} /> : <input type="text" {...shared} />}
        {!isReadOnly && <ValuePicker put={put} />}
        {help.list}
      </div>
      <Preview id={preview} text={shown} kind={fx} isActive={isActive} />
    </div>
  );
}

interface Wanted {
  readonly kind: "template" | "condition";
  readonly isActive: boolean;
  readonly input: React.RefObject<Element | null>;
  readonly write: (text: string, cursor: number) => void;
}

interface Help {
  readonly look: (text: string, cursor: number, isAsked?: boolean) => void;
  readonly close: () => void;
  readonly onKeyDown: (event: React.KeyboardEvent) => void;
  readonly attributes: React.AriaAttributes;
  readonly list: React.JSX.Element | null;
}

/** The list that opens while one types. Tab and Escape leave the text as it is; Ctrl and Space open the list unasked. */
function useCompletion({ kind, isActive, input, write }: Wanted): Help {
  const { session } = useApp();
  const { place, probes } = useForm();
  const { catalogue } = session.start;
  const samples = useSamples(isActive) ?? NONE;
  const values = useMemo(() => inLoops(samples.values, loopsAround(place)), [samples, place]);
  const [asked, setAsked] = useState<{ readonly text: string; readonly cursor: number; readonly isAsked: boolean } | null>(null);
  const found = useMemo(() => {
    if (!asked) return null;
    const known = available(session.state.document, place?.key ?? null, catalogue, probes);
    return completion(asked.text, asked.cursor, kind, known, values, catalogue.language, asked.isAsked);
    // the document changes with each letter, and so does what is asked
  }, [asked, values, kind, catalogue, session, place?.key, probes]);
  const [at, setAt] = useState(0);
  const list = useId();
  const look = (text: string, cursor: number, isAsked = false): void => {
    setAsked({ text, cursor, isAsked });
    setAt(0);
  };
  const take = (suggestion: Suggestion): void => {
    const made = taken(input.current!.value, found!, suggestion);
    setAsked(null);
    write(made.text, made.cursor);
  };
  const count = found?.suggestions.length ?? 0;
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const element = input.current!;
    if (event.key === " " && event.ctrlKey) look(element.value, element.selectionStart ?? 0, true);
    else if (!found) return;
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") setAt((at + (event.key === "ArrowDown" ? 1 : count - 1)) % count);
    else if (event.key === "Enter") take(found.suggestions[at]!);
    else if (event.key === "Escape") {
      event.stopPropagation();
      setAsked(null);
    } else return event.key === "ArrowLeft" || event.key === "ArrowRight" ? setAsked(null) : undefined;
    event.preventDefault();
  };
  return {
    look,
    close: () => setAsked(null),
    onKeyDown,
    attributes: { "aria-autocomplete": "list", "aria-haspopup": "listbox", "aria-controls": found ? list : undefined, "aria-activedescendant": found ? `${list}-${at}` : undefined },
    list: found && isActive ? <Suggestions id={list} found={found} at={at} take={take} /> : null,
  };
}

function Suggestions({ id, found, at, take }: { id: string; found: Completion; at: number; take: (suggestion: Suggestion) => void }): React.JSX.Element {
  return (
    <ul className="combo-list suggestions" role="listbox" id={id} aria-label={t("suggestions")}>
      {found.suggestions.map((each, index) => (
        <li
          key={each.insert}
          id={`${id}-${index}`}
          ref={index === at ? (row) => row?.scrollIntoView({ block: "nearest" }) : undefined}
          role="option"
          aria-selected={index === at}
          onMouseDown={(event) => {
            event.preventDefault();
            take(each);
          }}
        >
          <span className="combo-words">
            <span className="suggestion-head"><code>{each.kind === "value" ? each.text : each.insert}</code><span className="offer-type">{typeWord(each.type)}</span></span>
            <span className="combo-help">{each.sample === undefined ? each.help : `${each.help} · ${shortly(each.sample)}`}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
