// What kind a step is, to be changed, and what it said while it was of another one.

import { kindOf } from "../app/describe";
import { asideOf, kindNamed, kindsFor } from "../app/kinds";
import { t } from "../app/start";
import { changeKind, settingsIn, setField } from "../model/commands";
import { without, type Obj } from "../model/json";
import { ASIDE } from "../model/references";
import type { Place } from "../model/tree";
import { useApp } from "./hooks";
import { Icon } from "./Icon";

export function KindField({ place }: { place: Place }): React.JSX.Element {
  const { session } = useApp();
  const { catalogue } = session.start;
  const choices = kindsFor(place, catalogue);
  if (!session.canChange || session.tree.isRuntime || choices.length === 1) return <p className="quiet small">{kindOf(place, catalogue).word}</p>;
  const change = (name: string): void => void session.run(changeKind(session.state.document, place.key, name, (each) => kindNamed(each, catalogue)));
  return (
    <select className="kind-choice" aria-label={t("kind_of_step")} title={t("kind_help")} value={place.kind} onChange={(event) => change(event.target.value)}>
      {choices.map((name) => <option key={name} value={name}>{kindNamed(name, catalogue).word}</option>)}
    </select>
  );
}

/** In words what changing the kind has put aside, and a way to be rid of it. */
export function PutAside({ place }: { place: Place }): React.JSX.Element | null {
  const { session } = useApp();
  const aside = asideOf(place.node);
  const remove = (name: string): void => {
    const left = without(aside as Obj, name);
    session.run(setField(session.state.document, place.key, [ASIDE], Object.keys(left).length ? left : undefined));
  };
  const lines = Object.entries(aside).map(([name, members]) => {
    const kind = kindNamed(name, session.start.catalogue);
    return { name, kind: kind.word, fields: settingsIn(members).map((each) => kind.settings.get(each) ?? each).join(", ") };
  }).filter((line) => line.fields);
  if (lines.length === 0) return null;
  return (
    <ul className="put-aside">
      {lines.map(({ name, kind, fields }) => (
        <li key={name}>
          <Icon name="archive" />
          <p>{t("kept_for_kind", { kind, fields })}</p>
          {session.canChange && <button type="button" className="button button-quiet button-icon button-small" aria-label={t("forget_kind", { kind })} title={t("forget_kind", { kind })} onClick={() => remove(name)}><Icon name="x" /></button>}
        </li>
      ))}
    </ul>
  );
}
