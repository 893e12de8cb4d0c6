import { useId, useLayoutEffect, useRef } from "react";
import { t } from "../app/start";
import { Icon } from "./Icon";

/** The browser's own dialog: focus stays inside, Escape closes. */
export function Dialog({ heading, close, size, children, foot }: { heading: string; close: () => void; size?: "wide" | "full"; children: React.ReactNode; foot?: React.ReactNode }): React.JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // before the effects of what is inside, which may ask how large it is
  useLayoutEffect(() => {
    const dialog = element.current!;
    if (!dialog.open) dialog.showModal();
  }, []);
  return (
    <dialog className={`dialog ${size ? `dialog-${size}` : ""}`} ref={element} aria-labelledby={id} onClose={close} onClick={(event) => event.target === element.current && close()}>
      <div className="dialog-head">
        <h2 id={id}>{heading}</h2>
        <button type="button" className="button button-quiet button-icon" aria-label={t("close")} onClick={close}><Icon name="x" /></button>
      </div>
      <div className="dialog-body">{children}</div>
      {foot && <div className="dialog-foot">{foot}</div>}
    </dialog>
  );
}
