// The page put together, and what floats above it: the list at a +, dialogs, what was just done.

import { useEffect, useMemo, useState } from "react";
import { pulse } from "../app/presence";
import type { Saving } from "../app/saving";
import type { Session } from "../app/session";
import { t } from "../app/start";
import { Bar } from "./Bar";
import { Canvas } from "./Canvas";
import { Dialog } from "./Dialog";
import { Find } from "./Find";
import { AppContext, useApp, useSession, type App as Context, type InsertRequest } from "./hooks";
import { Icon } from "./Icon";
import { listen } from "./keys";
import { Outline } from "./Outline";
import { InsertList, Palette } from "./Palette";
import { Panel } from "./Panel";
import { Problems } from "./Problems";
import { PublishDialog, VersionsDialog } from "./Publish";
import { YamlView } from "./YamlView";

export function App({ session, saving }: { session: Session; saving: Saving }): React.JSX.Element {
  const [request, setRequest] = useState<InsertRequest | null>(null);
  const app = useMemo((): Context => ({ session, saving, openInsert: (next) => session.canChange && setRequest(next) }), [session, saving]);
  return (
    <AppContext.Provider value={app}>
      <Page />
      {request && <InsertList request={request} close={() => setRequest(null)} />}
    </AppContext.Provider>
  );
}

function Page(): React.JSX.Element {
  const app = useApp();
  const { session } = app;
  const view = useSession((state) => state.view);
  const save = useSession((state) => state.save);
  const isConflictPutOff = useSession((state) => state.isConflictPutOff);
  const [showsProblems, setShowsProblems] = useState(false);
  const [dialog, setDialog] = useState<"publish" | "versions" | null>(null);
  const [finds, setFinds] = useState(false);
  const isPhone = useIsPhone();
  useEffect(() => listen(app, () => setFinds(true)), [app]);
  useEffect(() => {
    app.saving.restore();
    app.saving.typed.restore();
  }, [app]);
  useEffect(() => pulse(session, app.saving), [app, session]);
  return (
    <div className="design" data-view={view}>
      <Bar
        showsProblems={showsProblems}
        toggleProblems={() => setShowsProblems(!showsProblems)}
        publish={() => (session.state.findings.some((each) => each.severity === "error") ? setShowsProblems(true) : setDialog("publish"))}
        versions={() => setDialog("versions")}
        find={() => setFinds(true)}
      />
      <div className="design-body">
        {view === "canvas" && session.canChange && !isPhone && <Palette />}
        <div className="design-main">
          {view === "canvas" ? <Canvas /> : view === "outline" ? <Outline /> : <YamlView />}
          {finds && <Find close={() => setFinds(false)} />}
          {showsProblems && <Problems close={() => setShowsProblems(false)} />}
        </div>
        {view !== "yaml" && (isPhone ? <PhonePanel /> : <Panel />)}
      </div>
      <Message />
      {dialog === "publish" && <PublishDialog close={() => setDialog(null)} showProblems={() => setShowsProblems(true)} />}
      {dialog === "versions" && <VersionsDialog close={() => setDialog(null)} />}
      {save === "conflict" && !isConflictPutOff && <ConflictDialog />}
    </div>
  );
}

function useIsPhone(): boolean {
  const query = useMemo(() => window.matchMedia("(max-width: 720px)"), []);
  const [is, setIs] = useState(query.matches);
  useEffect(() => {
    const change = (): void => setIs(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, [query]);
  return is;
}

/** On a phone the form of a step covers the list until it is closed. */
function PhonePanel(): React.JSX.Element | null {
  const { session } = useApp();
  const selection = useSession((state) => state.selection);
  const [isOpen, setIsOpen] = useState(false);
  const reveal = useSession((state) => state.reveal);
  useEffect(() => {
    if (reveal?.field) setIsOpen(true);
  }, [reveal]);
  if (selection.length === 0) return null;
  if (!isOpen) {
    return (
      <button type="button" className="button button-primary phone-edit" onClick={() => setIsOpen(true)}>
        <Icon name={session.canChange ? "pencil" : "eye"} />{t(session.canChange ? "edit_step" : "look_at_step")}
      </button>
    );
  }
  return <div className="phone-panel"><Panel close={() => setIsOpen(false)} /></div>;
}

function Message(): React.JSX.Element {
  const { text, id, isProblem } = useSession((state) => state.message);
  const [hidden, setHidden] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setHidden(id), isProblem ? 9000 : 2500);
    return () => clearTimeout(timer);
  }, [id, isProblem]);
  return (
    <div className="message-place" aria-live="polite">
      {text && hidden !== id && (
        <p className={`message ${isProblem ? "tone-amber message-problem" : ""}`} key={id}>
          {isProblem && <Icon name="triangle-alert" />}
          <span>{text}</span>
        </p>
      )}
    </div>
  );
}

function ConflictDialog(): React.JSX.Element {
  const { session, saving } = useApp();
  const theirs = useSession((state) => state.theirs);
  const message = useSession((state) => state.saveMessage);
  return (
    <Dialog
      heading={t("conflict_heading", { who: theirs?.changed_by || t("somebody") })}
      close={() => session.update({ isConflictPutOff: true })}
      foot={
        <>
          <button type="button" className="button" onClick={() => saving.settle("theirs")}>{t("take_theirs")}</button>
          <button type="button" className="button button-primary" onClick={() => saving.settle("mine")}>{t("keep_mine")}</button>
        </>
      }
    >
      <p>{message}</p>
      <p>{t("conflict_words")}</p>
    </Dialog>
  );
}
