// What the doctor found in the draft as it is now: a click goes to the field, and what can be repaired with one click is.

import { displayName } from "../app/describe";
import { t, type Finding } from "../app/start";
import { remove, rename, setField } from "../model/commands";
import type { Outcome } from "../model/change";
import { freshId, takenIds } from "../model/ids";
import { setAt, type Obj, type Path } from "../model/json";
import { hiddenIds } from "../model/references";
import { withNode, type Place } from "../model/tree";
import { changed, said } from "../model/change";
import type { Session } from "../app/session";
import { useApp, useSession } from "./hooks";
import { Icon } from "./Icon";

const LOOKS = { error: ["circle-alert", "tone-red"], warning: ["triangle-alert", "tone-amber"], suggestion: ["lightbulb", "tone-blue"] } as const;
const ORDER = { error: 0, warning: 1, suggestion: 2 } as const;

export function Problems({ close }: { close: () => void }): React.JSX.Element {
  const { session } = useApp();
  const findings = useSession((state) => state.findings);
  const save = useSession((state) => state.save);
  const sorted = [...findings].sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
  return (
    <section className="problems" aria-label={t("problems")}>
      <header className="problems-head">
        <h2>{t("problems")}</h2>
        <span className="quiet small" role="status">{save === "saved" ? countWords(findings) : t("checking")}</span>
        <button type="button" className="button button-quiet button-icon button-small push" aria-label={t("close")} onClick={close}><Icon name="x" /></button>
      </header>
      {sorted.length === 0 ? (
        <p className="problems-none"><Icon name="circle-check" />{t("no_problems")}</p>
      ) : (
        <ol className="problems-list">
          {sorted.map((finding, at) => <ProblemRow key={`${finding.code}${finding.node}${finding.field}${at}`} finding={finding} session={session} />)}
        </ol>
      )}
    </section>
  );
}

export function countWords(findings: readonly Finding[]): string {
  const count = (severity: string): number => findings.filter((each) => each.severity === severity).length;
  const [errors, warnings, hints] = [count("error"), count("warning"), count("suggestion")];
  const parts = [errors && t("n_errors", { n: errors }), warnings && t("n_warnings", { n: warnings }), hints && t("n_hints", { n: hints })];
  return parts.filter(Boolean).join(", ") || t("no_problems");
}

function ProblemRow({ finding, session }: { finding: Finding; session: Session }): React.JSX.Element {
  const own = finding.node ? (session.tree.byId.get(finding.node) ?? null) : null;
  // a step of a reconcile stands in no tree; its owner's form shows it
  const owner = finding.node && !own ? (session.tree.places.find((each) => hiddenIds(each.node).includes(finding.node)) ?? null) : null;
  const place = own ?? owner;
  const [icon, tone] = LOOKS[finding.severity];
  const fix = own && session.canChange ? fixOf(finding, own, session) : null;
  const go = (): void => {
    if (place) session.reveal(place.key, owner ? "reconcile" : finding.field || "*");
    else session.select([]);
  };
  return (
    <li className={`problem-row ${tone}`}>
      <button type="button" className="problem-go" onClick={go}>
        <Icon name={icon} />
        <span className="visually-hidden">{t(finding.severity)}</span>
        <span className="problem-words">
          <strong>{place ? displayName(place, session.start.catalogue) : t("this_flow")}</strong> {finding.message}
        </span>
        <code className="problem-code">{finding.code}</code>
      </button>
      {fix && <button type="button" className="button button-small" onClick={() => session.run(fix.make())}><Icon name="wrench" />{fix.word}</button>}
    </li>
  );
}

interface Fix {
  readonly word: string;
  readonly make: () => Outcome;
}

const JUMP_CODES: ReadonlySet<string> = new Set(["INVALID_ERROR_EDGE", "INVALID_TIMEOUT_EDGE", "INVALID_BRANCH_TARGET", "EDGE_LEAVES_BRANCH"]);

/** One click for what has only one sensible repair. */
function fixOf(finding: Finding, place: Place, session: Session): Fix | null {
  const { document } = session.state;
  const [name] = finding.field.split(".");
  if (JUMP_CODES.has(finding.code) && name) return { word: t("fix_remove_jump"), make: () => setField(document, place.key, [name], undefined) };
  if (finding.code === "INVALID_RULE_TARGET") return { word: t("fix_remove_rule"), make: () => withoutRule(document, place, finding.field) };
  if (finding.code === "EMPTY_CONTAINER") return { word: t("fix_delete_container"), make: () => remove(document, [place.key]) };
  if (finding.code === "DUPLICATE_NODE_ID") {
    const twice = session.tree.places.filter((each) => each.id === place.id)[1];
    return twice ? { word: t("fix_new_id"), make: () => rename(document, twice.key, freshId(twice.id, takenIds(session.tree))) } : null;
  }
  return null;
}

function withoutRule(document: Obj, place: Place, field: string): Outcome {
  const path: Path = field.split(".").slice(0, 2).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const node = setAt(place.node, path, undefined) as Obj;
  return changed(document, said("fix_remove_rule"), { document: withNode(document, place, node), select: [place.key] });
}
