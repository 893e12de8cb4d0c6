import { useEffect, useId, useRef } from "react";
import { t } from "../app/start";
import { Icon } from "./Icon";

/** The browser's own dialog: focus stays inside, Escape closes. */
export function Dialog({ heading, close, wide = false, children, foot }: { heading: string; close: () => void; wide?: boolean; children: React.ReactNode; foot?: React.ReactNode }): React.JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current!;
    if (!dialog.open) dialog.showModal();
  }, []);
  return (
    <dialog className={`dialog ${wide ? "dialog-wide" : ""}`} ref={element} aria-labelledby={id} onClose={close} onClick={(event) => event.target === element.current && close()}>
      <div className="dialog-head">
        <h2 id={id}>{heading}</h2>
        <button type="button" className="button button-quiet button-icon" aria-label={t("close")} onClick={close}><Icon name="x" /></button>
      </div>
      <div className="dialog-body">{children}</div>
      {foot && <div className="dialog-foot">{foot}</div>}
    </dialog>
  );
}
