// Two versions of a flow on one canvas, and their differences as a list beside it: what is chosen in one is chosen in the other.

import { useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { fieldWords, markOf, marksOf, stoodWords, wayMarksOf } from "../app/differences";
import { displayName } from "../app/describe";
import type { Saving } from "../app/saving";
import { t, type Catalogue } from "../app/start";
import { stillSession, type Still } from "../app/still";
import { compared, type Comparison, type Difference, type DifferenceKind, type FieldChange } from "../model/compare";
import type { Obj } from "../model/json";
import { treeOf, type Place } from "../model/tree";
import { Canvas } from "./Canvas";
import { AppContext, useApp, useSession } from "./hooks";
import { Icon } from "./Icon";

export interface Versions {
  readonly before: Obj;
  readonly after: Obj;
}

interface Props extends Versions {
  readonly data: Omit<Still, "content">;
  readonly saving: Saving;
}

export function Compare({ before, after, data, saving }: Props): React.JSX.Element {
  const comparison = useMemo(() => compared(before, after), [before, after]);
  const session = useMemo(() => stillSession({ ...data, content: comparison.document }, marksOf(comparison.byKey), wayMarksOf(comparison.byKey)), [comparison, data]);
  const app = useMemo(() => ({ session, saving, openInsert: () => undefined }), [session, saving]);
  const page = useRef<HTMLDivElement>(null);
  const show = (key: string): void => {
    flushSync(() => session.reveal(key)); // a folded container around the step has to open first
    page.current?.querySelector<HTMLElement>(`[role=treeitem][data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  };
  return (
    <AppContext.Provider value={app}>
      <div className="compare" ref={page}>
        <div className="compare-canvas"><Canvas /></div>
        <Beside comparison={comparison} versions={{ before, after }} show={show} />
      </div>
    </AppContext.Provider>
  );
}

/** `show` brings a step into view and puts the focus on it. */
function Beside({ comparison, versions, show }: { comparison: Comparison; versions: Versions; show: (key: string) => void }): React.JSX.Element {
  const { session } = useApp();
  const chosen = useSession((state) => state.selection[0] ?? "");
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <section className="compare-list" aria-label={t("differences")} ref={list}>
      {comparison.byKey.size > 1 && <Walk comparison={comparison} />}
      <Differences comparison={comparison} versions={versions} catalogue={session.start.catalogue} chosen={chosen} choose={show} />
    </section>
  );
}

/** From one difference to the next, and behind the last to the first. The focus stays here, so what is shown is told. */
function Walk({ comparison }: { comparison: Comparison }): React.JSX.Element {
  const { session } = useApp();
  const [said, setSaid] = useState("");
  const go = (by: 1 | -1): void => {
    const all = [...comparison.byKey];
    const at = all.findIndex(([key]) => key === session.state.selection[0]);
    const [key, { kinds, before, after }] = all[at < 0 && by < 0 ? all.length - 1 : (at + by + all.length) % all.length]!;
    session.reveal(key);
    setSaid(`${kinds.map((kind) => markOf(kind).word).join(", ")}: ${displayName((after ?? before)!, session.start.catalogue)}`);
  };
  const step = (icon: string, word: string, by: 1 | -1): React.JSX.Element => (
    <button type="button" className="button button-icon button-small" aria-label={t(word)} title={t(word)} onClick={() => go(by)}><Icon name={icon} /></button>
  );
  return (
    <div className="compare-walk button-group" role="group" aria-label={t("differences")}>
      {step("chevron-up", "previous_difference", -1)}
      {step("chevron-down", "next_difference", 1)}
      <span className="visually-hidden" role="status">{said}</span>
    </div>
  );
}

interface ListProps {
  readonly comparison: Comparison;
  readonly versions: Versions;
  readonly catalogue: Catalogue;
  readonly chosen?: string;
  /** Called with the key of a step in the drawn flow, and the step itself. */
  readonly choose: (key: string, difference: Difference) => void;
  readonly canChoose?: (difference: Difference) => boolean;
}

export function Differences({ comparison, versions, catalogue, chosen, choose, canChoose = () => true }: ListProps): React.JSX.Element {
  const { byKey, flow } = comparison;
  const count = byKey.size + (flow.length ? 1 : 0);
  if (count === 0) return <p className="quiet">{t("no_difference")}</p>;
  return (
    <>
      <p className="compared-count">{t("n_differences", { n: count })}</p>
      <ul className="compared-list">
        {flow.length > 0 && (
          <li>
            <Badges kinds={["changed"]} />
            <span className="compared-name">{t("this_flow")}</span>
            <Fields changes={flow} place={null} versions={versions} catalogue={catalogue} />
          </li>
        )}
        {[...byKey].map(([key, each]) => {
          const place = (each.after ?? each.before)!;
          const name = displayName(place, catalogue);
          return (
            <li key={key}>
              <Badges kinds={each.kinds} />
              {canChoose(each) ? <button type="button" className="link-button compared-name" aria-current={key === chosen ? "true" : undefined} onClick={() => choose(key, each)}>{name}</button> : <span className="compared-name">{name}</span>}
              {each.kinds.includes("moved") && <p className="quiet small">{stoodWords(each.before!, treeOf(versions.before), catalogue)}</p>}
              <Fields changes={each.fields} place={place} versions={versions} catalogue={catalogue} />
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Badges({ kinds }: { kinds: readonly DifferenceKind[] }): React.JSX.Element {
  return (
    <>
      {kinds.map(markOf).map((mark) => (
        <span key={mark.status} className={`badge tone-${mark.tone}`}><Icon name={mark.icon} />{mark.word}</span>
      ))}
    </>
  );
}

function Fields({ changes, place, versions, catalogue }: { changes: readonly FieldChange[]; place: Place | null; versions: Versions; catalogue: Catalogue }): React.JSX.Element | null {
  if (changes.length === 0) return null;
  const trees = { before: treeOf(versions.before), after: treeOf(versions.after) };
  return (
    <dl className="compared-fields">
      {changes.map((change) => {
        const { name, before, after } = fieldWords(change, place, trees, catalogue);
        return (
          <div key={change.path.join(".")}>
            <dt>{name}</dt>
            <dd><span className="visually-hidden">{t("value_was")} </span><del>{before}</del> <span aria-hidden="true">→</span> <span className="visually-hidden">{t("value_is")} </span><ins>{after}</ins></dd>
          </div>
        );
      })}
    </dl>
  );
}
