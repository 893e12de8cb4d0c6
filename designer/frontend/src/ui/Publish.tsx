// Publishing with a note, and the list of what was published: compared with the draft, or made the draft again.

import { useMemo, useState } from "react";
import { moment, t, type VersionLine } from "../app/start";
import { said } from "../model/change";
import { compared } from "../model/compare";
import type { Obj } from "../model/json";
import { Compare, Differences } from "./Compared";
import { Dialog } from "./Dialog";
import { useApp, useSession } from "./hooks";
import { Icon } from "./Icon";

export function PublishDialog({ close, showProblems }: { close: () => void; showProblems: () => void }): React.JSX.Element {
  const { session, saving } = useApp();
  const versions = useSession((state) => state.versions);
  const next = (versions[0]?.number ?? 0) + 1;
  const [note, setNote] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState("");
  const publish = async (): Promise<void> => {
    setIsBusy(true);
    const answer = await saving.publish(note);
    setIsBusy(false);
    if (answer.ok) {
      session.message(t(answer.body.is_new ? "published" : "nothing_new", { n: answer.body.number }), false);
      close();
    } else if (answer.body.findings) {
      close();
      showProblems();
      session.message(answer.body.message, true);
    } else setRefusal(answer.body.message);
  };
  return (
    <Dialog
      heading={t("publish_version", { n: next })}
      close={close}
      foot={
        <>
          <button type="button" className="button" onClick={close}>{t("go_back")}</button>
          <button type="button" className="button button-primary" aria-busy={isBusy || undefined} disabled={isBusy} onClick={() => void publish()}>{t("publish_version", { n: next })}</button>
        </>
      }
    >
      <p>{t("publish_words")}</p>
      <div className="field">
        <label htmlFor="publish-note">{t("what_changed")} <span className="optional">({t("optional")})</span></label>
        <textarea id="publish-note" rows={3} maxLength={2000} value={note} onChange={(event) => setNote(event.target.value)} />
      </div>
      {refusal && <p className="field-error" role="alert"><Icon name="circle-alert" />{refusal}</p>}
    </Dialog>
  );
}

export function VersionsDialog({ close }: { close: () => void }): React.JSX.Element {
  const { session, saving } = useApp();
  const versions = useSession((state) => state.versions);
  const [chosen, setChosen] = useState<{ line: VersionLine; content: Obj } | null>(null);
  const [isDrawn, setIsDrawn] = useState(false);
  const [refusal, setRefusal] = useState("");
  const open = async (line: VersionLine): Promise<void> => {
    const answer = await saving.version(line.number);
    if (answer.ok) setChosen({ line, content: answer.body.content });
    else setRefusal(answer.body.message);
  };
  if (chosen && isDrawn) return <CompareDialog before={chosen.content} number={chosen.line.number} close={() => setIsDrawn(false)} />;
  const restore = (): void => {
    session.replace(chosen!.content, said("restored_version", { n: chosen!.line.number }));
    close();
  };
  return (
    <Dialog
      key="versions"
      heading={t("versions")}
      close={close}
      size="wide"
      foot={
        chosen && session.canChange ? (
          <button type="button" className="button button-primary" onClick={restore}><Icon name="archive-restore" />{t("restore_version", { n: chosen.line.number })}</button>
        ) : undefined
      }
    >
      {versions.length === 0 && <p className="quiet">{t("no_versions")}</p>}
      {refusal && <p className="field-error">{refusal}</p>}
      <ul className="version-list">
        {versions.map((line) => (
          <li key={line.number}>
            <button type="button" className="version" aria-pressed={chosen?.line.number === line.number} onClick={() => void open(line)}>
              <strong>{t("version_n", { n: line.number })}</strong>
              {line.is_draft && <span className="badge tone-accent">{t("same_as_draft")}</span>}
              <span className="version-note">{line.note}</span>
              <span className="quiet small">{[line.by, moment(line.at)].filter(Boolean).join(" · ")}</span>
            </button>
          </li>
        ))}
      </ul>
      {chosen && <Since before={chosen.content} number={chosen.line.number} close={close} draw={() => setIsDrawn(true)} />}
      {versions.length > 1 && <p><a href={session.start.urls.compare}>{t("compare_others")}</a></p>}
    </Dialog>
  );
}

function Since({ before, number, close, draw }: { before: Obj; number: number; close: () => void; draw: () => void }): React.JSX.Element {
  const { session } = useApp();
  const document = useSession((state) => state.document);
  const comparison = useMemo(() => compared(before, document), [before, document]);
  return (
    <section className="compared">
      <div className="compared-head">
        <h3>{t("since_version", { n: number })}</h3>
        <button type="button" className="button button-small push" onClick={draw}><Icon name="git-compare" />{t("show_on_diagram")}</button>
      </div>
      <Differences
        comparison={comparison}
        versions={{ before, after: document }}
        catalogue={session.start.catalogue}
        canChoose={(each) => each.after !== null}
        choose={(_key, each) => {
          close();
          session.reveal(each.after!.key, each.fields[0]?.path[0] ?? null);
        }}
      />
    </section>
  );
}

function CompareDialog({ before, number, close }: { before: Obj; number: number; close: () => void }): React.JSX.Element {
  const { session, saving } = useApp();
  const document = useSession((state) => state.document);
  const { words, icons, language, catalogue, state } = session.start;
  const data = useMemo(() => ({ words, icons, language, catalogue, title: state.title }), [words, icons, language, catalogue, state.title]);
  return (
    <Dialog heading={`${t("version_n", { n: number })} → ${t("the_draft")}`} close={close} size="full">
      <Compare before={before} after={document} data={data} saving={saving} />
    </Dialog>
  );
}
