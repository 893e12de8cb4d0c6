// The line above the canvas: the flow, whether it is saved, views, undo, problems, publishing.

import { chipsOf, displayName, rowsOf, ruleWords, underName } from "../app/describe";
import type { SaveState, Session, View } from "../app/session";
import { sentence, t } from "../app/start";
import { slug } from "../model/ids";
import { CARD_WIDTH, layoutOf } from "../model/layout";
import { svgOf } from "../model/svg";
import { useApp, useSession } from "./hooks";
import { Icon } from "./Icon";

const SAVE_LOOKS: Readonly<Record<SaveState, readonly [string, string]>> = {
  saved: ["check", "tone-none"],
  unsaved: ["circle-ellipsis", "tone-none"],
  saving: ["refresh-cw", "tone-none"],
  paused: ["pause", "tone-amber"],
  offline: ["triangle-alert", "tone-amber"],
  "signed-out": ["log-in", "tone-amber"],
  conflict: ["git-compare", "tone-red"],
  refused: ["circle-alert", "tone-red"],
};

interface Props {
  readonly showsProblems: boolean;
  readonly toggleProblems: () => void;
  readonly publish: () => void;
  readonly versions: () => void;
  readonly find: () => void;
}

export function Bar({ showsProblems, toggleProblems, publish, versions, find }: Props): React.JSX.Element {
  const { session, saving } = useApp();
  const { urls, can, state } = session.start;
  const view = useSession((each) => each.view);
  const findings = useSession((each) => each.findings);
  const history = useSession((each) => each.history);
  const title = useSession((each) => titleOf(each.document) || state.title);
  const lines = useSession((each) => each.versions);
  const errors = findings.filter((each) => each.severity === "error").length;
  const warnings = findings.filter((each) => each.severity === "warning").length;
  const back = history.past[history.past.length - 1];
  const on = history.future[0];
  const views: [View, string, string][] = [["canvas", "workflow", "canvas"], ["outline", "list-tree", "outline"], ["yaml", "file-code", "yaml"]];
  return (
    <header className="design-bar">
      <a className="button button-quiet button-icon" href={urls.page} aria-label={t("back_to_flow")} title={t("back_to_flow")}><Icon name="arrow-left" /></a>
      <div className="design-title">
        <h1 className="truncate">{title}</h1>
        <Saved />
      </div>
      <Others />
      {session.canChange && (
        <div className="button-group design-undo" role="group" aria-label={t("history")}>
          <button type="button" className="button button-icon" disabled={!back} aria-label={back ? t("undo_what", { what: sentence(back.label) }) : t("undo")} title={back ? t("undo_what", { what: sentence(back.label) }) : t("undo")} onClick={() => session.undo()}><Icon name="undo-2" /></button>
          <button type="button" className="button button-icon" disabled={!on} aria-label={on ? t("redo_what", { what: sentence(on.label) }) : t("redo")} title={on ? t("redo_what", { what: sentence(on.label) }) : t("redo")} onClick={() => session.redo()}><Icon name="redo-2" /></button>
        </div>
      )}
      <div className="button-group design-views" role="group" aria-label={t("view")}>
        {views.map(([name, icon, word]) => (
          <button key={name} type="button" className="button" aria-pressed={view === name} aria-label={t(word)} title={t(word)} onClick={() => session.update({ view: name })}><Icon name={icon} /><span className="wide-word">{t(word)}</span></button>
        ))}
      </div>
      <div className="design-end">
        <button type="button" className="button button-quiet button-icon" aria-label={t("find_step")} title={`${t("find_step")} (Ctrl+F)`} onClick={find}><Icon name="search" /></button>
        <button type="button" className={`button design-problems ${errors ? "tone-red" : warnings ? "tone-amber" : ""}`} aria-pressed={showsProblems} onClick={toggleProblems}>
          <Icon name={errors ? "circle-alert" : warnings ? "triangle-alert" : "circle-check"} />
          <span className="wide-word">{t("problems")}</span>
          {errors + warnings > 0 && <span className="count">{errors || warnings}</span>}
        </button>
        <details className="menu">
          <summary className="button button-quiet button-icon" aria-label={t("more_actions")} title={t("more_actions")}><Icon name="ellipsis" /></summary>
          <div className="menu-panel">
            <button type="button" className="menu-item" onClick={versions}><Icon name="history" />{t("versions")}</button>
            <button type="button" className="menu-item" onClick={() => session.collapseAll(session.state.collapsed.size === 0)}><Icon name={session.state.collapsed.size ? "chevron-down" : "chevron-up"} />{t(session.state.collapsed.size ? "expand_all" : "collapse_all")}</button>
            <a className="menu-item" href={urls.export} download><Icon name="file-down" />{t("export")}</a>
            {session.canChange && <PauseItem />}
            <button type="button" className="menu-item" onClick={() => savePicture(session, title)}><Icon name="download" />{t("save_picture")}</button>
            <button type="button" className="menu-item" onClick={() => window.print()}><Icon name="image" />{t("print")}</button>
          </div>
        </details>
        {can.run && lines.length > 0 && <a className="button design-run" href={urls.run}><Icon name="play" /><span className="wide-word">{t("run")}</span></a>}
        {can.publish && session.canChange && <button type="button" className="button button-primary" onClick={() => void saving.typed.isRead().then((isRead) => (isRead ? saving.save().then(publish) : readFirst(session)))}><Icon name="send" />{t("publish")}</button>}
      </div>
    </header>
  );
}

/** A text that is not saved would not be published. */
function readFirst(session: Session): void {
  session.update({ view: "yaml" });
  session.message(t("text_first"), true);
}

function savePicture(session: Session, title: string): void {
  const { tree, state } = session;
  const { catalogue } = session.start;
  const chips = new Map(tree.places.map((place) => [place, chipsOf(place, tree, catalogue)]));
  const layout = layoutOf(tree, { collapsed: state.collapsed, rows: (place) => rowsOf(chips.get(place)!, CARD_WIDTH - 20) });
  const picture = svgOf(layout, {
    name: (place) => displayName(place, catalogue),
    under: (place) => underName(place, catalogue),
    chips: (place) => chips.get(place)!.map((chip) => chip.word),
    rule: ruleWords,
    start: t("start"),
    end: t("end"),
  });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([picture], { type: "image/svg+xml" }));
  link.download = `${slug(title) || "flow"}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function titleOf(document: import("../model/json").Obj): string {
  const own = document.properties;
  return own && typeof own === "object" && !Array.isArray(own) && typeof own.title === "string" ? own.title : "";
}

function PauseItem(): React.JSX.Element {
  const { saving } = useApp();
  const isPaused = useSession((state) => state.save === "paused");
  return <button type="button" className="menu-item" onClick={() => saving.pause(!isPaused)}><Icon name={isPaused ? "play" : "pause"} />{t(isPaused ? "autosave_on" : "autosave_off")}</button>;
}

/** Who edits now, besides oneself. What they save is merged step by step (model/merge.ts). */
function Others(): React.JSX.Element {
  const others = useSession((state) => state.others);
  const names = others.join(", ");
  return (
    <span className="others" role="status">
      {names && <span title={t("also_here_help")}><Icon name="users-round" /><span className="truncate">{t("also_here", { n: others.length, who: names })}</span></span>}
    </span>
  );
}

function Saved(): React.JSX.Element {
  const { session, saving } = useApp();
  const save = useSession((state) => state.save);
  const message = useSession((state) => state.saveMessage);
  const version = useSession((state) => state.versions[0]);
  const fault = useSession((state) => state.typed?.fault);
  const isShown = useSession((state) => state.view === "yaml");
  if (!session.canChange) return <span className="design-saved"><span className="badge"><Icon name="eye" />{t("read_only")}</span></span>;
  if (fault && save === "saved") {
    return (
      <span className="design-saved" role="status">
        <span className="saved tone-red" title={fault.message}><Icon name="circle-alert" /><span>{fault.line ? t("text_not_saved_line", { n: fault.line }) : t("text_not_saved")}</span></span>
        {!isShown && <button type="button" className="link-button" onClick={() => session.update({ view: "yaml" })}>{t("show_text")}</button>}
      </span>
    );
  }
  const [icon, tone] = SAVE_LOOKS[save];
  const needsHand = save === "paused" || save === "refused" || save === "offline";
  return (
    <span className="design-saved" role="status">
      <span className={`saved ${tone}`} title={message}><Icon name={icon} /><span>{t(`save_${save.replace("-", "_")}`)}</span></span>
      {save === "signed-out" && <a className="link-button" href={`${session.start.urls.sign_in}?next=${encodeURIComponent(location.pathname)}`} target="_blank" rel="noopener">{t("sign_in")}</a>}
      {save === "conflict" && <button type="button" className="link-button" onClick={() => session.update({ isConflictPutOff: false })}>{t("decide")}</button>}
      {needsHand && <button type="button" className="link-button" onClick={() => void saving.save()}>{t("save_now")}</button>}
      <span className="saved-version">{version ? (version.is_draft ? t("version_n", { n: version.number }) : t("newer_than", { n: version.number })) : t("only_draft")}</span>
    </span>
  );
}
