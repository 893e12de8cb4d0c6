// On a loop and a fan-out of a run: which turn or branch is shown inside, the ones beside it, and any other by its number.

import { useState } from "react";
import { displayName } from "../app/describe";
import type { Choice } from "../app/session";
import { t } from "../app/start";
import { CARD_WIDTH, CHOICE_ROW, HEAD, type Layout } from "../model/layout";
import { useApp, useSession } from "./hooks";
import { Icon } from "./Icon";

export function Choices({ layout }: { layout: Layout }): React.JSX.Element | null {
  const { session } = useApp();
  const shown = useSession((state) => state.shown);
  if (!shown) return null;
  const bars = session.tree.places.flatMap((place) => {
    const [choice, box] = [shown.choices[place.id], layout.boxes.get(place.key)];
    if (!choice || !box?.isOpen || session.tree.byId.get(place.id) !== place) return [];
    const name = displayName(place, session.start.catalogue);
    return [<Bar key={place.key} id={place.id} name={name} choice={choice} place={{ left: box.x, top: box.y + HEAD, width: box.width }} />];
  });
  const flow = shown.choices[""];
  return (
    <div className="choices">
      {flow && <Bar id="" name={session.start.state.title} choice={flow} place={{ left: layout.start.x - CARD_WIDTH / 2, top: layout.start.y - 14 - CHOICE_ROW, width: CARD_WIDTH }} />}
      {bars}
    </div>
  );
}

interface BarProps {
  /** Of the container; empty for the flow. */
  readonly id: string;
  readonly name: string;
  readonly choice: Choice;
  readonly place: { readonly left: number; readonly top: number; readonly width: number };
}

function Bar({ id, name, choice, place }: BarProps): React.JSX.Element {
  const { choose } = useApp();
  const { kind, at, count, of, failed, look } = choice;
  const pick = (number: number): void => {
    const wanted = Math.min(Math.max(1, number), count);
    if (wanted !== at) choose?.(id, wanted);
  };
  return (
    <div
      className="pick-bar nopan nowheel"
      role="group"
      aria-label={t(`choose_${kind}`, { name })}
      data-flow={id === "" ? "" : undefined}
      style={place}
      onKeyDown={(event) => event.stopPropagation()}
      onPointerDown={(event) => event.stopPropagation()}
    >
      <Step icon="chevron-left" word={t(`before_${kind}`)} isOff={at <= 1} act={() => pick(at - 1)} />
      <Number key={at} word={t(kind)} at={at} pick={pick} />
      <span className="pick-of">{t("of_n", { n: of })}</span>
      <Step icon="chevron-right" word={t(`after_${kind}`)} isOff={at >= count} act={() => pick(at + 1)} />
      <span className={`step-badge tone-${look.tone}`}><Icon name={look.icon} />{look.word}</span>
      {failed.some((each) => each !== at) && (
        <button type="button" className="pick-failed" title={t("next_failed")} onClick={() => pick(failed.find((each) => each > at) ?? failed[0]!)}>
          {t("n_failed", { n: failed.length })}
        </button>
      )}
    </div>
  );
}

function Step({ icon, word, isOff, act }: { icon: string; word: string; isOff: boolean; act: () => void }): React.JSX.Element {
  return (
    <button type="button" className="pick-step" aria-label={word} title={word} aria-disabled={isOff} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}

/** Typed numbers count when the field is left or Enter is pressed; what is no number changes nothing. */
function Number({ word, at, pick }: { word: string; at: number; pick: (number: number) => void }): React.JSX.Element {
  const [text, setText] = useState(String(at));
  const take = (): void => (/^\d{1,9}$/.test(text) && text !== String(at) ? pick(parseInt(text, 10)) : setText(String(at)));
  return (
    <label className="pick-number">
      <span>{word}</span>
      <input
        inputMode="numeric"
        autoComplete="off"
        value={text}
        size={Math.max(2, text.length)}
        onChange={(event) => setText(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === "Enter") take();
          if (event.key === "Escape") setText(String(at));
        }}
      />
    </label>
  );
}
