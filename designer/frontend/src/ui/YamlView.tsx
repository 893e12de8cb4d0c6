// The flow as text, both ways. Broken text stays in the box with the place of the fault; the canvas stays on the last good one.

import { useEffect, useRef, useState } from "react";
import { t } from "../app/start";
import { useApp, useSession } from "./hooks";
import { Icon } from "./Icon";

const PAUSE_MS = 500;

export function YamlView(): React.JSX.Element {
  const { session, saving } = useApp();
  const document = useSession((state) => state.document);
  const [typed, setTyped] = useState<string | null>(null);
  const [fault, setFault] = useState<{ message: string; line: number | null } | null>(null);
  const [isChecking, setIsChecking] = useState(false);
  const lines = useRef<HTMLPreElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef("");
  const text = typed ?? saving.text;
  void document;
  useEffect(() => () => clearTimeout(timer.current), []);

  const take = (next: string): void => {
    setTyped(next);
    latest.current = next;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void check(next), PAUSE_MS);
  };
  const check = async (next: string): Promise<void> => {
    setIsChecking(true);
    const answer = await saving.check(next);
    setIsChecking(false);
    if (latest.current !== next) return;
    if (!answer.ok) return setFault({ message: answer.body.message, line: answer.body.line ?? null });
    setFault(null);
    saving.adopt(next, answer.body.content);
    setTyped(null);
  };
  const open = async (files: FileList | null): Promise<void> => {
    const [file] = files ?? [];
    if (file) take(await file.text());
  };
  const count = text.split("\n").length;
  return (
    <div
      className="yaml-view"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        if (!session.canChange || !event.dataTransfer.files.length) return;
        event.preventDefault();
        void open(event.dataTransfer.files);
      }}
    >
      <div className="yaml-bar">
        <p className="quiet small" role="status">{isChecking ? t("checking") : fault ? "" : t("yaml_words")}</p>
        {session.canChange && (
          <label className="button button-small push"><Icon name="file-up" />{t("open_file")}<input type="file" accept=".yaml,.yml,.json" className="visually-hidden" onChange={(event) => void open(event.target.files)} /></label>
        )}
        <a className="button button-small" href={session.start.urls.export} download><Icon name="file-down" />{t("export")}</a>
      </div>
      {fault && (
        <div className="note tone-red yaml-fault" role="alert">
          <Icon name="circle-alert" />
          <div className="note-words"><strong>{fault.line ? t("line_n", { n: fault.line }) : t("cannot_be_read")}</strong> {fault.message} <span className="quiet">{t("canvas_keeps_last")}</span></div>
        </div>
      )}
      <div className="yaml-editor">
        <pre className="yaml-lines" ref={lines} aria-hidden="true">{Array.from({ length: count }, (_each, at) => (fault?.line === at + 1 ? `▸${at + 1}` : String(at + 1))).join("\n")}</pre>
        <textarea
          aria-label={t("flow_as_yaml")}
          value={text}
          readOnly={!session.canChange}
          spellCheck={false}
          wrap="off"
          aria-invalid={fault ? true : undefined}
          onChange={(event) => take(event.target.value)}
          onScroll={(event) => {
            if (lines.current) lines.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
    </div>
  );
}
