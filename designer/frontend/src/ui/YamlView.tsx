// The flow as text, both ways. Broken text stays in the box with the place of the fault; the canvas stays on the last good one.

import { useRef } from "react";
import { t } from "../app/start";
import { useApp, useSession } from "./hooks";
import { Icon } from "./Icon";

export function YamlView(): React.JSX.Element {
  const { session, saving } = useApp();
  const typed = useSession((state) => state.typed);
  useSession((state) => state.document); // what the canvas changes is written anew
  const lines = useRef<HTMLPreElement>(null);
  const text = typed?.text ?? saving.text;
  const fault = typed?.fault ?? null;

  const open = async (files: FileList | null): Promise<void> => {
    const [file] = files ?? [];
    if (file) saving.typed.take(await file.text());
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
        <p className="quiet small" role="status">{typed?.isChecking ? t("checking") : fault ? "" : t("yaml_words")}</p>
        {session.canChange && (
          <label className="button button-small push"><Icon name="file-up" />{t("open_file")}<input type="file" accept=".yaml,.yml,.json" className="visually-hidden" onChange={(event) => void open(event.target.files)} /></label>
        )}
        <a className="button button-small" href={session.start.urls.export} download><Icon name="file-down" />{t("export")}</a>
      </div>
      {fault && (
        <div className="note tone-red yaml-fault">
          <Icon name="circle-alert" />
          <div className="note-words" role="alert" id="yaml-fault"><strong>{fault.line ? t("not_saved_line", { n: fault.line }) : t("not_saved_text")}</strong> {fault.message} <span className="quiet">{t("canvas_keeps_last")}</span></div>
          <button type="button" className="button button-small" onClick={() => saving.typed.giveUp()}>{t("give_text_up")}</button>
        </div>
      )}
      <div className="yaml-editor">
        <pre className="yaml-lines" ref={lines} aria-hidden="true">{Array.from({ length: count }, (_each, at) => (fault?.line === at + 1 ? `▸${at + 1}` : String(at + 1))).join("\n")}</pre>
        <textarea
          aria-label={t("flow_as_yaml")}
          aria-describedby={fault ? "yaml-fault" : undefined}
          value={text}
          readOnly={!session.canChange}
          spellCheck={false}
          wrap="off"
          aria-invalid={fault ? true : undefined}
          onChange={(event) => saving.typed.take(event.target.value)}
          onScroll={(event) => {
            if (lines.current) lines.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
    </div>
  );
}
