// What an expression can use at this point: the run's input, the steps before, loop variables, the last error. One click puts it in.

import { useEffect, useMemo, useRef, useState } from "react";
import { available, type Offer } from "../../app/offers";
import { inLoops, loopsAround, NONE } from "../../app/samples";
import { moment, t, typeWord } from "../../app/start";
import { sampleAt, shortly, withSamples } from "../../model/completion";
import { useApp, useSamples, useSession } from "../hooks";
import { Icon } from "../Icon";
import { useForm } from "./common";

export function ValuePicker({ put }: { put: (expression: string) => void }): React.JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" className="button button-quiet button-icon button-small picker-button" aria-label={t("put_value")} title={t("put_value")} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <Icon name="braces" />
      </button>
      {isOpen && <Offers put={put} close={() => setIsOpen(false)} />}
    </>
  );
}

function Offers({ put, close }: { put: (expression: string) => void; close: () => void }): React.JSX.Element {
  const { session } = useApp();
  const { place, probes } = useForm();
  const document = useSession((state) => state.document);
  const [typed, setTyped] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const samples = useSamples(true) ?? NONE;
  const values = useMemo(() => inLoops(samples.values, loopsAround(place)), [samples, place]);
  const offers = useMemo(() => withSamples(available(document, place?.key ?? null, session.start.catalogue, probes), values), [document, place, session, probes, values]);
  useEffect(() => {
    const outside = (event: PointerEvent): void => {
      if (!box.current?.parentElement?.contains(event.target as Node)) close();
    };
    window.addEventListener("pointerdown", outside);
    return () => window.removeEventListener("pointerdown", outside);
  }, [close]);
  const words = typed.toLowerCase();
  const fits = (offer: Offer): boolean => !words || `${offer.group} ${offer.word} ${offer.expression}`.toLowerCase().includes(words);
  const shown = offers.filter(fits);
  const groups = [...new Set(shown.map((offer) => offer.group))];
  return (
    <div
      className="offers"
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <input type="search" autoFocus aria-label={t("find_value")} placeholder={t("find_value")} value={typed} onChange={(event) => setTyped(event.target.value)} />
      {samples.run && <p className="offers-run help">{t(samples.run.is_test ? "samples_of_test" : "samples_of_run")} <a href={samples.run.url} target="_blank" rel="noopener">{moment(samples.run.at)}</a></p>}
      <div className="offers-list">
        {groups.map((group) => (
          <div key={group} role="group" aria-label={group}>
            <p className="offers-group" aria-hidden="true">{group}</p>
            {shown.filter((offer) => offer.group === group).map((offer) => (
              <button
                key={offer.expression}
                type="button"
                className="offer"
                onClick={() => {
                  put(offer.expression);
                  close();
                }}
              >
                <span className="offer-words">
                  <span>{offer.word}</span>
                  <span className="combo-help">{shortly(sampleAt(values, offer.expression))}</span>
                </span>
                <span className="offer-type">{typeWord(offer.type)}</span>
              </button>
            ))}
          </div>
        ))}
        {shown.length === 0 && <p className="help">{t("nothing_found")}</p>}
      </div>
    </div>
  );
}
