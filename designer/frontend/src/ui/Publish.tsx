// Publishing with a note, and the list of what was published: compared with the draft, or made the draft again.

import { useState } from "react";
import { displayName } from "../app/describe";
import { moment, t, type VersionLine } from "../app/start";
import { said } from "../model/change";
import { differences } from "../model/compare";
import type { Obj } from "../model/json";
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
  const [refusal, setRefusal] = useState("");
  const open = async (line: VersionLine): Promise<void> => {
    const answer = await saving.version(line.number);
    if (answer.ok) setChosen({ line, content: answer.body.content });
    else setRefusal(answer.body.message);
  };
  const restore = (): void => {
    session.replace(chosen!.content, said("restored_version", { n: chosen!.line.number }));
    close();
  };
  return (
    <Dialog
      heading={t("versions")}
      close={close}
      wide
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
      {chosen && <Compared before={chosen.content} number={chosen.line.number} close={close} />}
    </Dialog>
  );
}

const LOOKS = { added: ["plus", "tone-green"], removed: ["minus", "tone-red"], changed: ["pencil", "tone-amber"], moved: ["arrow-right-left", "tone-blue"] } as const;

function Compared({ before, number, close }: { before: Obj; number: number; close: () => void }): React.JSX.Element {
  const { session } = useApp();
  const document = useSession((state) => state.document);
  const { steps, flow } = differences(before, document);
  return (
    <section className="compared">
      <h3>{t("since_version", { n: number })}</h3>
      {steps.length + flow.length === 0 && <p className="quiet">{t("no_difference")}</p>}
      <ul className="compared-list">
        {steps.map((each) => {
          const [icon, tone] = LOOKS[each.kind];
          const name = displayName(each.place, session.start.catalogue);
          return (
            <li key={each.kind + each.id} className={tone}>
              <span className={`badge ${tone}`}><Icon name={icon} />{t(`diff_${each.kind}`)}</span>
              {each.kind === "removed" ? <span>{name}</span> : <button type="button" className="link-button" onClick={() => (close(), session.reveal(each.place.key, each.fields[0] ?? null))}>{name}</button>}
              {each.fields.length > 0 && <span className="quiet small">{each.fields.join(", ")}</span>}
            </li>
          );
        })}
        {flow.length > 0 && <li><span className="badge tone-amber"><Icon name="pencil" />{t("diff_changed")}</span>{t("this_flow")} <span className="quiet small">{flow.join(", ")}</span></li>}
      </ul>
    </section>
  );
}
