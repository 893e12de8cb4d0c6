// Choosing one of many by name: functions, agents, people, flows, steps. What is typed searches; a path that is not listed can be kept.

import { useEffect, useId, useMemo, useRef, useState } from "react";
import { t } from "../../app/start";
import { Icon } from "../Icon";
import { isTemplate, useForm } from "./common";

export interface Option {
  readonly value: string;
  readonly word: string;
  readonly help?: string;
  readonly icon?: string;
  readonly group?: string;
}

interface Props {
  readonly id: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly set: (value: string | undefined) => void;
  readonly isInvalid: boolean;
  readonly describedBy?: string;
  /** Whether a text that is not in the list may stay: a path, or a template. */
  readonly isFree: boolean;
  /** What may stay is any name, not a path. */
  readonly isName?: boolean;
  readonly placeholder: string;
}

export function Combo({ id, value, options, set, isInvalid, describedBy, isFree, isName = false, placeholder }: Props): React.JSX.Element {
  const { isReadOnly } = useForm();
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const shown = typed ?? (options.find((option) => option.value === value)?.word ?? value);
  const isOpen = typed !== null;
  const found = useMemo(() => matching(options, typed === shownOf(options, value) ? "" : (typed ?? "")), [options, typed, value]);
  useEffect(() => setAt(0), [typed]);
  useEffect(() => {
    if (isOpen) document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at, isOpen, list]);

  const choose = (option: Option | undefined): void => {
    setTyped(null);
    if (option) set(option.value === "" ? undefined : option.value);
  };
  const leave = (): void => {
    if (typed === null) return;
    const text = typed.trim();
    setTyped(null);
    if (text === shownOf(options, value)) return;
    if (text === "") set(undefined);
    else {
      const exact = options.find((option) => option.word.toLowerCase() === text.toLowerCase() || option.value === text);
      if (exact) set(exact.value);
      else if (isFree && (isName || text.startsWith("/") || isTemplate(text))) set(text);
    }
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) return setTyped(shown);
      setAt((at + (event.key === "ArrowDown" ? 1 : found.length - 1)) % Math.max(1, found.length));
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      const text = typed.trim();
      if (isFree && (isTemplate(text) || ((isName || text.startsWith("/")) && found.length === 0))) leave();
      else choose(found[at]);
    } else if (event.key === "Escape" && isOpen) {
      event.stopPropagation();
      setTyped(null);
    }
  };
  return (
    <div className="combo">
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        value={shown}
        placeholder={placeholder}
        readOnly={isReadOnly}
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && found.length ? `${list}-${at}` : undefined}
        aria-invalid={isInvalid || undefined}
        aria-describedby={describedBy}
        onClick={() => !isReadOnly && typed === null && setTyped(shownOf(options, value))}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={leave}
      />
      <Icon name="chevron-down" />
      <ul className="combo-list" role="listbox" id={list} hidden={!isOpen} aria-label={placeholder}>
        {isOpen &&
          found.map((option, index) => (
            <li
              key={option.value}
              id={`${list}-${index}`}
              role="option"
              aria-selected={index === at}
              className={option.value === value ? "is-chosen" : undefined}
              onMouseDown={(event) => {
                event.preventDefault();
                choose(option);
              }}
            >
              {option.icon && <Icon name={option.icon} />}
              <span className="combo-words">
                <span>{option.word}</span>
                {option.help && <span className="combo-help">{option.help}</span>}
              </span>
            </li>
          ))}
        {isOpen && found.length === 0 && <li className="combo-none" role="option" aria-selected="false" aria-disabled="true">{t(isName ? "nothing_found_name" : isFree ? "nothing_found_path" : "nothing_found")}</li>}
      </ul>
    </div>
  );
}

function shownOf(options: readonly Option[], value: string): string {
  return options.find((option) => option.value === value)?.word ?? value;
}

export function matching(options: readonly Option[], typed: string): Option[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (option: Option): boolean => {
    const text = `${option.word} ${option.value} ${option.help ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const starts = (option: Option): number => (words.length && option.word.toLowerCase().startsWith(words[0]!) ? 0 : 1);
  return options.filter(fits).sort((a, b) => starts(a) - starts(b)).slice(0, 100);
}
